// Finding, checking and loading plugins, above all broken ones.
// SPDX-License-Identifier: Apache-2.0
#include "system/system.hpp"
#include "temporary_folder.hpp"
#include "toy_components.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/registry.hpp>

#include <catch2/catch.hpp>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

using namespace mixwell;
namespace fs = std::filesystem;

namespace {

std::string wrong_plugin(const std::string& name) {
  return std::string(MIXWELL_BUILD_DIR) + "/tests/wrong/" + name + ".so";
}

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A folder of plugins.
class Folder : public mixwell::testing::TemporaryFolder {
 public:
  std::string copy(const std::string& plugin) const {
    const std::string file = path() + "/" + plugin + ".so";
    fs::copy_file(wrong_plugin(plugin), file);
    return file;
  }
  Registry load() const { return Registry::load({path()}); }
};

/// The reason given for the only file of the folder.
std::string reason_for(const Folder& folder) {
  const Registry registry = folder.load();
  CHECK(registry.entries().empty());
  REQUIRE(registry.broken().size() == 1);
  return registry.broken().front().reason;
}

bool contains(const std::string& text, const std::string& part) {
  INFO("looking for \"" << part << "\" in \"" << text << "\"");
  CHECK(text.find(part) != std::string::npos);
  return text.find(part) != std::string::npos;
}

/// "a=1;b=2;" as pairs, in their order.
std::vector<std::pair<std::string, std::string>> fields_of(std::string tag) {
  std::vector<std::pair<std::string, std::string>> fields;
  for (std::size_t end; (end = tag.find(';')) != std::string::npos; tag.erase(0, end + 1)) {
    const std::size_t equals = tag.find('=');
    fields.emplace_back(tag.substr(0, equals), tag.substr(equals + 1, end - equals - 1));
  }
  return fields;
}

template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const InputError& fault) {
    return fault.what();
  }
  FAIL("nothing was thrown");
  return {};
}

}  // namespace

TEST_CASE("A plugin with another ABI tag is refused before any of its code runs") {
  const Folder folder;
  const std::string file = folder.copy("wrong_abi_tag");
  CHECK(read_abi_tag(file).starts_with("eigen=2.0.17;"));
  const std::string reason = reason_for(folder);
  contains(reason, file);
  contains(reason, "eigen must be 3.");
  contains(reason, "but is 2.0.17");
  contains(reason, "mixwell must be " + std::to_string(MIXWELL_ABI_VERSION) + ", but is not set");
  contains(reason, "Rebuild it with mixwell_add_plugin()");
  CHECK(reason.find("isa must be") == std::string::npos);
}

TEST_CASE("A plugin that differs in one field of the ABI tag is refused for that field alone") {
  const std::string whole = bytes_of(wrong_plugin("duplicate_first"));
  const std::string tag = MIXWELL_ABI_TAG;
  const std::size_t place = whole.find(tag);
  REQUIRE(place != std::string::npos);
  for (const auto& [name, value] : fields_of(tag)) {
    std::string other = value;
    other.back() = other.back() == '7' ? '8' : '7';
    std::string bytes = whole;
    bytes.replace(place + tag.find(name + "=" + value) + name.size() + 1, value.size(), other);
    const Folder folder;
    folder.file("other.so", bytes);
    const std::string reason = reason_for(folder);
    contains(reason, ": this plugin was built for a different build of Mixwell: " + name +
                         " must be " + value + ", but is " + other +
                         ". Rebuild it with mixwell_add_plugin()");
  }
}

TEST_CASE("The ABI tag has what decides layout, and not the compiler's version") {
  std::vector<std::string> names;
  for (const auto& field : fields_of(MIXWELL_ABI_TAG)) names.push_back(field.first);
  CHECK(names == std::vector<std::string>{"mixwell", "c++", "library", "strings", "containers",
                                          "isa", "eigen", "eigen_alignment",
                                          "eigen_static_alignment", "eigen_malloc", "eigen_index",
                                          "eigen_order"});
  for (const std::string& compiler :
       {std::string(__VERSION__), std::to_string(__GLIBCXX__), std::to_string(__cplusplus)}) {
    CHECK(std::string(MIXWELL_ABI_TAG).find(compiler) == std::string::npos);
  }
}

