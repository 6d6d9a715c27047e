#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <csignal>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "beside.h"
#include "child.h"
#include "compare.h"
#include "report.h"
#include "speedup.h"

using namespace bench::operators;
using Catch::Matchers::ContainsSubstring;

namespace {

// A library whose operators give what they are told to, at once.
class fake final : public library {
 public:
  struct result_of {
    std::vector<double> values;
    double precision;
  };

  explicit fake(std::string name) : name_(std::move(name)) {}
  fake& add(const std::string& family, const std::string& name, std::vector<result_of> results) {
    operators_.push_back({family, name, std::move(results)});
    return *this;
  }

  const char* name() override { return name_.c_str(); }
  const char* version() override { return "1"; }
  const char* setting() override { return "none"; }
  void set_threads(int count) override { threads = count; }
  std::size_t count() override { return operators_.size(); }
  const char* family(std::size_t index) override { return operators_[index].family.c_str(); }
  const char* name(std::size_t index) override { return operators_[index].name.c_str(); }
  const char* prepare(std::size_t index, const std::int64_t* numbers, std::size_t count) override {
    prepared = operators_.at(index).name;
    shapes.emplace_back(numbers, numbers + count);
    now_ = &operators_[index];
    return prepared == "refused" ? "wants a matrix" : nullptr;
  }
  const char* run(std::int64_t times) override {
    calls += times;
    for (std::int64_t i = 0; i < 1000 * times; ++i) asm volatile("");
    return nullptr;
  }
  const char* compute() override { return nullptr; }
  std::size_t results() override { return now_->results.size(); }
  result_view result(std::size_t index) override {
    const result_of& r = now_->results[index];
    return {r.values.data(), static_cast<std::int64_t>(r.values.size()), r.precision};
  }
  void drop_results() override {}
  void drop() override {}
  std::int64_t elements() override { return 1024; }

  int threads = 0;
  std::int64_t calls = 0;
  std::string prepared;
  std::vector<shape> shapes;

 private:
  struct one_operator {
    std::string family, name;
    std::vector<result_of> results;
  };

  std::string name_;
  std::vector<one_operator> operators_;
  const one_operator* now_ = nullptr;
};

operation of(const std::string& family, const std::string& name, check how = check::all) {
  return {family, name, {&matrices, {"S"}}, how};
}

std::string differ(check how, std::vector<fake::result_of> a, std::vector<fake::result_of> b, double slack = 1) {
  fake first("first"), second("second");
  first.add("f", "o", std::move(a)).prepare(0, nullptr, 0);
  second.add("f", "o", std::move(b)).prepare(0, nullptr, 0);
  operation o = of("f", "o", how);
  o.slack = slack;
  return difference(first, second, o);
}

measured_cell timed(const std::string& family, const std::string& name, double topbit, double peer) {
  measured_cell cell{family, name, "S", {32, 32}, {}, {}, {}, 1024};
  cell.topbit.median = topbit * 1e-6;
  cell.peer.median = peer * 1e-6;
  return cell;
}

std::vector<std::string> names(const std::vector<operation>& all, const choice& wanted) {
  std::vector<std::string> found;
  for (const planned_cell& cell : plan(all, wanted)) found.push_back(full_name(all[cell.operation], cell.size));
  return found;
}

// Whether tags are closed in the order in which they were opened, and text has no bare markup.
bool well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < xml.size(); ++at) {
    if (xml[at] == '>') return false;
    if (xml[at] == '&' && xml.compare(at, 4, "&lt;") != 0 && xml.compare(at, 4, "&gt;") != 0 &&
        xml.compare(at, 5, "&amp;") != 0 && xml.compare(at, 6, "&quot;") != 0)
      return false;
    if (xml[at] != '<') continue;
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string::npos) return false;
    if (tag.front() == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
    at = end;
  }
  return open.empty();
}

}  // namespace

