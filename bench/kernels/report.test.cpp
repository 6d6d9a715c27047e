#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <sstream>

#include "expected.h"
#include "goals.h"
#include "measure.h"
#include "plot_data.h"
#include "problems.h"
#include "results.h"
#include "tables.h"

using Catch::Approx;

namespace {

const double infinity = std::numeric_limits<double>::infinity();

bench::result ran(const std::string& by, double seconds, const std::string& setting = "", int threads = 1) {
  return {.by = by, .setting = setting, .threads = threads, .seconds = seconds, .rate = 1 / seconds};
}
bench::result loop(const std::string& by, double seconds, double rate) {
  return {.by = by, .yardstick = true, .seconds = seconds, .rate = rate};
}
bench::measured_row row(const std::string& family, const std::string& operation, const std::string& form,
                        const std::string& label, std::vector<bench::result> results) {
  bench::measured_row r{.name = family + "/" + operation + "/" + form + "/" + label,
                        .family = family,
                        .operation = operation,
                        .form = form,
                        .label = label,
                        .unit = "GB/s"};
  r.results = std::move(results);
  return r;
}

std::optional<double> measured(const bench::report& r, const std::string& what) {
  for (const table::line& line : bench::goals(r)) {
    if (line.what == what) return line.measured;
  }
  FAIL("no line " << what);
  return std::nullopt;
}
table::line line_of(const bench::report& r, const std::string& what) {
  const auto all = bench::goals(r);
  return *std::ranges::find(all, what, &table::line::what);
}

std::string read(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::filesystem::path temporary(const std::string& name) {
  return std::filesystem::temp_directory_path() / ("bench_kernels_test_" + std::to_string(getpid()) + "_" + name);
}

bench::report function_report(double own, double other) {
  bench::report r;
  for (const char* n : {"1e4", "1e5", "1e6"}) {
    r.rows.push_back(
        row("functions", "exp", "given", n, {ran("topbit", 2e-6), ran("libtorch", 3e-6, "AVX2"), ran("Eigen", 1e-6)}));
  }
  r.errors = {{.function = "exp", .by = "topbit", .ulp = own},
              {.function = "exp", .by = "libtorch", .setting = "AVX2", .ulp = 0.9},
              {.function = "exp", .by = "Eigen", .ulp = other}};
  return r;
}

}  // namespace

TEST_CASE("goals: a time's ratio has topbit above, a speed's has it below") {
  bench::report r;
  r.rows = {row("small", "add", "new", "8",
                {ran("topbit", 1e-8), ran("libtorch", 4e-7, "AVX2"), ran("libtorch", 2e-7, "AVX512")}),
            row("elementwise", "add", "given", "1e3", {ran("topbit", 4e-7), loop("loop", 1e-7, 1)})};
  CHECK(*measured(r, "add(8), new result / libtorch, time") == Approx(0.05));
  CHECK(line_of(r, "add(8), new result / libtorch, time").verdict() == "met must");
  CHECK(*measured(r, "add into a given result / triad at 1e3") == Approx(0.25));
  CHECK(line_of(r, "add into a given result / triad at 1e3").verdict() == "missed");
}

TEST_CASE("goals: what was not measured is no number and has no verdict") {
  const bench::report r;
  for (const table::line& line : bench::goals(r)) {
    CHECK_FALSE(line.measured);
    CHECK(line.verdict().empty());
  }
}

TEST_CASE("goals: of several sizes the worst counts, and all have to be there") {
  bench::report r;
  for (const auto& [n, rate] : {std::pair{"256", 200.0}, {"512", 250.0}, {"1024", 240.0}}) {
    r.rows.push_back(row("matmul", "matmul", "given", n, {ran("topbit", 1), loop("AVX-512 peak", 1e-5, 250)}));
    r.rows.back().results[0].rate = rate;
  }
  CHECK_FALSE(measured(r, "matmul 256-2048 / AVX-512 peak"));
  r.rows.push_back(r.rows[1]);
  r.rows.back().name = "matmul/matmul/given/2048";
  CHECK(*measured(r, "matmul 256-2048 / AVX-512 peak") == Approx(0.8));
}

TEST_CASE("goals: backward alone is what one row takes more than another, of topbit over libtorch") {
  bench::report r;
  r.rows = {row("autograd", "one_node_forward", "new", "1", {ran("topbit", 1e-7), ran("libtorch", 1e-6)}),
            row("autograd", "one_node", "new", "1", {ran("topbit", 4e-7), ran("libtorch", 5e-6, "AVX512")})};
  CHECK(*measured(r, "backward of one node / libtorch") == Approx(0.075));
  CHECK(*measured(r, "forward and backward of one node / libtorch") == Approx(0.08));
  r.rows.pop_back();
  CHECK_FALSE(measured(r, "backward of one node / libtorch"));
}

TEST_CASE("goals: a step has two measures, libtorch and a step by hand") {
  bench::report r;
  r.rows = {row("autograd", "step", "new", "64-128-64-10, batch 32",
                {ran("topbit", 3e-5), ran("libtorch", 1e-4, "AVX512"), ran("libtorch", 1.2e-4, "AVX2"),
                 loop("step by hand", 2e-5, 20)})};
  CHECK(*measured(r, "MLP step, batch 32 / libtorch") == Approx(0.3));
  CHECK(*measured(r, "MLP step, batch 32 / step by hand") == Approx(1.5));
  CHECK_FALSE(measured(r, "MLP step, batch 64 / libtorch"));
}

TEST_CASE("goals: memory is judged by its bytes, and a table compares no times that were not taken") {
  bench::report r;
  r.rows = {row("autograd", "memory_add", "new", "both inputs", {ran("topbit", 0), ran("libtorch", 0)})};
  r.rows[0].results[0].rate = 72;
  r.rows[0].results[1].rate = 500;
  const table::line line = line_of(r, "memory kept for a node of add, both inputs");
  CHECK(*line.measured == Approx(72));
  CHECK(line.unit == "bytes");
  CHECK(line.verdict() == "met aim");
  const auto all = bench::tables(r);
  REQUIRE(all.size() == 1);
  CHECK(all[0].rows[0].back().empty());
}

TEST_CASE("goals: a function is compared with the fastest library within its own bound") {
  CHECK(*measured(function_report(0.8, 0.9), "exp at 1e4-1e6 / best library within its bound") == Approx(0.5));
  CHECK(*measured(function_report(0.8, 1.1), "exp at 1e4-1e6 / best library within its bound") == Approx(1.5));
  CHECK(*measured(function_report(1.2, 1.9), "exp at 1e4-1e6 / best library within its bound") == Approx(0.5));
  CHECK(*measured(function_report(0.8, infinity), "exp at 1e4-1e6 / fastest library, however wrong") == Approx(0.5));
  // Beyond 2 ulp of its own there is no bound.
  CHECK_FALSE(measured(function_report(2.1, 0.9), "exp at 1e4-1e6 / best library within its bound"));
}

TEST_CASE("goals: two threads are compared with one of the same library") {
  bench::report r;
  r.rows = {
      row("threads", "exp", "given", "1e7",
          {ran("topbit", 4e-3), ran("topbit", 2e-3, "", 2), ran("libtorch", 1e-3), ran("libtorch", 1e-4, "", 2)})};
  CHECK(*measured(r, "exp at 1e7, two threads / one") == Approx(2.0));
}

TEST_CASE("results: a report read back is the report, infinite errors included") {
  bench::report r = function_report(0.8, infinity);
  r.header = {{"machine", "one \"with\" quotes\\"}, {"clock", "4 GHz"}};
  r.rows.push_back(row("threads", "exp", "given", "1e7", {ran("topbit", 1.25e-3, "avx512", 2), loop("loop", 1, 2)}));
  const auto path = temporary("report.json");
  std::ofstream(path) << bench::to_json(r);
  const bench::report again = bench::read_report(path);
  std::filesystem::remove(path);
  CHECK(again.header == r.header);
  CHECK(bench::to_json(again) == bench::to_json(r));
  CHECK(again.rows.back().results[0].threads == 2);
  CHECK(again.rows.back().results[1].yardstick);
  CHECK(again.errors.back().ulp == infinity);
}

TEST_CASE("results: what is no report is refused by name") {
  const auto path = temporary("none.json");
  std::ofstream(path) << "{\"rows\": 3}";
  CHECK_THROWS_WITH(bench::read_report(path), Catch::Matchers::StartsWith("found no report in '" + path.string()));
  std::filesystem::remove(path);
  CHECK_THROWS_WITH(bench::read_report(path), "could not read '" + path.string() + "'");
}

TEST_CASE("results: merging replaces rows and errors that are there already") {
  bench::report r = function_report(0.8, 0.9);
  bench::report more = function_report(1.7, 0.9);
  more.rows.resize(1);
  more.rows[0].results.resize(1);
  r.header = {{"clock", "4 GHz"}};
  more.header = {{"clock", "5 GHz"}, {"Eigen", "3.4"}};
  bench::merge(r, more);
  CHECK(r.header == decltype(r.header){{"clock", "4 GHz"}, {"Eigen", "3.4"}});
  CHECK(r.rows.size() == 3);
  CHECK(r.rows[0].results.size() == 1);
  CHECK(r.errors.size() == 3);
  CHECK(*bench::bound(r, "exp") == 2);
}

TEST_CASE("tables: numbers have three digits") {
  CHECK(bench::three_digits(0) == "0");
  CHECK(bench::three_digits(0.012345) == "0.0123");
  CHECK(bench::three_digits(1.2345) == "1.23");
  CHECK(bench::three_digits(123.45) == "123");
  CHECK(bench::three_digits(12345) == "12345");
  CHECK(bench::three_digits(4.7e6) == "4.7e+06");
  CHECK(bench::three_digits(infinity) == "inf");
}

TEST_CASE("tables: a setting is named where a row has two, and what is beyond the bound has an asterisk") {
  bench::report r = function_report(0.8, 1.1);
  r.rows[0].results.push_back(ran("libtorch", 2.5e-6, "AVX512"));
  std::ostringstream out;
  for (const bench::text_table& t : bench::tables(r)) bench::print_markdown(out, t);
  const std::string text = out.str();
  CHECK(text.find("| topbit | libtorch AVX2 | Eigen | libtorch AVX512 |") != std::string::npos);
  CHECK(text.find("1000000\\*") == std::string::npos);
  CHECK(text.find("e+06\\* |") != std::string::npos);
}

TEST_CASE("tables: every line has as many cells as the header") {
  bench::report r = function_report(0.8, 1.1);
  r.rows.push_back(row("small", "add", "new", "a|b", {ran("topbit", 1)}));
  std::ostringstream out;
  for (const bench::text_table& t : bench::tables(r)) {
    for (const auto& cells : t.rows) CHECK(cells.size() == t.header.size());
    bench::print_markdown(out, t);
  }
  CHECK(out.str().find("| a\\|b |") != std::string::npos);
}

TEST_CASE("tables: a page keeps what stands around its made part, and making it twice changes nothing") {
  const std::string begin = "<!-- made by ./dev bench kernels --docs: begin -->\n",
                    end = "<!-- made by ./dev bench kernels --docs: end -->\n";
  const bench::report r = function_report(0.8, 1.1);
  const std::string once = bench::with_report("before\n" + begin + "old\n" + end + "after\n", r);
  CHECK(once.starts_with("before\n" + begin));
  CHECK(once.ends_with(end + "after\n"));
  CHECK(once.find("old") == std::string::npos);
  CHECK(once.find("### Functions") != std::string::npos);
  CHECK(bench::with_report(once, r) == once);
  CHECK_THROWS_WITH(bench::with_report("before\n" + begin, r),
                    Catch::Matchers::StartsWith("found a page without the marks"));
}

TEST_CASE("plot data: a library that lacks a row has a gap, and names have no underscore") {
  bench::report r;
  r.rows = {row("rows", "log_softmax", "given", "a", {ran("topbit", 0.5), ran("Eigen", 0.25)}),
            row("rows", "log_softmax", "given", "b", {ran("topbit", 0.125)})};
  r.rows[0].size = 10;
  r.rows[1].size = 100;
  const auto folder = temporary("plots");
  bench::write_plot_data(r, folder);
  CHECK(read(folder / "rows_1.tsv") == "size\ttopbit\tEigen\n10\t2.000000\t4.000000\n100\t8.000000\t-\n");
  CHECK(read(folder / "rows.gp").find("titles[1] = 'log softmax'") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "matmul.gp"));
  std::filesystem::remove_all(folder);
}

