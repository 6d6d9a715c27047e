// Counted calls, and tables.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <thread>
#include <vector>

import topbit.core;

namespace author = topbit::author;

namespace {
constinit author::call_counts counted;
}

TEST_CASE("call_counts: the most calls come first, then names", "[core][call_counts]") {
  counted.reset();
  CHECK(counted.report().empty());
  CHECK(to_string(counted.report()) == "operator  calls\n");
  for (const char* op : {"aten::exp", "aten::cumsum", "aten::exp", "aten::abs"}) counted.add(op);
  const std::vector<author::call_count> report = counted.report();
  REQUIRE(report.size() == 3);
  CHECK(report[1].op == "aten::abs");
  CHECK(report[1].calls == 1);
  CHECK(to_string(report) ==
        "operator      calls\n"
        "aten::exp         2\n"
        "aten::abs         1\n"
        "aten::cumsum      1\n");
  counted.reset();
  CHECK(counted.report().empty());
}

TEST_CASE("call_counts: cells of a table are aligned by column", "[core][call_counts]") {
  const std::vector<std::vector<std::string>> lines{{"name", "of", "us"}, {"a", "what", "12345"}, {"longer", "-", "6"}};
  CHECK(author::table_text(lines, 2) ==
        "name    of       us\n"
        "a       what  12345\n"
        "longer  -         6\n");
  CHECK(author::table_text({}, 0).empty());
}

TEST_CASE("call_counts: threads count together, and a child of a fork goes on", "[core][threads][call_counts]") {
  counted.reset();
  std::atomic<bool> stop = false;
  std::atomic<unsigned> calls = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      while (!stop) {
        counted.add("aten::exp");
        ++calls;
      }
    });
  }
  int status = 0;
  for (int i = 0; status == 0 && i < 100; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);  // ends a child that hangs
      counted.add("aten::exp");
      _exit(counted.report().size() == 1 ? 0 : 1);
    }
    while (waitpid(child, &status, 0) < 0) {
    }
  }
  stop = true;
  for (std::thread& t : threads) t.join();
  CHECK(status == 0);
  REQUIRE(counted.report().size() == 1);
  CHECK(counted.report()[0].calls == calls);
}
