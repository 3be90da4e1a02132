// C functions for the model `callback`: one that is right, and what may be wrong with others.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/callback.h>

#include <atomic>
#include <chrono>
#include <thread>

#define API extern "C" __attribute__((visibility("default")))

namespace {

std::atomic<int> now{0}, most{0}, calls{0};

/// Counts calls that are on their way at once.
class Call {
 public:
  Call() {
    const int n = ++now;
    int seen = most;
    while (seen < n && !most.compare_exchange_weak(seen, n)) continue;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  ~Call() { --now; }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
};

}  // namespace

API int most_at_once() { return most.exchange(0); }

/// N(m, I), m = 0 or what user_data points at.
API int normal(size_t d, size_t R, const double* theta, double* u, double* gradient,
               void* user_data) {
  const double m = user_data == nullptr ? 0 : *static_cast<const double*>(user_data);
  for (size_t j = 0; j < R; ++j) {
    u[j] = 0;
    for (size_t i = 0; i < d; ++i) {
      const double x = theta[j * d + i] - m;
      u[j] += 0.5 * x * x;
      if (gradient != nullptr) gradient[j * d + i] = x;
    }
  }
  return 0;
}

API int slow_normal(size_t d, size_t R, const double* theta, double* u, double* gradient,
                    void* user_data) {
  const Call call;
  return normal(d, R, theta, u, gradient, user_data);
}

API int failing(size_t, size_t, const double*, double*, double*, void*) { return 3; }

/// Another density after every call.
API int wandering(size_t d, size_t R, const double* theta, double* u, double* gradient, void*) {
  double m = 1e-12 * ++calls;
  return normal(d, R, theta, u, gradient, &m);
}

/// U repeats itself, the gradient does not.
API int wavering(size_t d, size_t R, const double* theta, double* u, double* gradient, void*) {
  normal(d, R, theta, u, gradient, nullptr);
  if (gradient != nullptr) gradient[d * R - 1] += 1e-12 * ++calls;
  return 0;
}

/// Takes R for 1.
API int single(size_t d, size_t, const double* theta, double* u, double* gradient, void*) {
  return normal(d, 1, theta, u, gradient, nullptr);
}

/// Takes d for one less.
API int short_of_one(size_t d, size_t R, const double* theta, double* u, double* gradient, void*) {
  for (size_t j = 0; j < R; ++j)
    normal(d - 1, 1, theta + j * d, u + j, gradient == nullptr ? nullptr : gradient + j * d,
           nullptr);
  return 0;
}

/// Computes U by halves where its gradient is not wanted.
API int halving(size_t d, size_t R, const double* theta, double* u, double* gradient, void*) {
  normal(d, R, theta, u, gradient, nullptr);
  for (size_t j = 0; gradient == nullptr && j < R; ++j) u[j] *= 0.5;
  return 0;
}

/// Well at the points that are tried, and fails in batches of another width.
API int failing_later(size_t d, size_t R, const double* theta, double* u, double* gradient, void*) {
  return R == 3 ? normal(d, R, theta, u, gradient, nullptr) : 7;
}