TEST_CASE("measure: a summary is the median and the quartiles") {
  std::vector<double> numbers(9);
  std::iota(numbers.begin(), numbers.end(), 1);
  std::ranges::reverse(numbers);
  const bench::timing t = bench::summary(numbers);
  CHECK(std::array{t.best, t.low, t.median, t.high} == std::array{1.0, 3.0, 5.0, 7.0});
  CHECK(bench::summary({2, 1}).median == Approx(1.5));
}

TEST_CASE("expected: the distance of two numbers counts places of a float32") {
  CHECK(bench::ulps(1.0F, 1.0) == 0);
  CHECK(bench::ulps(std::nextafter(1.0F, 2.0F), 1.0) == Approx(1));
  CHECK(bench::ulps(1.5F, 1.5 + 0x1p-24) == Approx(0.5));
  CHECK(bench::ulps(0.0F, 0x1p-149) == Approx(1));
  CHECK(bench::ulps(std::numeric_limits<float>::infinity(), 1e39) == 0);
  CHECK(bench::ulps(std::numeric_limits<float>::max(), 1e39) == Approx(1));
  CHECK(bench::ulps(std::nanf(""), 1.0) == infinity);
  CHECK(bench::ulps(1.0F, std::nan("")) == infinity);
}

TEST_CASE("expected: a product's wrong element is found at either end") {
  bench::problem p{.family = "matmul", .operation = "matmul"};
  std::vector<float> a{1, 2, 3, 4, 5, 6}, b{1, 0, 2, 1, 0, 3}, c{1, 11, 4, 23};
  p.inputs = {{.sizes = {2, 3}, .data = a.data()}, {.sizes = {3, 2}, .data = b.data()}};
  p.result = {.sizes = {2, 2}, .data = c.data()};
  // [1 2 3; 4 5 6] times [1 0; 2 1; 0 3]
  c = {5, 11, 14, 23};
  CHECK(bench::wrong_with(p, p.result).empty());
  for (const std::size_t place : {0, 3}) {
    c[place] += 0.01F;
    CHECK(bench::wrong_with(p, p.result).starts_with("found "));
    c[place] -= 0.01F;
  }
  // The same matrix, stored by columns.
  std::vector<float> by_columns{1, 2, 0, 0, 1, 3};
  p.inputs[1] = {.sizes = {3, 2}, .transposed = true, .data = by_columns.data()};
  CHECK(bench::wrong_with(p, p.result).empty());
}

