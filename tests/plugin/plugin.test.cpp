// Plugins are loaded whole or not at all. This program is a host that exports the core.
#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "plugin_test.h"

namespace plugin_test {

int twice_cpu(const item& i) { return 2 * i.n; }
const auto kernels = tb::library("host").def(host::twice).impl<&twice_cpu>(host::twice, key::CPU);

}  // namespace plugin_test
using namespace plugin_test;

TEST_CASE("plugin: its registrations exist while it is loaded, and are removed with it", "[plugin][D1]") {
  const std::string before = trace();
  tb::plugin p = tb::load_plugin(file("good.so"));
  CHECK(p.path() == file("good.so"));
  CHECK(host::area(item{key::CPU, 4}) == 16);
  CHECK(host::twice(item{key::CPU, 4}) == 108);  // by its layer, which it includes for the process
  CHECK(host::twice(item{{key::PrivateUse3}, 4}) == 2104);
  CHECK(to_string(key::SparsePrivateUse3) == "SparseNpu");
  CHECK(host::area(item{{key::CPU, key::UserTop1}, 3}) == 9);
  CHECK(symbol<int (*)(int)>(p.path().data(), "call_area")(5) == 25);
  CHECK(symbol<int (*)()>(p.path().data(), "events_heard")() >= 2);
  CHECK_THROWS_AS(host::never(item{key::CPU, 4}), tb::no_kernel);
  p.withdraw();
  CHECK(p.path().empty());
  CHECK(trace() == before);
  CHECK_THROWS_AS(symbol<int (*)(int)>(file("good.so"), "call_area")(5), tb::no_kernel);
}

TEST_CASE("plugin: a removed plugin can be loaded again, with the registrations its own objects hold", "[plugin][D2]") {
  const std::string before = trace();
  for (int round = 0; round < 3; ++round) {
    tb::plugin p = tb::load_plugin(file("good.so"));
    CHECK(host::area(item{key::CPU, 4}) == 16);
    CHECK(host::twice(item{key::CPU, 4}) == 108);
  }
  CHECK(trace() == before);
  const tb::plugin p = tb::load_plugin(file("good.so"));
  symbol<void (*)()>(file("good.so"), "drop_layer")();
  CHECK(host::twice(item{key::CPU, 4}) == 8);
  CHECK(host::area(item{key::CPU, 4}) == 16);
}

TEST_CASE("plugin: its operators are observed while they come and go", "[plugin][PR2]") {
  std::vector<std::string> seen;
  struct {
    std::vector<std::string>& seen;
    void end(const tb::observe::event& e) {
      seen.push_back(std::string(e.name()) + " at " + to_string(e.kernel().key));
    }
  } names{seen};
  const tb::observe::observer watching(names);
  const tb::trace_session traced = tb::trace_session::this_thread();
  for (int round = 0; round < 2; ++round) {
    const tb::plugin p = tb::load_plugin(file("good.so"));
    CHECK(host::area(item{key::CPU, 4}) == 16);
  }
  CHECK(host::twice(item{key::CPU, 4}) == 8);
  const std::vector<std::string> wanted{"plug::area at CPU", "plug::area at CPU", "host::twice at CPU"};
  CHECK(seen == wanted);
  CHECK(traced.events().size() == wanted.size());  // with the places of kernels that are gone
}

TEST_CASE("plugin: loaded twice, it stays until it is removed twice", "[plugin]") {
  const std::string before = trace();
  tb::plugin first = tb::load_plugin(file("loads_more.so"));
  tb::plugin second = tb::load_plugin((folder / "." / "loads_more.so").string());
  CHECK(host::area(item{key::CPU, 4}) == 28);
  first.withdraw();
  CHECK(host::area(item{key::CPU, 4}) == 28);
  second = tb::plugin();
  CHECK(trace() == before);
}

TEST_CASE("plugin: one refused registration refuses all of it", "[plugin][R28]") {
  const std::string source = "tests/plugin/conflicting.cpp:";
  const std::string path = file("conflicting.so");
  const std::string text = text_of<tb::bad_plugin>([&] { (void)tb::load_plugin(path); });
  CHECK(text.starts_with("plugin '" + path + "': host::twice: defined at "));
  CHECK(text.find("'double (const host::item&)', defined at ") != std::string::npos);
  refused(path, text.substr(path.size() + 11));
}

TEST_CASE("plugin: an error before the registry refuses all of it too", "[plugin][R5]") {
  const std::string path = file("misnamed.so");
  const std::string text = text_of<tb::bad_plugin>([&] { (void)tb::load_plugin(path); });
  CHECK(text.find("host::twice at ") != std::string::npos);
  CHECK(text.find("belongs to the namespace 'host', the block to 'plug'; and 1 more") != std::string::npos);
  refused(path, text.substr(path.size() + 11));
}

TEST_CASE("plugin: an exception of topbit_load() is caught, and earlier registrations are removed", "[plugin]") {
  refused(file("throwing.so"), "topbit_load() threw: no device found");
}

