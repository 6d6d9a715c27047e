#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "profiler/rows.h"
#include "support/raises.h"
#include "training/folder.h"
import topbit;
import topbit.profiler;

namespace tb = topbit;
namespace profile = topbit::profile;
using nlohmann::json;
using support::row_of;
using tb::observe::kind;

namespace {

const tb::tensor x = tb::ones({4, 8});

std::string text_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

profile::options recording() {
  return {.threads = tb::observe::threads::mine, .inputs = true, .memory = true, .backward = true};
}

void train_a_step() {
  const tb::observe::profile_range range("step \"one\"");
  const tb::tensor w = tb::require_grad(tb::ones({16, 8}));
  tb::backward(tb::sum(tb::relu(tb::linear(x, w))));
}

// The rows that a file can have: without inputs, memory and own cost, those that were called, by name.
std::vector<profile::row> plain_rows(const profile::table& t) {
  std::vector<profile::row> rows = t.grouped(profile::grouping::names, profile::column::name).rows;
  for (profile::row& r : rows) {
    r.allocated = 0;
    r.own_ns = 0;
  }
  std::erase_if(rows, [](const profile::row& r) { return r.total_ns == 0 && r.calls == 0; });
  std::ranges::sort(rows,
                    [](const auto& a, const auto& b) { return std::pair(a.name, a.kind) < std::pair(b.name, b.kind); });
  return rows;
}

}  // namespace

TEST_CASE("trace file: its table is the profile's, compressed or not", "[profiler][PR11][PR12]") {
  const training::folder folder("profile");
  profile::session p(recording());
  for (int i = 0; i < 20; ++i) train_a_step();
  p.stop();
  for (const char* name : {"trace.json", "trace.json.gz"}) {
    INFO(name);
    p.write_trace(folder / name);
    const profile::table read = profile::read_trace(folder / name);
    CHECK(read.events == p.table().events);
    CHECK(plain_rows(read) == plain_rows(p.table()));
  }
  CHECK(std::filesystem::file_size(folder / "trace.json.gz") * 5 < std::filesystem::file_size(folder / "trace.json"));
}

TEST_CASE("trace file: slices of a thread nest, arrows lead from calls to nodes, counters follow memory",
          "[profiler][PR9][PR11][PR19]") {
  const training::folder folder("slices");
  profile::session p(recording());
  train_a_step();
  p.stop();
  p.write_trace(folder / "t.json");
  const json all = json::parse(text_of_file(folder / "t.json"));
  CHECK(all["schemaVersion"] == 1);
  std::vector<double> ends;
  double last = 0;
  std::size_t slices = 0, begins = 0, arrows = 0, counters = 0;
  bool nested = true, has_inputs = false;
  std::vector<std::pair<double, std::string>> starts;
  std::vector<json> in_order;
  for (const json& e : all["traceEvents"]) {
    const std::string ph = e["ph"];
    if (ph == "X") in_order.push_back(e);
    begins += ph == "s";
    arrows += ph == "f";
    counters += ph == "C";
    has_inputs = has_inputs || (ph == "X" && e["name"] == "aten::linear" && e["cat"] == "cpu_op" &&
                                e["args"]["inputs"] == "float32[4, 8], float32[16, 8]");
  }
  std::ranges::stable_sort(in_order, [](const json& a, const json& b) {
    return a["ts"] != b["ts"] ? a["ts"] < b["ts"] : a["dur"] > b["dur"];
  });
  for (const json& e : in_order) {
    const double start = e["ts"], end = start + e["dur"].get<double>();
    while (!ends.empty() && ends.back() <= start + 1e-4) ends.pop_back();
    nested = nested && (ends.empty() || end <= ends.back() + 1e-4) && start >= last;
    ends.push_back(end);
    last = start;
    ++slices;
  }
  CHECK(nested);
  CHECK(slices == p.table().events);
  CHECK(begins == arrows);
  CHECK(arrows == 3);  // sum, relu, linear
  CHECK(counters > 0);
  CHECK(has_inputs);
}

