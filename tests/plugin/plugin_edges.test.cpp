// What a plugin may do while it is loaded or withdrawn, and what others may do meanwhile.
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "plugin_test.h"

using namespace plugin_test;

namespace {

struct environment {
  const char* name;
  environment(const char* n, const std::string& value) : name(n) { setenv(n, value.c_str(), 1); }
  ~environment() { unsetenv(name); }
};

}  // namespace

TEST_CASE("plugin: its listeners are notified once, and again after a reload", "[plugin][R25]") {
  int heard = 0;
  const auto count = [&] { return symbol<int (*)()>(file("good.so"), "events_heard")(); };
  {
    const tb::plugin p = tb::load_plugin(file("good.so"));
    heard = count();
  }
  const int silent = count();
  CHECK(silent == heard);
  const auto host_operators = static_cast<int>(tb::registry::process().operators().size());
  const tb::plugin p = tb::load_plugin(file("good.so"));
  CHECK(count() == silent + host_operators + 1);  // those of the host, and its own
}

TEST_CASE("plugin: listeners of a refused plugin are not notified", "[plugin][R25]") {
  CHECK_THROWS_AS(tb::load_plugin(file("refused_listener.so")), tb::bad_plugin);
  const auto flip = tb::fragment("plug").def(host::never);
  CHECK(std::getenv("TOPBIT_TEST_REFUSED_LISTENER") == nullptr);
}

TEST_CASE("plugin: registrations it removed itself do not return with a reload", "[plugin][D1]") {
  tb::plugin p = tb::load_plugin(file("drops.so"));
  CHECK(host::twice(item{key::CPU, 4}) == 108);
  const auto drop_layer = symbol<void (*)()>(file("drops.so"), "drop_layer");
  drop_layer();
  CHECK(host::twice(item{key::CPU, 4}) == 8);
  p.withdraw();
  p = tb::load_plugin(file("drops.so"));
  CHECK(host::twice(item{key::CPU, 4}) == 8);
  CHECK(host::area(item{key::CPU, 4}) == 16);
}

TEST_CASE("plugin: registrations it removes while it is loaded, from a listener too, are not committed",
          "[plugin][D1]") {
  const std::string before = trace();
  const tb::plugin p = tb::load_plugin(file("takes_back.so"));
  CHECK(trace() == before);
}

TEST_CASE("plugin: a failed topbit_load() is called again by the next load", "[plugin]") {
  refused(file("local_block.so"), "topbit_load() threw: no device found");
  const environment there("TOPBIT_TEST_DEVICE", "yes");
  const tb::plugin p = tb::load_plugin(file("local_block.so"));
  CHECK(host::area(item{key::CPU, 4}) == 12);
}

TEST_CASE("plugin: one that loads another from topbit_load() shares it with the host", "[plugin]") {
  const std::string before = trace();
  const environment inner("TOPBIT_TEST_INNER", file("loads_more.so"));
  tb::plugin p = tb::load_plugin(file("loads_another.so"));
  CHECK(host::area(item{key::CPU, 4}) == 28);
  tb::plugin same = tb::load_plugin(file("loads_more.so"));
  symbol<void (*)()>(file("loads_another.so"), "drop_inner")();
  CHECK(host::area(item{key::CPU, 4}) == 28);
  same.withdraw();
  CHECK(trace() == before);
}

TEST_CASE("plugin: one that loads itself is refused", "[plugin]") {
  const environment inner("TOPBIT_TEST_INNER", file("loads_itself.so"));
  refused(file("loads_itself.so"), "topbit_load() threw: plugin '" + file("loads_itself.so") +
                                       "': is being loaded already: it loads itself, or a plugin that loads it");
}

TEST_CASE("plugin: loading from an initialiser is refused, since the dynamic loader is active", "[plugin][H8]") {
  const environment inner("TOPBIT_TEST_INNER", file("loads_more.so"));
  refused(file("loads_early.so"), "plugin '" + file("loads_more.so") +
                                      "': load_plugin() was called by an initialiser; call it from topbit_load()");
}

TEST_CASE("plugin: a library it depends on may not register with it", "[plugin]") {
  const std::string path = file("brings_library.so"), before = trace();
  const std::string text = text_of<tb::bad_plugin>([&] { (void)tb::load_plugin(path); });
  CHECK(text.find("libplugin_registering_library.so', which it depends on, registers too; load that one first, so that "
                  "it does not come and go with this plugin") != std::string::npos);
  CHECK(trace() == before);
}

TEST_CASE("plugin: a path without a folder is relative to the current folder, not the library path", "[plugin]") {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  {
    const tb::plugin p = tb::load_plugin("loads_more.so");
    CHECK(host::area(item{key::CPU, 4}) == 28);
    CHECK(p.path() == file("loads_more.so"));
  }
  std::filesystem::current_path(before);
}

TEST_CASE("plugin: a listener may remove a plugin and load one", "[plugin][R25][H7]") {
  tb::plugin victim = tb::load_plugin(file("silent.so")), loaded;
  const auto listener = tb::registry::process().listen([&](const tb::registry_event& e) {
    if (e.op.name() != "plug::area") return;
    if (e.what == tb::registry_event::kind::withdrawn) victim.withdraw();
    if (e.what == tb::registry_event::kind::defined) loaded = tb::load_plugin(file("silent.so"));
  });
  tb::load_plugin(file("loads_more.so")).withdraw();
  CHECK(victim.path().empty());
  CHECK(loaded.path() == file("silent.so"));
}

TEST_CASE("plugin: calls of the host find their kernel while a plugin with layers is loaded and removed",
          "[plugin][threads][H3]") {
  std::atomic<bool> stop = false;
  std::atomic<long> calls = 0, failed = 0;
  std::vector<std::thread> callers;
  for (int t = 0; t < 2; ++t) {
    callers.emplace_back([&] {
      while (!stop) {
        try {
          const int n = host::twice(item{key::CPU, 4});
          failed += n != 8 && n != 108;
        } catch (const tb::error&) {
          ++failed;
        }
        ++calls;
      }
    });
  }
  for (int round = 0; round < 300; ++round) tb::load_plugin(file("good.so")).withdraw();
  stop = true;
  for (std::thread& t : callers) t.join();
  CHECK(calls > 0);
  CHECK(failed == 0);
}

TEST_CASE("plugin: many threads may load, reload and remove the same and other plugins", "[plugin][threads]") {
  const std::string before = trace();
  std::atomic<int> wrong = 0;
  const auto work = [&](const char* name) {
    for (int round = 0; round < 50; ++round) {
      const tb::plugin p = tb::load_plugin(file(name));
      wrong += p.path() != file(name);
    }
  };
  std::vector<std::thread> threads;
  for (const char* name : {"loads_more.so", "loads_more.so", "silent.so"}) threads.emplace_back(work, name);
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
  CHECK(trace() == before);
}

TEST_CASE("plugin: topbit_load() of a library it depends on is not its own", "[plugin]") {
  const tb::plugin below = tb::load_plugin(file("loads_more.so"));
  const tb::plugin above = tb::load_plugin(file("above.so"));  // would define plug::area a second time
  CHECK(host::area(item{key::CPU, 4}) == 28);
  CHECK(tb::dump(tb::find("plug::area")).definitions.size() == 1);
}

TEST_CASE("plugin: a path that names nothing is refused like any other", "[plugin]") {
  CHECK(text_of<tb::bad_plugin>([] { (void)tb::load_plugin(""); }) == "plugin '': found no such file");
}