TEST_CASE("A library without the entry symbols is no plugin") {
  const Folder folder;
  const std::string file = folder.copy("no_symbols");
  const std::string reason = reason_for(folder);
  contains(reason, file);
  contains(reason, "no ABI tag");
}

TEST_CASE("A plugin without its register function is no plugin") {
  const Folder folder;
  folder.copy("no_register");
  contains(reason_for(folder), "no symbol mixwell_register");
}

TEST_CASE("Nothing is kept of a plugin that throws while registering") {
  const Folder folder;
  const std::string file = folder.copy("throws");
  const std::string reason = reason_for(folder);
  contains(reason, file);
  contains(reason, "failed to register its components: the licence server is away");
}

TEST_CASE("A plugin that needs a missing function is listed with the loader's words") {
  const Folder folder;
  folder.copy("missing_symbol");
  const std::string reason = reason_for(folder);
  contains(reason, "cannot be loaded");
  contains(reason, "function_of_a_library_that_is_not_there");
}

TEST_CASE("A file that is no library is listed as such") {
  const Folder folder;
  const std::string file = folder.file("text.so", "this is not a library at all");
  const std::string reason = reason_for(folder);
  contains(reason, file);
  contains(reason, "not a library");
}

TEST_CASE("An empty file is no library") {
  const Folder folder;
  folder.file("empty.so", "");
  contains(reason_for(folder), "not a library");
}

TEST_CASE("A library cut short anywhere is refused and harms nobody") {
  const std::string whole = bytes_of(wrong_plugin("wrong_abi_tag"));
  const Folder folder;
  for (std::size_t part = 1; part < 64; ++part) {
    const std::string file = folder.file("cut.so", whole.substr(0, whole.size() * part / 64));
    CHECK_THROWS_AS(read_abi_tag(file), InputError);
  }
}

TEST_CASE("A library with damaged headers is refused or read, never a crash") {
  const std::string whole = bytes_of(wrong_plugin("wrong_abi_tag"));
  const Folder folder;
  for (std::size_t at = 4; at < 64; ++at) {
    for (const char damage : {'\xff', '\x00', '\x7f'}) {
      std::string bytes = whole;
      bytes[at] = damage;
      try {
        read_abi_tag(folder.file("damaged.so", bytes));
      } catch (const InputError&) {
      }
    }
  }
  std::string no_sections = whole;
  for (std::size_t at = 40; at < 48; ++at) no_sections[at] = '\xff';
  CHECK_THROWS_AS(read_abi_tag(folder.file("damaged.so", no_sections)), InputError);
}

namespace {

/// A library for macOS with one section, `__TEXT,__mixwell_abi`, as <mach-o/loader.h> describes it.
std::string mach_o_file(const std::string& tag) {
  std::string bytes;
  const auto number = [&bytes](std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i));
  };
  const auto name = [&bytes](std::string text) {
    text.resize(16);
    bytes += text;
  };
  constexpr std::uint32_t uuid_size = 24, segment_size = 152, header_size = 32;
  for (const std::uint32_t field :
       {0xfeedfacfU, 0x0100000cU, 0U, 8U, 2U, uuid_size + segment_size, 0U, 0U})
    number(field, 4);
  for (const std::uint32_t field : {0x1bU, uuid_size, 1U, 2U, 3U, 4U}) number(field, 4);
  number(0x19, 4);
  number(segment_size, 4);
  name("__TEXT");
  for (int i = 0; i < 4; ++i) number(0, 8);               // addresses and offsets of the segment
  for (const int field : {5, 5, 1, 0}) number(field, 4);  // protection, one section, flags
  name("__mixwell_abi");
  name("__TEXT");
  number(0, 8);
  number(tag.size(), 8);
  number(header_size + uuid_size + segment_size, 4);
  for (int i = 0; i < 7; ++i) number(0, 4);
  return bytes + tag;
}

std::string mach_o_section(const std::string& bytes, const char* name = "__TEXT,__mixwell_abi") {
  std::istringstream file(bytes);
  return section_in_mach_o(file, name);
}

}  // namespace

TEST_CASE("The tag of a library for macOS is read on every system") {
  const std::string whole = mach_o_file("isa=armv8-a;");
  CHECK(mach_o_section(whole) == "isa=armv8-a;");
  CHECK(mach_o_section(whole, "__TEXT,__mixwell").empty());
  CHECK(mach_o_section(whole, "__DATA,__mixwell_abi").empty());
  CHECK_THROWS_AS(mach_o_section("\x7f"
                                 "ELF" +
                                 std::string(100, '\0')),
                  std::runtime_error);
  std::string program = whole;
  program[12] = 2;
  CHECK_THROWS_WITH(mach_o_section(program), "the Mach-O file is not a shared library");
}

