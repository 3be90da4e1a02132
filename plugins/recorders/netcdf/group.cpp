// Defines the groups of a new file, and finds and checks the groups of a continued file.
// SPDX-License-Identifier: Apache-2.0
#include "group.hpp"

#include "arrays.hpp"

#include <netcdf.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace mixwell::netcdf {
namespace {

/// How many values of the coordinate `draw` are written at once.
constexpr std::int64_t numbered_together = std::int64_t{1} << 16;
/// Name of the attribute that holds the number of draws of a group in a closed but incomplete file.
constexpr const char* held_draws = "draws";

}  // namespace

NcGroup::NcGroup(const NcFile& file, const RunHeader& header, std::string name, Index room)
    : file_(&file), labels_(&header.labels), name_(std::move(name)), chains_(header.chains()) {
  if (file.is_read())
    find(header);
  else
    define(header, room);
}

void NcGroup::check(int status) const { file_->check(status, "define the group '" + name_ + "'"); }

void NcGroup::define(const RunHeader& header, Index room) {
  static_assert(NC_UNLIMITED == 0);
  const auto chains = static_cast<std::size_t>(chains_);
  check(nc_def_grp(file_->id(), name_.c_str(), &id_));
  check(nc_def_dim(id_, "chain", chains, &chain_dimension_));
  check(nc_def_dim(id_, "draw", static_cast<std::size_t>(room), &draw_dimension_));
  check(nc_def_var(id_, "draw", NC_INT64, 1, &draw_dimension_, &draw_variable_));
  define_chains(header, "chain", [](Index chain, Index) { return chain; });
  define_chains(header, "replicate", [](Index chain, Index slots) { return chain / slots; });
  define_chains(header, "slot", [](Index chain, Index slots) { return chain % slots; });
  define_attributes(header);
}

void NcGroup::define_chains(const RunHeader& header, const char* name,
                            const ChainNumber& number) const {
  int id = -1;
  check(nc_def_var(id_, name, NC_INT64, 1, &chain_dimension_, &id));
  std::vector<long long> numbers;
  for (Index chain = 0; chain < chains_; ++chain) numbers.push_back(number(chain, header.slots));
  check(nc_put_var_longlong(id_, id, numbers.data()));
}

void NcGroup::define_attributes(const RunHeader& header) const {
  const Attributes attributes(*file_, id_);
  attributes.texts("sample_dims", {"chain", "draw"});
  attributes.text("coordinates", "replicate slot");  // xarray must not read these as variables
  attributes.text("created_at", header.created_at);
  attributes.text("creation_library", "mixwell");
  attributes.text("creation_library_version", header.version);
  attributes.text("creation_library_language", "C++");
  attributes.text("inference_library", "mixwell");
  attributes.text("inference_library_version", header.version);
  if (!header.certificate.empty()) attributes.text("certificate", header.certificate);
  if (!header.joint.empty()) attributes.text("joint", header.joint);
  if (!header.prior.empty()) attributes.text("prior_by", header.prior);
  attributes.integer("tuning_steps", header.warmup);
  attributes.integer("thin", header.thin);
}

void NcGroup::need(int status, const std::string& what) const {
  if (status != NC_NOERR) file_->refuse("it has no " + what + " '" + name_ + "'");
}

void NcGroup::find(const RunHeader& header) {
  need(nc_inq_grp_ncid(file_->id(), name_.c_str(), &id_), "group");
  need(nc_inq_dimid(id_, "chain", &chain_dimension_), "dimension 'chain' in group");
  need(nc_inq_dimid(id_, "draw", &draw_dimension_), "dimension 'draw' in group");
  need(nc_inq_varid(id_, "draw", &draw_variable_), "coordinate 'draw' in group");
  std::size_t chains = 0;
  need(nc_inq_dimlen(id_, chain_dimension_, &chains), "length of dimension 'chain' in group");
  int slot = -1;
  need(nc_inq_varid(id_, "slot", &slot), "coordinate 'slot' in group");
  std::vector<long long> slots(chains);
  need(nc_get_var_longlong(id_, slot, slots.data()), "values of coordinate 'slot' in group");
  const long long most = slots.empty() ? 0 : *std::max_element(slots.begin(), slots.end()) + 1;
  if (chains != static_cast<std::size_t>(chains_) || most != header.slots)
    file_->refuse("group '" + name_ + "' has " + std::to_string(chains) + " chains and " +
                  std::to_string(most) + " slots, but the run has chains = " +
                  std::to_string(chains_) + " and slots = " + std::to_string(header.slots));
  expect_integer("tuning_steps", header.warmup);
  expect_integer("thin", header.thin);
}

void NcGroup::expect_integer(const char* name, std::int64_t wanted) const {
  const std::int64_t found = Attributes(*file_, id_).integer_in_file(name);
  if (found != wanted)
    file_->refuse(std::string("its attribute '") + name + "' is " + std::to_string(found) +
                  ", but the run has " + std::to_string(wanted));
}

void NcGroup::expect_columns(const std::vector<const Column*>& columns) const {
  int found = 0;
  need(nc_inq_varids(id_, &found, nullptr), "variables in group");
  std::set<std::string> dimensions;
  for (const Column* column : columns)
    for (std::string& name : dimension_names({column->name, column->shape, column->dims}))
      dimensions.insert(std::move(name));
  constexpr std::size_t own = 4;  // chain, replicate, slot, draw
  const std::size_t wanted = own + columns.size() + dimensions.size();
  if (static_cast<std::size_t>(found) != wanted)
    file_->refuse("group '" + name_ + "' has " + std::to_string(found) +
                  " variables and coordinates, but the run has " + std::to_string(wanted));
}

std::int64_t NcGroup::draws_in_file() const {
  return Attributes(*file_, id_).integer_in_file(held_draws);
}

void NcGroup::tell_draws(std::int64_t draws) const {
  Attributes(*file_, id_).integer(held_draws, draws);
}

void NcGroup::number_draws(std::int64_t draws) const {
  std::vector<long long> numbers(static_cast<std::size_t>(std::min(draws, numbered_together)));
  for (std::int64_t first = 0; first < draws; first += numbered_together) {
    const auto start = static_cast<std::size_t>(first);
    const auto count = static_cast<std::size_t>(std::min(draws - first, numbered_together));
    std::iota(numbers.begin(), numbers.end(), first);
    file_->check(nc_put_vara_longlong(id_, draw_variable_, &start, &count, numbers.data()),
                 "write the coordinate 'draw' of group '" + name_ + "'");
  }
}

}  // namespace mixwell::netcdf
