// What viewers read, held against the published Trace Event Format field by field.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <source_location>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/toy.h"
#include "support/trace_format.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using nlohmann::json;
using tb::key_set;
using toy::image;

namespace {

inline constexpr tb::op<"trace_json::layered", int(const image&)> layered;
inline constexpr tb::op<"trace_json::fails", void(const image&)> fails;

int width(const image& i) { return i.width; }
int layer(key_set keys, const image& i) { return layered.redispatch(keys & tb::below(key::Autograd), i); }
void failing(const image&) { throw std::runtime_error("no"); }

// One line each.
constexpr auto A = std::source_location::current();
constexpr auto B = std::source_location::current();
const auto kernels = tb::library("trace_json")
                         .def(layered)
                         .impl<&width>(layered, key::CPU, A)
                         .impl<&layer>(layered, key::Autograd, B)
                         .def(fails)
                         .impl<&failing>(fails, key::CPU, A);
const image with_autograd{{key::CPU, key::AutogradCPU}, 7, 0};

std::string at(const std::source_location& where) {
  return std::string(where.file_name()) + ":" + std::to_string(where.line());
}

}  // namespace

TEST_CASE("trace json: an event says all that the trace knows of it", "[core][trace][json][I6]") {
  tb::trace_session t = tb::trace_session::this_thread();
  CHECK(layered(with_autograd) == 7);
  CHECK_THROWS_AS(fails(image{key::CUDA, 0, 0}), tb::no_kernel);
  t.stop();
  const auto events = t.events();
  REQUIRE(events.size() == 3);
  const json all = json::parse(to_json(events));
  CHECK(trace_format::faults(all).empty());
  CHECK(all["displayTimeUnit"] == "ns");
  const json& list = all["traceEvents"];
  REQUIRE(list.size() == 4);
  CHECK(list[0]["ph"] == "M");
  CHECK(list[0]["name"] == "thread_name");
  CHECK(list[0]["args"]["name"] == "thread " + std::to_string(events[0].thread));
  const json args[]{{{"keys", {"CPU", "AutogradCPU"}},
                     {"key", "AutogradCPU"},
                     {"reason", "autograd kernel"},
                     {"threw", false},
                     {"registered_for", "Autograd"},
                     {"place", at(B)}},
                    {{"keys", {"CPU"}},
                     {"key", "CPU"},
                     {"reason", "kernel"},
                     {"threw", false},
                     {"registered_for", "CPU"},
                     {"place", at(A)}},
                    {{"keys", {"CUDA"}}, {"key", "CUDA"}, {"reason", "missing"}, {"threw", true}}};
  for (std::size_t i = 0; i < events.size(); ++i) {
    const json& e = list[i + 1];
    CHECK(e["ph"] == "X");
    CHECK(e["name"] == events[i].op);
    CHECK(e["cat"] == (events[i].redispatch ? "redispatch" : "call"));
    CHECK(std::llround(e["ts"].get<double>() * 1000) == events[i].start_ns);
    CHECK(std::llround(e["dur"].get<double>() * 1000) == events[i].duration_ns);
    CHECK(e["tid"] == events[i].thread);
    CHECK(e["args"] == args[i]);
  }
}

TEST_CASE("trace json: threads have names, and no events is a file too", "[core][trace][json][I6]") {
  CHECK(trace_format::faults(json::parse(tb::inspect::to_json(std::vector<tb::inspect::trace_event>{}))).empty());
  tb::trace_session t = tb::trace_session::process();
  for (int i = 0; i < 2; ++i) std::thread([] { CHECK(layered(with_autograd) == 7); }).join();
  t.stop();
  const json all = json::parse(to_json(t.events()));
  CHECK(trace_format::faults(all).empty());
  std::size_t names = 0;
  for (const json& e : all["traceEvents"]) names += e["ph"] == "M";
  CHECK(names == 2);
}

TEST_CASE("trace json: what the format does not allow is found", "[core][trace][json]") {
  const json good{{"ph", "X"}, {"name", "a"}, {"cat", "call"}, {"ts", 1},
                  {"dur", 1},  {"pid", 1},    {"tid", 1},      {"args", json::object()}};
  CHECK(trace_format::faults(json::array({good})).empty());
  for (const char* field : {"ph", "name", "cat", "ts", "dur", "pid", "tid"}) {
    json bad = good;
    bad.erase(field);
    CHECK_FALSE(trace_format::faults(json::array({bad})).empty());
    bad[field] = nullptr;
    CHECK_FALSE(trace_format::faults(json::array({bad})).empty());
  }
  json overlapping = good;
  overlapping["ts"] = 1.5;
  CHECK_FALSE(trace_format::faults(json::array({good, overlapping})).empty());
  CHECK_FALSE(trace_format::faults(json::object()).empty());
}