TEST_CASE("the label of a shape says its numbers") {
  CHECK(matrices.of("S") == shape{32, 32});
  CHECK(matrices.of("L") == shape{3200, 3200});
  CHECK(images.of("M 4x32x28x28") == shape{4, 32, 28, 28});
  CHECK(convolutions.of("1x3x224 7x7 s2 64") == shape{1, 3, 224, 7, 64, 2, 1, 3});
  CHECK(convolutions.of("1x128x56 3x3 dw") == shape{1, 128, 56, 3, 128, 1, 128, 1});
  CHECK(convolutions.of("1x64x56 3x3 64 g4") == shape{1, 64, 56, 3, 64, 1, 4, 16});
  CHECK(products.of("256") == shape{256, 256, 256});
  CHECK(products.of("32x64->10") == shape{32, 64, 10});
  CHECK(batches.of("1000 of 8") == shape{1000, 8, 8, 8});
  CHECK(attentions.of("1x12x1x64 kv 512") == shape{1, 12, 1, 64, 512});
  CHECK(attentions.of("1x8x1024x64 causal") == shape{1, 8, 1024, 64, 1024});
}

TEST_CASE("a plan has the cells that were asked for") {
  std::vector<operation> all{of("unary", "exp"), of("unary", "log"), of("reduce", "sum")};
  all[0].shapes.labels = {"S", "L"};
  all[2].shapes = {&images, {"S 2x8x8x8"}};
  CHECK(names(all, {}) ==
        std::vector<std::string>{"unary/exp/S", "unary/exp/L", "unary/log/S", "reduce/sum/S 2x8x8x8"});
  CHECK(names(all, {.families = {"reduce"}}) == std::vector<std::string>{"reduce/sum/S 2x8x8x8"});
  CHECK(names(all, {.sizes = {"S"}}).size() == 3);
  CHECK(names(all, {.filter = "exp/L$|sum"}) == std::vector<std::string>{"unary/exp/L", "reduce/sum/S 2x8x8x8"});
  CHECK_THROWS_WITH(plan(all, {.families = {"unray"}}), "found the family 'unray', wanted one of unary, reduce");
  CHECK_THROWS_WITH(plan(all, {.filter = "("}), "found the filter '(', wanted a regular expression");
  CHECK_THROWS_WITH(plan(all, {.filter = "tanh"}), "found no cell that matches, wanted one of --list");
  all.push_back(all[0]);
  CHECK_THROWS_WITH(plan(all, {}), "two cells have the name unary/exp/S");
}

TEST_CASE("a seed draws the same shapes again, another one others") {
  const std::vector<operation> all{of("unary", "exp"), of("reduce", "sum")};
  const auto drawn = [&](std::uint64_t seed) { return names(all, {.sizes = {"drawn"}, .drawn = 20, .seed = seed}); };
  CHECK(drawn(1).size() == 20);
  CHECK(drawn(1) == drawn(1));
  CHECK(drawn(1) != drawn(2));
  for (const shape_kind* kind :
       {&matrices, &images, &volumes, &sequences, &convolutions, &products, &batches, &attentions, &lookups}) {
    std::mt19937_64 random(7);
    for (int i = 0; i < 100; ++i) {
      double elements = 1;
      for (const std::int64_t n : kind->draw(random)) {
        CHECK(n > 0);
        elements *= static_cast<double>(n);
      }
      CHECK(elements >= 8);
    }
  }
}

