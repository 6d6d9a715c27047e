// Several images in one process: what they have in common is merged, what differs is refused, and each takes back its
// own.
#include <dlfcn.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "host_ops.h"
#include "support/raises.h"

namespace tb = topbit;
namespace key = topbit::key;
using host::item;
using toy::text_of;

namespace images_test {

int three(const item&) { return 3; }
const auto kernels = tb::library("images").def<&three>("three");
const auto shared = tb::fragment("host").def(host::shared).impl<&three>(host::shared, key::CPU);

std::string file(const char* name) { return (std::filesystem::path(PLUGIN_FOLDER) / name).string(); }
const item on_cuda{key::CUDA, 0};

int events_heard(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  REQUIRE(handle != nullptr);
  const auto found = reinterpret_cast<int (*)()>(dlsym(handle, "events_heard"));
  dlclose(handle);
  REQUIRE(found != nullptr);
  return found();
}

std::size_t rows_for_cuda() {
  std::size_t count = 0;
  for (const tb::inspect::kernel_record& k : host::shared.handle().kernels())
    count += k.target == tb::key_target(key::CUDA);
  return count;
}

}  // namespace images_test
using namespace images_test;

TEST_CASE("shared objects: the same line of the same source in a second shared object is not an override",
          "[plugin][R12]") {
  tb::plugin one = tb::load_plugin(file("twin_one.so"));
  CHECK(host::shared(on_cuda) == 1);
  tb::plugin two = tb::load_plugin(file("twin_two.so"));
  CHECK(host::shared(on_cuda) == 1);
  CHECK(rows_for_cuda() == 2);
  CHECK(tb::find("host::by_name").typed<int(const item&)>()(on_cuda) == 10);
  SECTION("the first goes: its twin serves") {
    one.withdraw();
    CHECK(rows_for_cuda() == 1);
    CHECK(host::shared(on_cuda) == 2);
    CHECK(tb::find("host::by_name").typed<int(const item&)>()(on_cuda) == 20);
    two.withdraw();
  }
  SECTION("the second goes: nothing is different") {
    two.withdraw();
    CHECK(host::shared(on_cuda) == 1);
    one.withdraw();
  }
  CHECK(rows_for_cuda() == 0);
  CHECK_THROWS_AS(host::shared(on_cuda), tb::no_kernel);
  CHECK_FALSE(tb::registry::process().try_find("host::by_name").has_value());
}

TEST_CASE("shared objects: a kernel from another line overrides both twins, and its removal reactivates the first",
          "[plugin][R12][D2]") {
  const tb::plugin two = tb::load_plugin(file("twin_two.so"));
  CHECK(host::shared(on_cuda) == 2);
  {
    const auto newer = tb::implement("host", key::CUDA).impl<&three>(host::shared);
    CHECK(host::shared(on_cuda) == 3);
    const tb::plugin one = tb::load_plugin(file("twin_one.so"));
    CHECK(host::shared(on_cuda) == 3);
    CHECK(rows_for_cuda() == 3);
  }
  CHECK(host::shared(on_cuda) == 2);
}

TEST_CASE("shared objects: identical definitions from two libraries merge, until both are removed",
          "[plugin][R6][D4]") {
  tb::plugin first = tb::load_plugin(file("same_definition.so"));
  tb::plugin second = tb::load_plugin(file("same_definition_again.so"));
  CHECK(tb::find("both::scaled").schema() == "both::scaled(int n, int by=2) -> int");
  first.withdraw();
  CHECK(tb::find("both::scaled").is_defined());
  second.withdraw();
  CHECK_FALSE(tb::registry::process().try_find("both::scaled").has_value());
}

TEST_CASE("shared objects: different definitions from two libraries are refused with both texts and the difference",
          "[plugin][R6][H8]") {
  const char* const orders[][2] = {{"same_definition.so", "other_definition.so"},
                                   {"other_definition.so", "same_definition.so"}};
  const std::string texts[] = {"'both::scaled(int n, int by=2) -> int'", "'both::scaled(int n, int by=3) -> int'"};
  const std::string differences[] = {"; argument 2 'by': default is '2' and '3'",
                                     "; argument 2 'by': default is '3' and '2'"};
  for (int i = 0; i < 2; ++i) {
    const tb::plugin first = tb::load_plugin(file(orders[i][0]));
    const std::string text = text_of<tb::bad_plugin>([&] { (void)tb::load_plugin(file(orders[i][1])); });
    INFO(text);
    CHECK(text.starts_with("plugin '" + file(orders[i][1]) + "': both::scaled: defined at "));
    CHECK(text.find(" as " + texts[i] + ", and differently at ") != std::string::npos);
    CHECK(text.ends_with(" as " + texts[1 - i] + differences[i]));
    CHECK(tb::find("both::scaled").schema() == texts[i].substr(1, texts[i].size() - 2));
  }
}

TEST_CASE("shared objects: the listener of a plugin that is loaded again is notified again", "[plugin][R25][D1]") {
  const std::string path = file("listens.so");
  tb::plugin p = tb::load_plugin(path);
  const int told = events_heard(path);
  CHECK(told > 0);
  p.withdraw();
  {
    const auto more = tb::library("heard").def<&three>("a");
  }
  CHECK(events_heard(path) == told);
  p = tb::load_plugin(path);
  const int again = events_heard(path);
  CHECK(again > told);
  {
    const auto more = tb::library("heard").def<&three>("a");
  }
  CHECK(events_heard(path) == again + 2);
}

TEST_CASE("shared objects: the listener of a plugin that was refused is not notified", "[plugin][R25][R28]") {
  const std::string path = file("listens_and_conflicts.so");
  const auto other = tb::fragment("host").def(host::twice);
  CHECK_THROWS_AS(tb::load_plugin(path), tb::bad_plugin);
  {
    const auto more = tb::library("heard").def<&three>("a");
  }
  CHECK(events_heard(path) == 0);
}

TEST_CASE(
    "shared objects: in strict mode a plugin that overrides a kernel is refused with both source locations, and "
    "nothing of it stays",
    "[plugin][R12]") {
  const auto first = tb::implement("host", key::CUDA).impl<&three>(host::shared);
  const std::string path = file("twin_one.so");
  const tb::override_policy before = tb::set_override_policy(tb::override_policy::refused_in_plugins);
  const std::string text = text_of<tb::bad_plugin>([&] { (void)tb::load_plugin(path); });
  tb::set_override_policy(before);
  INFO(text);
  CHECK(text.starts_with("plugin '" + path + "': host::shared: the kernel for CUDA at "));
  CHECK(text.find("twin.cpp:") < text.find(" overrides the one registered at "));
  CHECK(text.find("images.test.cpp:") > text.find(" overrides the one registered at "));
  CHECK(text.ends_with("; use replace() to say that it is meant"));
  CHECK(rows_for_cuda() == 1);
  CHECK_FALSE(tb::registry::process().try_find("host::by_name").has_value());
  // It is loaded all the same by who allows it.
  const tb::plugin allowed = tb::load_plugin(path);
  CHECK(host::shared(on_cuda) == 1);
}