TEST_CASE("A damaged library for macOS is refused or read and never a crash") {
  const std::string whole = mach_o_file("isa=armv8-a;");
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK_THROWS_AS(mach_o_section(whole.substr(0, size)), std::runtime_error);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char damage : {'\xff', '\x00', '\x7f', '\x01'}) {
      std::string bytes = whole;
      bytes[at] = damage;
      try {
        mach_o_section(bytes);
      } catch (const std::runtime_error&) {
      }
    }
  }
}

TEST_CASE("Of two plugins with one id the later is broken and both files are named") {
  const Folder folder;
  const std::string first = folder.copy("duplicate_first");
  const std::string second = folder.copy("duplicate_second");
  const Registry registry = folder.load();
  REQUIRE(registry.broken().size() == 1);
  contains(registry.broken().front().reason, first);
  contains(registry.broken().front().reason, second);
  contains(registry.broken().front().reason, "model \"twin\"");
  CHECK(registry.ids(Kind::model) == std::vector<std::string>{"twin"});
  CHECK(registry.find(Kind::model, "twin").library == first);
}

TEST_CASE("Broken plugins do not keep sound ones from loading") {
  const Folder folder;
  for (const char* name : {"duplicate_first", "no_register", "no_symbols", "throws",
                           "wrong_abi_tag", "missing_symbol"}) {
    folder.copy(name);
  }
  folder.file("a.so", "garbage");
  const Registry registry = folder.load();
  CHECK(registry.has(Kind::model, "twin"));
  CHECK(registry.broken().size() == 6);
  CHECK_FALSE(registry.has(Kind::model, "half-registered"));
}

TEST_CASE("A component of a loaded plugin can be made") {
  const Folder folder;
  folder.copy("duplicate_first");
  const Registry registry = folder.load();
  const auto blueprint = registry.find(Kind::model, "twin").blueprint();
  const auto model = std::dynamic_pointer_cast<const Model>(blueprint->make());
  REQUIRE(model != nullptr);
  CHECK(model->parameters().front().name == "x");
}

TEST_CASE("An unknown id names the nearest one and mentions broken libraries") {
  const Folder folder;
  folder.copy("duplicate_first");
  folder.copy("no_symbols");
  const Registry registry = folder.load();
  const std::string message = message_of([&] { registry.find(Kind::model, "twim"); });
  contains(message, "no model \"twim\" (did you mean \"twin\"?)");
  contains(message, "1 library could not be loaded");
  CHECK_FALSE(registry.has(Kind::kernel, "twin"));
}

TEST_CASE("A plugin folder that does not exist is bad input") {
  const std::string message = message_of([] { Registry::load({"/nowhere/at/all"}); });
  contains(message, "/nowhere/at/all");
  contains(message, "MIXWELL_PLUGIN_PATH");
}

TEST_CASE("A folder named twice is loaded once") {
  const Folder folder;
  folder.copy("duplicate_first");
  const Registry registry = Registry::load({folder.path(), folder.path() + "/"});
  CHECK(registry.broken().empty());
  CHECK(registry.entries().size() == 1);
}

TEST_CASE("Components of the program itself obey the rules of plugins") {
  Registry registry = toy::registry();
  contains(message_of([&] { toy::add<toy::Flat>(registry, "flat", "again"); }),
           "already offered by /plugins/flat.so");
  contains(message_of([&] { toy::add<toy::Flat>(registry, "Not_Kebab", ""); }), "kebab-case");
  CHECK(registry.ids(Kind::kernel) == std::vector<std::string>{"pair", "step"});
}

TEST_CASE("The default folders are the built-in one and those of MIXWELL_PLUGIN_PATH") {
  setenv("MIXWELL_PLUGIN_PATH", "/a:/b", 1);
  const std::vector<std::string> folders = Registry::default_folders();
  unsetenv("MIXWELL_PLUGIN_PATH");
  REQUIRE(folders.size() == 3);
  CHECK(folders[0].ends_with("/mixwell/plugins"));
  CHECK(folders[1] == "/a");
  CHECK(folders[2] == "/b");
}