TEST_CASE("results that differ are found") {
  CHECK(differ(check::all, {{{1, 2}, 1e-5}}, {{{1, 2.00001}, 1e-5}}).empty());
  CHECK_THAT(differ(check::all, {{{1, 2}, 1e-5}}, {{{1, 2.001}, 1e-5}}),
             ContainsSubstring("result 0, element 1 of 2: 2 beside 2.001"));
  CHECK(differ(check::all, {{{1, 2}, 1e-5}}, {{{1, 2.001}, 1e-5}}, 100).empty());
  CHECK_THAT(differ(check::all, {{{1, 2}, 0}}, {{{1, 3}, 0}}, 100), ContainsSubstring("element 1"));
  const double nan = std::nan(""), infinite = HUGE_VAL;
  CHECK(differ(check::all, {{{nan, infinite}, 1e-5}}, {{{nan, infinite}, 1e-5}}).empty());
  CHECK_THAT(differ(check::all, {{{nan, 1}, 1e-5}}, {{{1, 1}, 1e-5}}), ContainsSubstring("element 0"));
  CHECK_THAT(differ(check::all, {{{infinite, 1}, 1e-5}}, {{{1, 1}, 1e-5}}), ContainsSubstring("element 0"));
  CHECK_THAT(differ(check::all, {{{1}, 0}}, {{{1, 2}, 0}}), ContainsSubstring("1 elements beside 2"));
  CHECK_THAT(differ(check::all, {{{1}, 0}, {{2}, 0}}, {{{1}, 0}, {{3}, 0}}), ContainsSubstring("result 1, element 0"));
  CHECK_THAT(differ(check::all, {{{1}, 0}}, {{{1}, 0}, {{3}, 0}}), ContainsSubstring("1 results beside 2"));
  CHECK(differ(check::first, {{{1}, 0}, {{2}, 0}}, {{{1}, 0}, {{3}, 0}}).empty());
  CHECK(differ(check::sizes, {{{1}, 0}}, {{{7}, 0}}).empty());
  CHECK_THAT(differ(check::sizes, {{{1}, 0}}, {{{7, 7}, 0}}), ContainsSubstring("1 elements beside 2"));
  std::vector<double> even, odd, moved;
  for (int i = 0; i < 1000; ++i) {
    even.push_back(i % 10);
    odd.push_back((i + 5) % 10);
    moved.push_back(i % 10 + 2);
  }
  CHECK(differ(check::moments, {{even, 1e-5}}, {{odd, 1e-5}}).empty());
  CHECK_THAT(differ(check::moments, {{even, 1e-5}}, {{moved, 1e-5}}), ContainsSubstring("mean 4.5 beside 6.5"));
}

TEST_CASE("a sweep times what both libraries compute alike, and names what they do not") {
  const std::vector<operation> all{of("unary", "exp"), of("unary", "log"), of("unary", "refused"),
                                   of("unary", "absent")};
  fake topbit("topbit"), torch("PyTorch");
  topbit.add("unary", "exp", {{{1}, 0}})
      .add("unary", "log", {{{1}, 0}})
      .add("unary", "refused", {})
      .add("unary", "absent", {});
  // In another order: they are found by name.
  torch.add("unary", "refused", {}).add("unary", "log", {{{2}, 0}}).add("unary", "exp", {{{1}, 0}});
  std::vector<std::string> begun;
  const std::vector<measured_cell> found = sweep(all, plan(all, {}), topbit, &torch, {.rounds = 1, .seconds = 0.1},
                                                 [&](const std::string& name) { begun.push_back(name); });
  REQUIRE(found.size() == 4);
  CHECK(begun == std::vector<std::string>{"unary/exp/S", "unary/log/S", "unary/refused/S", "unary/absent/S"});
  CHECK(found[0].problem.empty());
  CHECK(found[0].ratio() > 0);
  CHECK(topbit.shapes.at(0) == shape{32, 32});
  CHECK_THAT(found[1].problem, ContainsSubstring("1 beside 2"));
  CHECK(found[1].ratio() == 0);
  CHECK_THAT(found[2].problem, ContainsSubstring("topbit: wants a matrix"));
  CHECK(found[3].problem == "PyTorch: has no such operator");
  CHECK(topbit.threads == 1);
  CHECK(topbit.calls > 0);
  CHECK(torch.calls > 0);
}

