// A small reader of ELF files in which every offset is checked: the ABI tag and the exported
// symbols of a library, without loading it.
// SPDX-License-Identifier: Apache-2.0
#include "plugin/abi_tag.hpp"

#include "files/input_descriptor.hpp"

#include <mixwell/abi.hpp>
#include <mixwell/error.hpp>
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

/// The sections of a 64-bit little-endian ELF file. Of its bytes only those that are asked for are
/// read: a library with debug information is large, and every start of the program looks at all.
class ElfFile {
 public:
  explicit ElfFile(const std::string& path) : path_(path) {
    if (const std::string why = why_no_file(path); !why.empty())
      throw InputError(path + ": cannot be read: " + why);
    file_.open(path, std::ios::binary);
    if (!file_) throw InputError(path + ": cannot be read");
    const auto header = first<Elf64_Ehdr>(bytes(0, sizeof(Elf64_Ehdr)));
    check(std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0, "it does not start like an ELF file");
    check(header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB,
          "it is not 64-bit little-endian");
    check(header.e_type == ET_DYN, "it is an ELF file, but no shared library");
    check(header.e_shentsize == sizeof(Elf64_Shdr), "its section headers have an unknown size");
    const std::string table = bytes(header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr));
    for (std::size_t i = 0; i < table.size(); i += sizeof(Elf64_Shdr)) {
      sections_.push_back(first<Elf64_Shdr>(std::string_view(table).substr(i)));
    }
    names_ = contents(section(header.e_shstrndx));
  }

  /// The bytes of a section by name, or nothing.
  std::string find(std::string_view name) {
    for (const Elf64_Shdr& s : sections_) {
      if (text(names_, s.sh_name) == name) return contents(s);
    }
    return {};
  }

  bool exports(std::string_view symbol) {
    for (const Elf64_Shdr& s : sections_) {
      if (s.sh_type == SHT_DYNSYM && defines(s, symbol)) return true;
    }
    return false;
  }

 private:
  void check(bool fine, const char* fault) const {
    if (!fine) throw InputError(fmt::format("{}: not a library: {}", path_, fault));
  }

  /// A size is believed only where the file has as many bytes.
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

  const Elf64_Shdr& section(std::size_t index) const {
    check(index < sections_.size(), "it has no such section");
    return sections_[index];
  }

  std::string contents(const Elf64_Shdr& s) {
    return s.sh_type == SHT_NOBITS ? std::string() : bytes(s.sh_offset, s.sh_size);
  }

  std::string_view text(std::string_view strings, std::size_t offset) const {
    check(offset < strings.size(), "a name lies outside its section");
    const std::string_view rest = strings.substr(offset);
    return rest.substr(0, rest.find('\0'));
  }

  bool defines(const Elf64_Shdr& table, std::string_view symbol) {
    const std::string strings = contents(section(table.sh_link));
    const std::string symbols = contents(table);
    for (std::size_t i = 0; i + sizeof(Elf64_Sym) <= symbols.size(); i += sizeof(Elf64_Sym)) {
      const auto entry = first<Elf64_Sym>(std::string_view(symbols).substr(i));
      if (entry.st_shndx != SHN_UNDEF && text(strings, entry.st_name) == symbol) return true;
    }
    return false;
  }

  static constexpr const char* damaged = "it is cut short or damaged";
  std::string path_;
  std::ifstream file_;
  std::vector<Elf64_Shdr> sections_;
  std::string names_;
};

/// "a=1;b=2;" as a map.
std::map<std::string, std::string> fields_of(std::string_view tag) {
  std::map<std::string, std::string> fields;
  while (!tag.empty()) {
    const std::string_view pair = tag.substr(0, tag.find(';'));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    fields.emplace(pair.substr(0, equals), pair.substr(std::min(equals + 1, pair.size())));
    tag.remove_prefix(std::min(pair.size() + 1, tag.size()));
  }
  return fields;
}

std::string value_in(const std::map<std::string, std::string>& fields, const std::string& name) {
  const auto found = fields.find(name);
  return found == fields.end() ? "nothing" : found->second;
}

}  // namespace

std::string host_abi_tag() { return MIXWELL_ABI_TAG; }

std::string abi_difference(const std::string& wanted, const std::string& found) {
  const auto wants = fields_of(wanted);
  const auto has = fields_of(found);
  auto all = wants;
  all.insert(has.begin(), has.end());
  std::string text;
  for (const auto& [name, value] : all) {
    const std::string want = value_in(wants, name);
    const std::string got = value_in(has, name);
    if (want == got) continue;
    text += fmt::format("{}{}: wanted {}, found {}", text.empty() ? "" : "; ", name, want, got);
  }
  return text;
}

bool exports_symbol(const std::string& path, const std::string& symbol) {
  return ElfFile(path).exports(symbol);
}

std::string read_abi_tag(const std::string& path) {
  const std::string section = ElfFile(path).find(tag_section);
  const std::size_t end = section.find('\0');
  if (end == 0 || end == std::string::npos) {
    throw InputError(path +
                     ": not a Mixwell plugin: it has no ABI tag (a plugin's source ends in "
                     "MIXWELL_PLUGIN(registrar) { ... })");
  }
  return section.substr(0, end);
}

}  // namespace mixwell