TEST_CASE("expected: the gradient of a chain counts every node, with one input recorded and with both") {
  std::vector<float> w{1, 1.25F}, x{1, 0.5F}, found(2);
  bench::problem p{.family = "autograd"};
  p.inputs = {{.sizes = {2}, .data = w.data()}, {.sizes = {2}, .data = x.data()}};
  p.result = {.sizes = {2}, .data = found.data()};
  struct rule {
    const char* operation;
    std::int64_t both;
    std::vector<float> gradient;
  };
  // Of w + 3 x, 4 w, w x^3 and w^4.
  for (const rule& wanted : {rule{"chain_add", 0, {1, 1}},
                             {"chain_add", 1, {4, 4}},
                             {"chain_mul", 0, {1, 0.125F}},
                             {"chain_mul", 1, {4, 7.8125F}}}) {
    p.operation = wanted.operation;
    p.options = {3, wanted.both};
    found = wanted.gradient;
    CHECK(bench::wrong_with(p, p.result).empty());
    found[1] += 0.001F;
    CHECK_FALSE(bench::wrong_with(p, p.result).empty());
  }
}

TEST_CASE("expected: the losses of steps are those of gradient descent") {
  // One row with one input of 2, two classes, no hidden layer: scores 2 w + b.
  std::vector<float> image{2}, weight{0.25F, -0.25F}, bias{0, 0};
  std::vector<std::int64_t> label{1};
  bench::problem p{.family = "autograd", .operation = "step"};
  p.inputs = {{.sizes = {1, 1}, .data = image.data()},
              {.sizes = {1}, .type = bench::element::int64, .data = label.data()},
              {.sizes = {2, 1}, .data = weight.data()},
              {.sizes = {2}, .data = bias.data()}};
  std::vector<float> found(2);
  p.result = {.sizes = {2}, .data = found.data()};
  const double margin = 1.0, first = std::log(1 + std::exp(margin)), other = 1 / (1 + std::exp(-margin));
  // Each score moves by the rate times its probability's error times (2 * 2 + 1).
  const double second = std::log(1 + std::exp(margin - 2 * bench::learning_rate * other * 5));
  found = {static_cast<float>(first), static_cast<float>(second)};
  CHECK(bench::wrong_with(p, p.result).empty());
  found[1] = found[0];
  CHECK_FALSE(bench::wrong_with(p, p.result).empty());
}