TEST_CASE("without PyTorch a sweep has topbit's times") {
  const std::vector<operation> all{of("unary", "exp")};
  fake topbit("topbit");
  topbit.add("unary", "exp", {{{1}, 0}});
  const std::vector<measured_cell> found =
      sweep(all, plan(all, {}), topbit, nullptr, {.rounds = 1, .seconds = 0.1}, [](const std::string&) {});
  CHECK(found.at(0).topbit.median > 0);
  CHECK(found.at(0).ratio() == 0);
  std::ostringstream text;
  print(text, {{{"pytorch", "none"}}, found, false});
  CHECK_THAT(text.str(), ContainsSubstring("pytorch: none") && ContainsSubstring("unary/exp/S"));
}

TEST_CASE("gains over an earlier run are given by family") {
  const std::vector<measured_cell> earlier{timed("unary", "exp", 8, 2), timed("unary", "log", 2, 4),
                                           timed("reduce", "sum", 3, 0), timed("reduce", "gone", 1, 1)};
  const std::vector<measured_cell> now{timed("unary", "exp", 2, 1), timed("unary", "log", 2, 2),
                                       timed("reduce", "sum", 2, 1), timed("sort", "new", 1, 1)};
  const std::vector<speedup> gains = speedups_of(now, to_json({{}, earlier, true}));
  REQUIRE(gains.size() == 3);
  CHECK(gains[0].family == "unary");
  CHECK(gains[0].cells == 2);
  CHECK(std::abs(gains[0].topbit - 2) < 1e-12);
  CHECK(std::abs(gains[0].torch - 2) < 1e-12);
  CHECK(std::abs(gains[0].least - 1) < 1e-12);
  CHECK(gains[0].cell == "unary/log/S");
  CHECK(std::abs(gains[1].topbit - 1.5) < 1e-12);
  CHECK(gains[1].torch == 0);
  CHECK(gains[2].family == "all");
  CHECK(gains[2].cells == 3);
  std::ostringstream text;
  print(text, gains);
  CHECK_THAT(text.str(), ContainsSubstring("unary/log/S"));
  CHECK_THAT(to_markdown(gains), ContainsSubstring("| reduce | 1 | 1.50 | - | 1.50 | reduce/sum/S |"));
  CHECK_THROWS_WITH(speedups_of(now, "{}"), ContainsSubstring("wanted a file that --json wrote"));
  CHECK_THROWS_WITH(speedups_of(now, "not JSON"), ContainsSubstring("wanted a file that --json wrote"));
  CHECK_THROWS_WITH(speedups_of(now, R"({"cells": []})"), ContainsSubstring("found no cell of this run"));
}

TEST_CASE("a sweep names the build that fails, and leaves out what the other one has not") {
  const std::vector<operation> all{of("unary", "exp"), of("unary", "refused"), of("unary", "new")};
  fake topbit("topbit"), other("topbit");
  topbit.add("unary", "refused", {}).add("unary", "exp", {{{1}, 0}});
  other.add("unary", "exp", {{{1}, 0}}).add("unary", "refused", {});
  const std::vector<planned_cell> planned = plan(all, {}), known = known_cells(other, all, planned);
  REQUIRE(planned.size() == 3);
  REQUIRE(known.size() == 2);
  CHECK(known[1].operation == 1);
  const auto sweep_of = [&](library& first, library& second) {
    return sweep(all, planned, first, &second, {.rounds = 1, .seconds = 0.1}, [](const std::string&) {});
  };
  std::vector<measured_cell> found = sweep_of(topbit, other);
  CHECK(found[0].ratio() > 0);
  CHECK(found[0].elements == 1024);
  CHECK(found[1].problem == "topbit: wants a matrix");
  CHECK(found[2].problem == "topbit: has no such operator");
  topbit.add("unary", "new", {});
  found = sweep_of(topbit, other);
  CHECK(found[2].problem == "the other topbit: has no such operator");
}