TEST_CASE("trace file: a call, what passes it on, and its node have one External id", "[profiler][PR9]") {
  const training::folder folder("ids");
  profile::session p(recording());
  train_a_step();
  p.stop();
  p.write_trace(folder / "t.json");
  std::map<std::string, std::set<std::uint64_t>> ids;  // of each name
  std::map<std::uint64_t, std::set<std::string>> names;
  std::map<std::uint64_t, std::multiset<std::string>> kinds;
  const json all = json::parse(text_of_file(folder / "t.json"));
  for (const json& e : all["traceEvents"]) {
    if (e["ph"] != "X") continue;
    const std::uint64_t id = e["args"]["External id"];
    names[id].insert(e["name"]);
    kinds[id].insert(e["cat"]);
    ids[e["name"]].insert(id);
  }
  for (const auto& [id, named] : names) CHECK(named.size() == 1);
  for (const char* name : {"aten::linear", "aten::relu"}) {
    INFO(name);
    REQUIRE(ids[name].size() == 1);
    const std::uint64_t id = *ids[name].begin();
    CHECK(kinds[id].count("cpu_op") + kinds[id].count("redispatch") == 2);  // it is passed on once
    CHECK(kinds[id].count("backward") == 1);
  }
  CHECK(ids["step \"one\""].size() == 1);
}

TEST_CASE("trace file: beyond the limit it has the newest events", "[profiler][PR12]") {
  const training::folder folder("newest");
  profile::session p({.threads = tb::observe::threads::mine, .limit = 3});
  for (const char* name : {"a", "b", "c", "d", "e"}) const tb::observe::profile_range range(name);
  p.stop();
  p.write_trace(folder / "t.json");
  std::vector<std::string> names;
  for (const profile::row& r : profile::read_trace(folder / "t.json").rows) names.push_back(r.name);
  CHECK(names == std::vector<std::string>{"c", "d", "e"});
}

TEST_CASE("trace file: a path that cannot be written is an error, and nothing is left", "[profiler]") {
  const training::folder folder("errors");
  const profile::session p(recording());
  CHECK(toy::text_of<tb::error>([&] { p.write_trace(folder / "no/trace.json"); }) ==
        "cannot write '" + (folder / "no/trace.json") + "': No such file or directory");
  CHECK(toy::text_of<tb::error>([&] { p.write_trace(folder / "no/trace.json.gz"); }) ==
        "cannot write '" + (folder / "no/trace.json.gz") + "': No such file or directory");
}

