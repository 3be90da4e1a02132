// The keys `dims` and `coords`, which are allowed in the table of every model.
// SPDX-License-Identifier: Apache-2.0
#include "manifest/manifest_dims.hpp"

#include "law/labelled_selection.hpp"
#include "law/parameter_rules.hpp"
#include "manifest/values.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/field_target.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

namespace mixwell {
namespace {

Field field(const char* key, NamedTexts& target, const char* help) {
  Field made(key, std::make_unique<FieldTarget>(&target));
  made.help(help);
  return made;
}

/// The labels of the model. Labels from the manifest replace the model's labels of the same
/// dimension.
std::vector<Labels> merged(std::vector<Labels> labels, const NamedTexts& coords) {
  std::erase_if(labels, [&](const Labels& one) { return coords.contains(one.dim); });
  for (const auto& [dim, texts] : coords) labels.push_back({dim, texts});
  return labels;
}

template <class Array>
void name_dims(std::vector<Array>& arrays, const NamedTexts& dims) {
  for (Array& array : arrays)
    if (const auto found = dims.find(array.name); found != dims.end()) array.dims = found->second;
}

std::vector<std::string> names_of(const std::vector<Parameter>& arrays) {
  std::vector<std::string> names;
  for (const Parameter& array : arrays) names.push_back(array.name);
  return names;
}

/// Reports errors at a key of `dims` or `coords`.
class GivenKey {
 public:
  GivenKey(const toml::table& table, std::string path, const ManifestText& manifest)
      : table_(table), path_(std::move(path)), manifest_(manifest) {}

  [[noreturn]] void refuse(const char* key, const std::string& name,
                           const std::string& rule) const {
    const toml::node& node = *table_.get(key)->as_table()->get(name);
    reject(node, fmt::format("{}.{}.{}", path_, key, name), rule, manifest_);
  }

 private:
  const toml::table& table_;
  std::string path_;
  const ManifestText& manifest_;
};

void set_dims(std::vector<Parameter>& arrays, const NamedTexts& dims, const GivenKey& place) {
  for (const auto& [name, texts] : dims) {
    const auto found =
        std::find_if(arrays.begin(), arrays.end(),
                     [&wanted = name](const Parameter& one) { return one.name == wanted; });
    if (found == arrays.end())
      place.refuse(
          "dims", name,
          "the model records no variable with this name" + suggestion(name, names_of(arrays)));
    if (found->shape.size() != texts.size())
      place.refuse(
          "dims", name,
          fmt::format("must have {2} names, one for each dimension, because `{0}` has the shape "
                      "{{{1}}}",
                      name, fmt::join(found->shape, ", "), found->shape.size()));
    found->dims = texts;
  }
}

/// The length of each named dimension.
std::map<std::string, Index> lengths_of(const std::vector<Parameter>& arrays) {
  std::map<std::string, Index> lengths;
  for (const Parameter& array : arrays)
    for (std::size_t k = 0; k < array.dims.size() && k < array.shape.size(); ++k)
      if (!array.dims[k].empty()) lengths.try_emplace(array.dims[k], array.shape[k]);
  return lengths;
}

void check_coords(const std::vector<Parameter>& arrays, const NamedTexts& coords,
                  const GivenKey& place) {
  const std::map<std::string, Index> lengths = lengths_of(arrays);
  std::vector<std::string> known;
  for (const auto& [name, length] : lengths) known.push_back(name);
  for (const auto& [dim, texts] : coords) {
    const auto found = lengths.find(dim);
    if (found == lengths.end())
      place.refuse("coords", dim,
                   "no recorded variable has a dimension with this name" +
                       (known.empty() ? "" : suggestion(dim, known)) +
                       ". Name dimensions with `dims` in the same table");
    if (found->second != static_cast<Index>(texts.size()))
      place.refuse(
          "coords", dim,
          fmt::format("must have {1} labels, because the dimension has length {1} (got {0} labels)",
                      texts.size(), found->second));
    std::set<std::string> seen;
    for (const std::string& text : texts)
      if (!seen.insert(text).second)
        place.refuse("coords", dim, fmt::format("must not repeat the label \"{}\"", text));
  }
}

}  // namespace

std::vector<Field> ManifestDims::fields() {
  std::vector<Field> all;
  all.push_back(field("dims", given_.dims, "names of the dimensions of each recorded variable"));
  all.push_back(field("coords", given_.coords, "labels of the elements of each named dimension"));
  return all;
}

void ManifestDims::check(std::vector<Parameter> arrays, const std::vector<Labels>& labels,
                         const toml::table& table, const std::string& path,
                         const ManifestText& manifest) const {
  if (empty()) return;
  const GivenKey place(table, path, manifest);
  set_dims(arrays, given_.dims, place);
  check_coords(arrays, given_.coords, place);
  try {
    check_dims(arrays, merged(labels, given_.coords));
  } catch (const InputError& fault) {
    const toml::node* const node = table.get(given_.dims.empty() ? "coords" : "dims");
    throw InputError(
        manifest.at(path, node->source()),
        fmt::format("`dims` and `coords` of [{}] must match the model: {}", path, fault.what()));
  }
}

std::string ManifestDims::by_numbers(const Model& model, const std::string& text) const {
  std::vector<Parameter> parameters = model.parameters();
  name_dims(parameters, given_.dims);
  return selection_by_numbers(parameters, merged(model.labels(), given_.coords), text);
}

void RecordedDims::apply(RunHeader& header) const {
  name_dims(header.columns, dims);
  name_dims(header.observed, dims);
  name_dims(header.constant, dims);
  header.labels = merged(std::move(header.labels), coords);
}

}  // namespace mixwell