TEST_CASE("a run in a process of its own comes back, or says why not") {
  const child_run found = run_in_child([] {
    child_run run{{{"machine", "one"}}, {timed("unary", "exp", 3, 2), timed("sort", "wrong", 1, 1)}};
    run.cells[1].problem = std::string("not UTF-8: ") + static_cast<char>(0xff);
    return run;
  });
  CHECK(found.header.at(0).second == "one");
  REQUIRE(found.cells.size() == 2);
  CHECK(found.cells[0].name == "exp");
  CHECK(found.cells[0].numbers == shape{32, 32});
  CHECK(found.cells[0].elements == 1024);
  CHECK(found.cells[0].ratio() == 1.5);
  CHECK_THAT(found.cells[1].problem, ContainsSubstring("not UTF-8: "));
  CHECK_THROWS_WITH(run_in_child([]() -> child_run { throw std::runtime_error("no such file"); }), "no such file");
  CHECK_THROWS_WITH(run_in_child([]() -> child_run {
                      std::signal(SIGTERM, SIG_DFL);
                      std::raise(SIGTERM);
                      return {};
                    }),
                    "the process of a run died of signal 15");
}

TEST_CASE("beside another build only what is slower in every run counts") {
  // Ratios of three runs: always over 1.08, once not, always over 1.03, large and always over 1.08, of one run without.
  const std::vector<std::vector<double>> ratios{
      {1.2, 1.09, 1.1}, {2, 1.0, 2}, {1.04, 1.05, 1.07}, {1.5, 1.6, 1.5}, {3, 3, 3}};
  const std::vector<std::string> families{"unary", "unary", "sort", "sort", "sort"};
  beside_report r{{{"machine", "one"}}, std::vector<std::vector<measured_cell>>(3)};
  for (std::size_t run = 0; run < 3; ++run) {
    for (std::size_t cell = 0; cell < ratios.size(); ++cell)
      r.runs[run].push_back(timed(families[cell], "o" + std::to_string(cell), 2 * ratios[cell][run], 2));
    r.runs[run][3].elements = 1025;
  }
  r.runs[1][4].problem = "element 0 of 1: 1 beside 2";

  const std::vector<beside_cell> cells = cells_of(r);
  REQUIRE(cells.size() == 4);
  CHECK(cells[0].name == "unary/o0/S");
  CHECK(cells[0].is_small);
  CHECK_FALSE(cells[3].is_small);
  CHECK(std::abs(cells[0].least() - 1.09) < 1e-12);
  CHECK(std::abs(cells[0].seconds - 2.2e-6) < 1e-12);
  CHECK(std::abs(cells[0].other - 2e-6) < 1e-12);

  const std::vector<beside_family> found = families_of(cells);
  REQUIRE(found.size() == 3);
  CHECK(found[0].family == "unary");
  CHECK(found[0].cells == 2);
  REQUIRE(found[0].means.size() == 3);
  CHECK(std::abs(found[0].means[1] - std::sqrt(1.09)) < 1e-12);
  CHECK(std::abs(found[0].mean - std::sqrt(2.2)) < 1e-12);
  CHECK(found[0].over_3 == 1);
  CHECK(found[1].over_3 == 2);
  CHECK(found[1].over_8 == 1);
  CHECK(found[1].small_over_8 == 0);
  CHECK(found[2].family == "all");
  CHECK(found[2].over_8 == 2);
  CHECK(found[2].small_over_8 == 1);

  std::ostringstream text;
  print(text, r);
  CHECK_THAT(text.str(), ContainsSubstring("machine: one") && ContainsSubstring("1.20 1.09 1.10  small\n") &&
                             ContainsSubstring("families over 1.03: unary 1.483, sort ") &&
                             ContainsSubstring("small cells over 1.08 in every run: 1\n") &&
                             ContainsSubstring("not timed: sort/o4/S: element 0 of 1: 1 beside 2"));
  CHECK(text.str().find("sort/o3/S") < text.str().find("unary/o0/S"));
  CHECK(text.str().find("unary/o1/S") == std::string::npos);
  const nlohmann::json json = nlohmann::json::parse(to_json(r));
  CHECK(json["families"]["all"]["small_over_1_08"] == 1);
  CHECK(json["cells"].size() == 4);
  CHECK(json["cells"][3]["ratios"].size() == 3);
}