TEST_CASE("expected: a wrong element is found wherever a kernel's last vector may have begun") {
  std::vector<float> a(1000), b(1000), c(1000);
  std::iota(a.begin(), a.end(), 1);
  bench::problem p{.family = "elementwise", .operation = "add"};
  p.inputs = {{.sizes = {1000}, .data = a.data()}, {.sizes = {1000}, .data = b.data()}};
  p.result = {.sizes = {1000}, .data = c.data()};
  for (const std::size_t first : {0, 936}) {
    for (std::size_t place = first; place < first + 64; ++place) {
      c = a;
      c[place] = 0;
      CHECK_FALSE(bench::wrong_with(p, p.result).empty());
    }
  }
  c = a;
  CHECK(bench::wrong_with(p, p.result).empty());
  std::vector<float> other = a;
  other[500] += 0.5F;
  bench::array second = p.result;
  second.data = other.data();
  CHECK_FALSE(bench::difference(second, p.result).empty());
}

TEST_CASE("problems: names are unique, and sizes that a goal asks for are there") {
  std::vector<std::string> names;
  for (const bench::problem& p : bench::problems(false)) names.push_back(p.name());
  for (const char* wanted :
       {"small/add/new/8", "small/empty/new/8", "elementwise/add/given/1e3", "elementwise/add/new/1e7",
        "functions/exp/given/1e5", "reductions/sum/new/1e6", "rows/softmax/given/rows of 1000",
        "matmul/matmul/given/2048", "threads/exp/given/1e7", "limits/fma/given/float32", "autograd/record_add/new/8",
        "autograd/chain_mul/new/both inputs", "autograd/memory_add/new/both inputs", "autograd/one_node/new/1",
        "autograd/one_node_forward/new/1", "autograd/step/new/1-1-1-2, batch 1",
        "autograd/step/new/64-128-64-10, batch 32", "autograd/step/new/64-128-64-10, batch 256"}) {
    CHECK(std::ranges::count(names, wanted) == 1);
  }
  std::ranges::sort(names);
  CHECK(std::ranges::adjacent_find(names) == names.end());
}
