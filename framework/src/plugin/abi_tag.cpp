// Reads the ABI tag of a library without loading the library. Checks every offset in the file.
// SPDX-License-Identifier: Apache-2.0
#include "plugin/abi_tag.hpp"

#include "base/split.hpp"
#include "files/reading.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/registry.hpp>

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <string_view>
#include <vector>

namespace mixwell {
namespace {

constexpr std::string_view tag_section = ".mixwell_abi";

/// The sections of a 64-bit little-endian ELF file. Only the needed bytes are read, because
/// libraries with debug information are large, and every start of the program reads all libraries.
class ElfFile {
 public:
  explicit ElfFile(const std::string& path) : path_(path) {
    if (const std::string why = why_no_file(path); !why.empty())
      throw InputError(path + ": this file cannot be read: " + why +
                       ". Check the path and the permissions");
    file_.open(path, std::ios::binary);
    if (!file_)
      throw InputError(path + ": this file cannot be read. Check the path and the permissions");
    const auto header = first<Elf64_Ehdr>(bytes(0, sizeof(Elf64_Ehdr)));
    check(std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0, "the format is not ELF");
    check(header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB,
          "the format is not 64-bit little-endian ELF");
    check(header.e_type == ET_DYN, "the ELF file is not a shared library");
    check(header.e_shentsize == sizeof(Elf64_Shdr), "the section headers have an unexpected size");
    const std::string table = bytes(header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr));
    for (std::size_t i = 0; i < table.size(); i += sizeof(Elf64_Shdr)) {
      sections_.push_back(first<Elf64_Shdr>(std::string_view(table).substr(i)));
    }
    check(header.e_shstrndx < sections_.size(), "the section name string table is missing");
    names_ = contents(sections_[header.e_shstrndx]);
  }

  /// The bytes of a section by name, or nothing.
  std::string find(std::string_view name) {
    for (const Elf64_Shdr& s : sections_) {
      if (name_of(s) == name) return contents(s);
    }
    return {};
  }

 private:
  void check(bool fine, const char* fault) const {
    if (!fine)
      throw InputError(fmt::format(
          "{}: this file is not a library: {}. Build the plugin again, or remove this file", path_,
          fault));
  }

  /// Accepts a size only if the file has that many bytes.
  std::string bytes(std::uint64_t offset, std::uint64_t size) {
    const auto end = static_cast<std::uint64_t>(
        std::max<std::streamoff>(file_.seekg(0, std::ios::end).tellg(), 0));
    check(offset <= end && size <= end - offset, damaged);
    std::string found(size, '\0');
    file_.seekg(static_cast<std::streamoff>(offset));
    check(bool(file_.read(found.data(), static_cast<std::streamsize>(size))), damaged);
    return found;
  }

  template <class T>
  T first(std::string_view bytes) const {
    check(bytes.size() >= sizeof(T), damaged);
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }

  std::string contents(const Elf64_Shdr& s) {
    return s.sh_type == SHT_NOBITS ? std::string() : bytes(s.sh_offset, s.sh_size);
  }

  std::string_view name_of(const Elf64_Shdr& s) const {
    check(s.sh_name < names_.size(),
          "the name of a section is outside the section name string table");
    const std::string_view rest = std::string_view(names_).substr(s.sh_name);
    return rest.substr(0, rest.find('\0'));
  }

  static constexpr const char* damaged = "the file is truncated or damaged";
  std::string path_;
  std::ifstream file_;
  std::vector<Elf64_Shdr> sections_;
  std::string names_;
};

/// "a=1;b=2;" as a map.
std::map<std::string, std::string> fields_of(std::string_view tag) {
  std::map<std::string, std::string> fields;
  for (const std::string_view pair : split(tag, ';')) {
    const std::size_t equals = std::min(pair.find('='), pair.size());
    if (pair.empty()) continue;
    fields.emplace(pair.substr(0, equals), pair.substr(std::min(equals + 1, pair.size())));
  }
  return fields;
}

/// The fields that differ, with the wanted and the found value. Empty if the tags are equal.
std::string abi_difference(const std::string& wanted, const std::string& found) {
  constexpr const char* absent = "not set";
  std::map<std::string, std::pair<std::string, std::string>> all;
  for (const auto& [name, value] : fields_of(wanted)) all[name] = {value, absent};
  for (const auto& [name, value] : fields_of(found))
    all.try_emplace(name, absent, absent).first->second.second = value;
  std::vector<std::string> differences;
  for (const auto& [name, values] : all) {
    if (values.first == values.second) continue;
    differences.push_back(
        fmt::format("{} must be {}, but is {}", name, values.first, values.second));
  }
  return fmt::format("{}", fmt::join(differences, "; "));
}

}  // namespace

std::string instruction_set_in(const std::string& build_tag) {
  const auto fields = fields_of(build_tag);
  const auto found = fields.find("isa");
  return found == fields.end() ? "" : found->second;
}

std::string host_abi_tag() { return MIXWELL_ABI_TAG; }

std::string read_abi_tag(const std::string& path) {
  const std::string section = ElfFile(path).find(tag_section);
  const std::size_t end = section.find('\0');
  if (end == 0 || end == std::string::npos) {
    throw InputError(path +
                     ": this file is not a Mixwell plugin, because it has no ABI tag. End the "
                     "plugin's source with MIXWELL_PLUGIN(registrar) { ... }");
  }
  return section.substr(0, end);
}

void check_abi_tag(const std::string& path) {
  const std::string difference = abi_difference(host_abi_tag(), read_abi_tag(path));
  if (difference.empty()) return;
  throw InputError(path + ": this plugin was built for a different build of Mixwell: " +
                   difference + ". Rebuild it with mixwell_add_plugin() against this installation");
}

}  // namespace mixwell
