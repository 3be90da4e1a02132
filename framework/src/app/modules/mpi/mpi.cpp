// Ranks implemented with MPI.
// SPDX-License-Identifier: Apache-2.0
#include "app/modules.hpp"

#include <mixwell/base/error.hpp>

#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <thread>
#include <vector>

namespace mixwell::app {
namespace {

/// The largest size of a message in bytes. There is a limit because MPI counts with ints.
constexpr std::size_t most_bytes = std::size_t{1} << 30;
/// A waiting rank first polls `looks` times. After that, it sleeps for `nap` before each poll.
constexpr int looks = 2000;
constexpr auto nap = std::chrono::microseconds(20);

/// Waits without blocking a core for long, because several ranks may share a core.
void wait(MPI_Request request) {
  for (int k = 0;; ++k) {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    if (k < looks)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(nap);
  }
}

int count_of(std::size_t bytes) { return static_cast<int>(bytes); }

/// An error inside MPI ends all ranks (MPI_ERRORS_ARE_FATAL).
class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm host = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &on_this_host_);
    MPI_Comm_free(&host);
  }
  ~MpiRanks() override { MPI_Finalize(); }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return size_; }
  int on_this_host() const noexcept override { return on_this_host_; }

  void broadcast(void* data, std::size_t bytes) override { send_from(0, data, bytes); }

  void share(void* data, const std::vector<std::size_t>& ends) override {
    if (ends.back() > most_bytes) return share_by_pieces(data, ends);
    std::vector<int> counts;
    std::vector<int> places;
    for (std::size_t k = 0; k < ends.size(); ++k) {
      places.push_back(k == 0 ? 0 : count_of(ends[k - 1]));
      counts.push_back(count_of(ends[k]) - places.back());
    }
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_BYTE, data, counts.data(), places.data(), MPI_BYTE,
                    MPI_COMM_WORLD, &request);
    wait(request);
  }

  void exchange(const std::vector<Outgoing>& out, const std::vector<Incoming>& in) override {
    requests_.clear();
    for (const Incoming& one : in)
      each_piece(one.bytes, [&](std::size_t at, int bytes) {
        MPI_Irecv(static_cast<char*>(one.data) + at, bytes, MPI_BYTE, one.from, 0, MPI_COMM_WORLD,
                  &requests_.emplace_back());
      });
    for (const Outgoing& one : out)
      each_piece(one.bytes, [&](std::size_t at, int bytes) {
        MPI_Isend(static_cast<const char*>(one.data) + at, bytes, MPI_BYTE, one.to, 0,
                  MPI_COMM_WORLD, &requests_.emplace_back());
      });
    for (const MPI_Request request : requests_) wait(request);
  }

  std::vector<std::vector<char>> collect(const std::vector<char>& mine) override {
    const std::vector<std::uint64_t> sizes = sizes_of(mine.size());
    std::vector<std::vector<char>> all(leads() ? sizes.size() : 0);
    if (!leads()) {
      each_piece(mine.size(), [&](std::size_t at, int bytes) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Isend(mine.data() + at, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
        wait(request);
      });
      return all;
    }
    all.front() = mine;
    for (std::size_t k = 1; k < sizes.size(); ++k) {
      all[k].resize(sizes[k]);
      each_piece(sizes[k], [&](std::size_t at, int bytes) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Irecv(all[k].data() + at, bytes, MPI_BYTE, static_cast<int>(k), 0, MPI_COMM_WORLD,
                  &request);
        wait(request);
      });
    }
    return all;
  }

  std::int64_t largest(std::int64_t mine) override {
    std::int64_t all = mine;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(&mine, &all, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD, &request);
    wait(request);
    return all;
  }

 private:
  template <class Piece>
  static void each_piece(std::size_t bytes, const Piece& piece) {
    for (std::size_t at = 0; at < bytes; at += most_bytes)
      piece(at, count_of(std::min(most_bytes, bytes - at)));
  }

  static void send_from(int rank, void* data, std::size_t bytes) {
    each_piece(bytes, [&](std::size_t at, int count) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Ibcast(static_cast<char*>(data) + at, count, MPI_BYTE, rank, MPI_COMM_WORLD, &request);
      wait(request);
    });
  }

  void share_by_pieces(void* data, const std::vector<std::size_t>& ends) const {
    std::size_t begin = 0;
    for (int k = 0; k < size_; ++k) {
      const std::size_t end = ends[static_cast<std::size_t>(k)];
      send_from(k, static_cast<char*>(data) + begin, end - begin);
      begin = end;
    }
  }

  /// Collects `mine` of all ranks.
  std::vector<std::uint64_t> sizes_of(std::size_t mine) {
    std::vector<std::uint64_t> sizes(static_cast<std::size_t>(size_));
    sizes[static_cast<std::size_t>(rank_)] = mine;
    std::vector<std::size_t> ends;
    for (std::size_t k = 1; k <= sizes.size(); ++k) ends.push_back(k * sizeof(std::uint64_t));
    share(sizes.data(), ends);
    return sizes;
  }

  int rank_ = 0;
  int size_ = 1;
  int on_this_host_ = 1;
  std::vector<MPI_Request> requests_;
};

}  // namespace

Ranks* mixwell_mpi_join() { return new MpiRanks(); }

void mixwell_mpi_version(std::string& version) {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  version = text.data();
  version.resize(std::min(version.size(), version.find_first_of(",\n")));
}

}  // namespace mixwell::app