TEST_CASE("plugin: a resolved conflict is no reason to refuse it", "[plugin]") {
  const std::string before = trace();
  {
    const auto owner = tb::library("plug");
    CHECK_THROWS_AS(tb::load_plugin(file("loads_more.so")), tb::bad_plugin);
  }
  CHECK(trace() == before);
  const tb::plugin p = tb::load_plugin(file("loads_more.so"));
  CHECK(host::area(item{key::CPU, 4}) == 28);
}

TEST_CASE("plugin: a core of its own is refused before any of its code runs", "[plugin]") {
  needs_a_static_core();
  refused(file("own_core.so"),
          "carries a topbit core of its own (" + std::string(tb::version) +
              "), which this process would not see; link it to the shared core, or leave the core's symbols to a host "
              "that exports them");
}

TEST_CASE("plugin: a core among its dependencies is refused", "[plugin]") {
  needs_a_static_core();
#if __has_feature(address_sanitizer)
  SKIP("the sanitizer ends a program with two cores when the second is mapped");
#endif
  const std::string path = file("second_core_below.so"), before = trace();
  const std::string text = text_of<tb::bad_plugin>([&] { (void)tb::load_plugin(path); });
  CHECK(text.find("depends on a topbit core of its own, '") != std::string::npos);
  CHECK(trace() == before);
}

TEST_CASE("plugin: another version of topbit is refused before any of its code runs", "[plugin]") {
  refused(file("other_version.so"),
          "was built with topbit 0.0.9, this process has " + std::string(tb::version) + "; build it again");
  CHECK(std::getenv("TOPBIT_TEST_OTHER_VERSION") == nullptr);
}

TEST_CASE("plugin: files that cannot be loaded are refused with a reason", "[plugin]") {
  refused(file("nothing_here.so"), "found no such file");
  refused(folder.string(), "found something other than a file, wanted a shared library");
  const std::string text_file = file("text.so");
  std::ofstream(text_file) << "this is text\n";
  refused(text_file, "found a file that is not a shared library for this platform, wanted one that is");
  std::ofstream(file("empty.so")).close();
  refused(file("empty.so"), "found a file that is not a shared library for this platform, wanted one that is");
  const std::string text = text_of<tb::bad_plugin>([&] { (void)tb::load_plugin(file("unresolved.so")); });
  CHECK(text.find("cannot be loaded: ") != std::string::npos);
  CHECK(text.find("nobody_has_this") != std::string::npos);
}

TEST_CASE("plugin: a truncated file is refused before it is mapped", "[plugin]") {
  const std::string path = file("cut_off.so"), whole = file("silent.so");
  const auto size = std::filesystem::file_size(whole);
  bool refused_one = false;
  for (std::uintmax_t left = 64; left < size; left += left < 1024 ? 64 : std::max<std::uintmax_t>(4096, size / 64)) {
    std::filesystem::remove(path);
    std::filesystem::copy_file(whole, path);
    std::filesystem::resize_file(path, left);
    const std::string text = text_of<tb::bad_plugin>([&] { (void)tb::load_plugin(path); });
    INFO(left << ": " << text);
    if (text == "nothing was thrown") break;  // all that is mapped is there
    CHECK(text.find("is truncated: it has " + std::to_string(left) + " bytes, ") != std::string::npos);
    refused_one = true;
  }
  CHECK(refused_one);
}

TEST_CASE("plugin: a shared object that is already loaded by other means is refused", "[plugin]") {
  const std::string path = file("silent.so");
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(handle != nullptr);
  refused(path, "is loaded already, but not by load_plugin(): what it registers has been registered since then");
  dlclose(handle);
  const tb::plugin p = tb::load_plugin(path);
  CHECK(p.path() == path);
}

TEST_CASE("plugin: a rebuilt file is another plugin", "[plugin]") {
  const std::string path = file("rebuilt.so");
  std::filesystem::remove(path);
  std::filesystem::copy_file(file("loads_more.so"), path);
  {
    const tb::plugin p = tb::load_plugin(path);
    CHECK(host::area(item{key::CPU, 4}) == 28);
  }
  std::filesystem::remove(path);
  std::filesystem::copy_file(file("area_nine.so"), path);
  const tb::plugin p = tb::load_plugin(path);
  CHECK(host::area(item{key::CPU, 4}) == 36);
}

TEST_CASE("plugin: a refused plugin is never seen by callers, and concurrent loads are one load",
          "[plugin][threads][H1]") {
  std::atomic<bool> stop = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    while (!stop) {
      try {
        (void)host::area(item{key::CPU, 4});
        ++wrong;
      } catch (const tb::no_kernel&) {
      }
    }
  });
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        try {
          (void)tb::load_plugin(file("conflicting.so"));
          ++wrong;
        } catch (const tb::bad_plugin&) {
        }
      }
    });
  }
  threads[1].join();
  threads[2].join();
  stop = true;
  threads[0].join();
  CHECK(wrong == 0);
}
