// The files of libraries, and the sections inside a library's file.
// SPDX-License-Identifier: Apache-2.0
#include "system/system.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#ifndef __APPLE__
#include <elf.h>
#include <link.h>
#endif

namespace mixwell {
namespace {

void check(bool fine, const char* fault) {
  if (!fine) throw std::runtime_error(fault);
}

constexpr const char* damaged = "the file is truncated or damaged";

template <class T>
T first(std::string_view bytes) {
  check(bytes.size() >= sizeof(T), damaged);
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

/// Accepts a size only if the file has that many bytes. Callers read only what they need, because
/// libraries with debug information are large, and every start of the program reads all libraries.
std::string bytes_of(std::istream& file, std::uint64_t offset, std::uint64_t size) {
  const auto end =
      static_cast<std::uint64_t>(std::max<std::streamoff>(file.seekg(0, std::ios::end).tellg(), 0));
  check(offset <= end && size <= end - offset, damaged);
  std::string found(size, '\0');
  file.seekg(static_cast<std::streamoff>(offset));
  check(bool(file.read(found.data(), static_cast<std::streamsize>(size))), damaged);
  return found;
}

#ifndef __APPLE__
/// A section of a 64-bit little-endian ELF file.
std::string section_in_elf(std::istream& file, std::string_view name) {
  const auto header = first<Elf64_Ehdr>(bytes_of(file, 0, sizeof(Elf64_Ehdr)));
  check(std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0, "the format is not ELF");
  check(header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB,
        "the format is not 64-bit little-endian ELF");
  check(header.e_type == ET_DYN, "the ELF file is not a shared library");
  check(header.e_shentsize == sizeof(Elf64_Shdr), "the section headers have an unexpected size");
  const std::string table = bytes_of(file, header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr));
  const auto section = [&table](std::size_t i) {
    return first<Elf64_Shdr>(std::string_view(table).substr(i * sizeof(Elf64_Shdr)));
  };
  const auto contents = [&file](const Elf64_Shdr& s) {
    return s.sh_type == SHT_NOBITS ? std::string() : bytes_of(file, s.sh_offset, s.sh_size);
  };
  check(header.e_shstrndx < header.e_shnum, "the section name string table is missing");
  const std::string names = contents(section(header.e_shstrndx));
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr s = section(i);
    check(s.sh_name < names.size(),
          "the name of a section is outside the section name string table");
    if (names.c_str() + s.sh_name == name) return contents(s);
  }
  return {};
}
#endif

}  // namespace

/// Offsets and numbers as in <mach-o/loader.h>, which only macOS has.
std::string section_in_mach_o(std::istream& file, std::string_view name) {
  constexpr std::size_t header_size = 32, sections_at = 72, section_size = 80;
  constexpr std::uint32_t magic = 0xfeedfacf, library = 6, bundle = 8, segment = 0x19;
  const auto number = [](std::string_view bytes, std::size_t at) {
    return first<std::uint32_t>(bytes.substr(std::min(at, bytes.size())));
  };
  const std::string header = bytes_of(file, 0, header_size);
  check(number(header, 0) == magic, "the format is not 64-bit little-endian Mach-O");
  check(number(header, 12) == library || number(header, 12) == bundle,
        "the Mach-O file is not a shared library");
  const std::string commands = bytes_of(file, header_size, number(header, 20));
  for (std::string_view rest = commands; !rest.empty();) {
    const std::size_t size = number(rest, 4);
    check(size >= 8 && size <= rest.size(), damaged);
    for (std::size_t at = sections_at; number(rest, 0) == segment && at + section_size <= size;
         at += section_size) {
      const std::string section(rest.substr(at, section_size));
      const std::string full_name = std::string(section, 16, 16).c_str() + std::string(",") +
                                    std::string(section, 0, 16).c_str();
      if (full_name == name)
        return bytes_of(file, number(section, 48), first<std::uint64_t>(section.substr(40)));
    }
    rest.remove_prefix(size);
  }
  return {};
}

std::string section_of_library(std::istream& file, std::string_view name) {
#ifdef __APPLE__
  return section_in_mach_o(file, name);
#else
  return section_in_elf(file, name);
#endif
}

std::string path_to_code(const void* object) {
  Dl_info info = {};
#ifdef __linux__
  void* found = nullptr;
  if (::dladdr1(object, &info, &found, RTLD_DL_LINKMAP) == 0) return {};
  // For a program, dladdr1() gives the name in the command that started it. This name may not be a
  // path to its file.
  const bool is_program = *static_cast<const link_map*>(found)->l_name == '\0';
  return is_program ? "/proc/self/exe" : info.dli_fname;
#else
  return ::dladdr(object, &info) == 0 ? "" : info.dli_fname;
#endif
}

}  // namespace mixwell