TEST_CASE("trace file: a full disk is an error, and nothing is left", "[profiler]") {
  const training::folder folder("full");
  profile::session p({.threads = tb::observe::threads::mine});
  for (int i = 0; i < 20'000; ++i) (void)(x + x);
  p.stop();
  for (const std::string name : {"t.json", "t.json.gz"}) {
    const pid_t child = fork();
    if (child == 0) {
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit small{20'000, 20'000};
      setrlimit(RLIMIT_FSIZE, &small);
      const std::string text = toy::text_of<tb::error>([&] { p.write_trace(folder / name); });
      _exit(text.starts_with("cannot write '") && text.ends_with("; nothing of it was kept") ? 0 : 1);
    }
    int status = -1;
    while (waitpid(child, &status, 0) < 0) {
    }
    CHECK(status == 0);
  }
  CHECK(folder.names().empty());
}

TEST_CASE("trace file: broken and foreign files are errors, other events are passed over", "[profiler]") {
  const training::folder folder("broken");
  const auto write = [&](const std::string& text) { std::ofstream(folder / "t.json") << text; };
  const auto error = [&] { return toy::text_of<tb::error>([&] { (void)profile::read_trace(folder / "t.json"); }); };
  const std::string wanted = ", wanted the Trace Event Format: a list of events, or an object with traceEvents";
  CHECK(error() == "cannot read '" + (folder / "t.json") + "': No such file or directory");
  write("{\"traceEvents\": [");
  CHECK(error() == "'" + (folder / "t.json") + "': found no JSON" + wanted);
  write("{\"rows\": []}");
  CHECK(error() == "'" + (folder / "t.json") + "': found JSON that is no trace" + wanted);
  write("7");
  CHECK(error() == "'" + (folder / "t.json") + "': found JSON that is no trace" + wanted);
  std::ofstream(folder / "t.json.gz") << std::string("\x1f\x8b\x08\0\0\0\0\0\0\3abc", 13);
  CHECK(toy::text_of<tb::error>([&] { (void)profile::read_trace(folder / "t.json.gz"); }) ==
        "cannot read '" + (folder / "t.json.gz") + "': its compressed data are broken or cut off");
  write(R"([7, {"ph": "X"}, {"ph": "X", "name": 7, "ts": 1, "dur": 1}, {"ph": 1}, {"ph": "i", "name": "x", "ts": 1},
           {"ph": "X", "name": "a", "ts": 1e300, "dur": 1},
           {"ph": "X", "name": "a", "cat": "cpu_op", "ts": 1, "dur": 2, "pid": 1, "tid": 1},
           {"ph": "X", "name": "b", "cat": "user_annotation", "ts": 0, "dur": 4.5, "pid": 1, "tid": 1}])");
  const profile::table t = profile::read_trace(folder / "t.json");
  CHECK(t.events == 2);
  CHECK(row_of(t, "b", kind::range).self_ns == 2500);
  CHECK(row_of(t, "a").total_ns == 2000);
}

TEST_CASE("trace file: a file that is there stays until the new one is whole", "[profiler]") {
  const training::folder folder("kept");
  std::ofstream(folder / "t.json") << "kept";
  std::filesystem::create_directory(folder / "t.json.part");
  const profile::session p({.threads = tb::observe::threads::mine});
  CHECK_THROWS_AS(p.write_trace(folder / "t.json"), tb::error);
  CHECK(text_of_file(folder / "t.json") == "kept");
  CHECK(toy::text_of<tb::error>([&] { p.write_trace(folder.path.string()); }) ==
        "cannot write '" + folder.path.string() + "': it is not a file");
}

TEST_CASE("trace file: hostile ones are read in bounded time, and threads are kept apart", "[profiler]") {
  const training::folder folder("hostile");
  const auto write = [&](const std::string& text) { std::ofstream(folder / "t.json") << text; };
  const auto slice = [](const std::string& name, const std::string& ids, long start, long duration) {
    return R"({"ph":"X","name":")" + name + R"(",)" + ids + R"(,"ts":)" + std::to_string(start) + R"(,"dur":)" +
           std::to_string(duration) + "}";
  };
  write("[" + slice("a", R"("pid":1,"tid":)" + std::string(100'000, '[') + std::string(100'000, ']'), 0, 1) + "]");
  CHECK(profile::read_trace(folder / "t.json").events == 1);
  write("[" + slice("a", R"("pid":1,"tid":11)", 0, 10) + "," + slice("b", R"("pid":11,"tid":1)", 2, 3) + "]");
  CHECK(row_of(profile::read_trace(folder / "t.json"), "a").self_ns == 10'000);
  write("[" + slice("a", R"("tid":1)", 0, 10) + "," + slice("b", R"("tid":1)", 5, 10) + "]");
  const profile::table overlapping = profile::read_trace(folder / "t.json");
  CHECK(overlapping.dropped == 1);
  CHECK(row_of(overlapping, "a").self_ns == 10'000);
  write(R"([{"ph":"X","name":"a","ts":9e15,"dur":9e15}])");
  CHECK(profile::read_trace(folder / "t.json").events == 0);
  std::string deep = "[";
  for (long i = 0; i < 20'000; ++i) deep += (i == 0 ? "" : ",") + slice("n", R"("tid":1)", i, 100'000 - 2 * i);
  write(deep + "]");
  CHECK(row_of(profile::read_trace(folder / "t.json"), "n").total_ns == 100'000'000);
}