TEST_CASE("a report sums up families and lists the slower cells") {
  std::vector<measured_cell> cells{timed("unary", "exp", 1, 2), timed("unary", "log", 4, 2),
                                   timed("reduce", "sum", 1.05, 1), timed("reduce", "wrong", 9, 1),
                                   timed("reduce", "max", 3, 1)};
  cells[3].problem = "element 0 of 1: 1 beside 2";
  const std::vector<family_summary> families = families_of(cells);
  REQUIRE(families.size() == 3);
  CHECK(families[0].family == "unary");
  CHECK(families[0].cells == 2);
  CHECK(std::abs(families[0].mean - 1) < 1e-12);
  CHECK(families[0].worst == 2);
  CHECK(families[0].slower == 1);
  CHECK(families[1].cells == 2);
  CHECK(families[2].family == "all");
  CHECK(families[2].cells == 4);
  CHECK(families[2].slower == 2);
  const std::vector<const measured_cell*> worst = cells_over(1.1, cells);
  REQUIRE(worst.size() == 2);
  CHECK(worst[0]->name == "max");
  CHECK(worst[1]->name == "log");

  std::ostringstream text;
  const sweep_report report{{{"machine", "a \"fast\" <one>"}}, cells, true};
  print(text, report);
  CHECK_THAT(text.str(), ContainsSubstring("unary") && ContainsSubstring("reduce/max/S") && ContainsSubstring("3.00") &&
                             ContainsSubstring("not timed: reduce/wrong/S: element 0 of 1: 1 beside 2"));

  const std::string page = to_markdown(report);
  CHECK_THAT(page, ContainsSubstring("| unary | 2 | 1.00 | 2.00 | 1 |") &&
                       ContainsSubstring("| reduce | sum | S | 1.050 | 1.000 | 1.05 |"));
  CHECK(page.find("| reduce | max |") < page.find("| unary | log |"));
  CHECK(page.find("wrong") == std::string::npos);

  const nlohmann::json json = nlohmann::json::parse(to_json(report));
  CHECK(json["machine"] == "a \"fast\" <one>");
  CHECK(json["cells"].size() == 5);
  CHECK(json["cells"][1]["ratio"] == 2.0);
  CHECK(json["cells"][1]["numbers"] == nlohmann::json{32, 32});
  CHECK(json["cells"][3]["problem"] == "element 0 of 1: 1 beside 2");
  CHECK_FALSE(json["cells"][3].contains("ratio"));
  CHECK(json["families"]["all"]["over_1_10"] == 2);
}

TEST_CASE("a picture has a dot for each cell that was compared") {
  std::vector<measured_cell> cells{timed("unary", "a & b", 1, 2), timed("binary", "[r,c]+[c] <1>", 0.01, 30000),
                                   timed("reduce", "wrong", 9, 1)};
  cells[2].problem = "differs";
  const std::string svg = to_svg({{}, cells, true});
  CHECK(well_formed(svg));
  CHECK_THAT(svg, ContainsSubstring("<title>unary a &amp; b S: 1.00 beside 2.00 us, 0.50</title>"));
  CHECK_THAT(svg, ContainsSubstring("&lt;1&gt;"));
  CHECK(svg.find("wrong") == std::string::npos);
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(well_formed(to_svg({{}, {}, false})));
  CHECK_FALSE(well_formed("<svg><g></svg></g>"));
  CHECK_FALSE(well_formed("<svg>a & b</svg>"));
}
