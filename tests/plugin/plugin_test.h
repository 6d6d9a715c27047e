// What the tests of plugins share: where they are, what they could change, and how a refusal is stated. Include this
// after every other header: it imports.
#pragma once

#include <dlfcn.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>

#include "host_ops.h"
#include "support/raises.h"

namespace plugin_test {

namespace tb = topbit;
namespace key = topbit::key;
using host::item;
using toy::text_of;

inline const std::filesystem::path folder = PLUGIN_FOLDER;
// A core that is a shared library cannot be carried by a plugin.
inline void needs_a_static_core() {
  if (std::string(CORE_TYPE) != "STATIC_LIBRARY") SKIP("topbit is built as shared libraries");
}
inline std::string file(const char* name) { return (folder / name).string(); }

template <class F>
F symbol(const std::string& path, const char* name) {
  void* handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  REQUIRE(handle != nullptr);
  auto* found = reinterpret_cast<F>(dlsym(handle, name));
  dlclose(handle);
  REQUIRE(found != nullptr);
  return found;
}

// What a plugin could change, as text.
inline std::string trace() {
  std::string text = to_string(tb::dump(tb::registry::process())) + to_string(key::AutogradPrivateUse3) + "\n" +
                     std::to_string(host::twice(item{key::CPU, 4})) + "\n";
  try {
    text += std::to_string(host::area(item{key::CPU, 4}));
  } catch (const tb::no_kernel&) {
    text += "no area";
  }
  return text;
}

// The plugin is refused with this text and leaves nothing.
inline void refused(const std::string& path, const std::string& why) {
  INFO(path);
  const std::string before = trace();
  CHECK(text_of<tb::bad_plugin>([&] { (void)tb::load_plugin(path); }) == "plugin '" + path + "': " + why);
  CHECK(trace() == before);
  CHECK(text_of<tb::bad_plugin>([&] { (void)tb::load_plugin(path); }) == "plugin '" + path + "': " + why);
  CHECK(trace() == before);
}

}  // namespace plugin_test
