// Two programs compared, and a program with itself for other elements.
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

import topbit;
import topbit.graphs;
#include "programs.h"

namespace tb = topbit;
namespace aten = topbit::aten;
namespace graphs = topbit::graphs;
using graphs::graph;
using programs::replaced;
using programs::small;
using tb::tensor;

namespace {

const tensor a = tb::tensor({{1.f, -2}, {3, -4}});

template <class F>
graph recorded(F f) {
  return graphs::record(f, a);
}
std::string difference(const graph& x, const graph& y) {
  const std::optional<graphs::difference> found = graphs::compare_graphs(x, y);
  return found ? graphs::to_string(*found) : "";
}
template <class F, class G>
std::string difference_of(F f, G g) {
  return difference(recorded(f), recorded(g));
}

}  // namespace

TEST_CASE("compare: programs that are recorded twice are the same, whatever their elements", "[graphs]") {
  const auto first = programs::all(), second = programs::all();
  for (std::size_t i = 0; i < first.size(); ++i) {
    INFO(first[i].first);
    CHECK(difference(first[i].second, second[i].second) == "");
  }
  const auto f = [](const tensor& x) { return tb::relu(x) + 1; };
  CHECK(difference(graphs::record(f, a), graphs::record(f, tb::neg(a))) == "");
}

TEST_CASE("compare: the first difference is named, with both calls", "[graphs]") {
  CHECK(difference_of([](const tensor& x) { return tb::neg(tb::exp(x)); },
                      [](const tensor& x) { return tb::neg(tb::sin(x)); }) ==
        "node 0, operator:\n"
        "  %1: float32[2,2] cpu = aten::exp(%0)\n"
        "  %1: float32[2,2] cpu = aten::sin(%0)");
  CHECK(difference_of([](const tensor& x) { return tb::sum(x, 0); }, [](const tensor& x) { return tb::sum(x, 1); }) ==
        "node 0, argument 'dim':\n"
        "  %1: float32[2] cpu = aten::sum.dim_IntList(%0, [0], False, dtype=None)\n"
        "  %1: float32[2] cpu = aten::sum.dim_IntList(%0, [1], False, dtype=None)");
  CHECK(
      difference_of([](const tensor& x) { return tb::neg(x); }, [](const tensor& x) { return tb::neg(tb::neg(x)); }) ==
      "node 1, missing node:\n"
      "  nothing\n"
      "  %2: float32[2,2] cpu = aten::neg(%1)");
  CHECK(difference_of([](const tensor& x) { return tb::add(tb::neg(x), x); },
                      [](const tensor& x) {
                        const tensor y = tb::neg(x);
                        return tb::add(y, y);
                      })
            .starts_with("node 1, argument 'other':"));
}

TEST_CASE("compare: constants are the same if type and bits are", "[graphs]") {
  const auto times = [](auto c) { return [c](const tensor& x) { return aten::mul_Scalar(x, c); }; };
  CHECK(difference_of(times(2.0), times(2.0)) == "");
  CHECK(difference_of(times(1), times(1.0)).starts_with("node 0, argument 'other':"));
  CHECK(difference_of(times(0.0), times(-0.0)).starts_with("node 0, argument 'other':"));
  CHECK(difference_of(times(true), times(1)).starts_with("node 0, argument 'other':"));
}

TEST_CASE("compare: sizes, strides, shared memory, names and outputs count, numbers of tensors do not", "[graphs]") {
  const graph g = graphs::parse_graph(small);
  const auto changed = [&](std::string_view what, std::string_view by) {
    const std::string text = difference(g, graphs::parse_graph(replaced(small, what, by)));
    return text.substr(0, text.find(':'));
  };
  CHECK(changed("\"w\"", "\"v\"") == "name of input 1");
  CHECK(changed("float32[2,3] cpu", "float32[2,3] cuda") == "device of input 0");
  CHECK(changed("float32[2,4] cpu s3:32", "float32[4,2] cpu s3:32") == "node 3, sizes of a result");
  CHECK(changed("float32[2,4] cpu s3:32", "float32[2,4]{1,2} cpu s3:32") == "node 3, strides of a result");
  CHECK(changed("float32[2,4] cpu s3:32", "int32[2,4] cpu s3:32") == "node 3, dtype of a result");
  CHECK(changed("float32[2,4] cpu s3:32 = aten::add.Scalar(%3, 1.5, 1)",
                "float32[2,4] cpu s2 = aten::add.Scalar(%3, 1.5, 1)\nstorage s3:32 cpu") ==
        "node 3, memory of a result");
  CHECK(changed("%4: float32[2,4] cpu s3:32 = aten::add.Scalar(%3, 1.5, 1)\noutput \"y\" %4",
                "unused %4: float32[2,4] cpu s3:32\n%3 = aten::add.Scalar(%3, 1.5, 1)\noutput \"y\" %3") ==
        "node 3, identity of a result");
  CHECK(changed("1.5, 1)", "1.5, 1) backward") == "node 3, phase");
  CHECK(changed("1.5, 1)", "1.5, 1) draws 4 from 0:1+0") == "node 3, random numbers");
  CHECK(changed("  %3 = aten::mm(%0, %2)\n}\n", "}\n%3 = aten::mm(%0, %2)\n") ==
        "node 2, composite that it is a part of");
  CHECK(changed("\"y\" %4", "\"y\" %3") == "output 0");
  CHECK(changed("output \"y\" %4\n", "") == "missing output 0");
  // The same program with the numbers 3 and 4 of tensors exchanged.
  std::string renumbered = small;
  for (std::size_t at = 0; (at = renumbered.find('%', at)) != std::string::npos; ++at) {
    char& digit = renumbered[at + 1];
    digit = digit == '3' ? '4' : digit == '4' ? '3' : digit;
  }
  CHECK(difference(g, graphs::parse_graph(renumbered)) == "");
}

TEST_CASE("compare: a program that asks its elements is found, one that does not is not", "[graphs]") {
  CHECK_FALSE(graphs::check_recording([](const tensor& x) { return tb::softmax(x, 1) * x; }, a));
  CHECK_FALSE(graphs::check_recording(
      [](const tensor& x, const tensor& at) { return tb::dropout(tb::index_select(x, 0, at), 0.5, true); }, a,
      tb::tensor({std::int64_t{0}, std::int64_t{1}, std::int64_t{1}})));

  const std::optional<graphs::difference> branch =
      graphs::check_recording([](const tensor& x) { return tb::item(tb::sum(x)) < 0 ? tb::exp(x) : tb::sin(x); }, a);
  REQUIRE(branch);
  CHECK(branch->what == "operator");
  CHECK(branch->a.find("aten::exp") != std::string::npos);
  CHECK(branch->b.find("aten::sin") != std::string::npos);
  // The sign is the same, the size is not.
  CHECK(graphs::check_recording(
      [](const tensor& x) { return tb::item(tb::sum(tb::abs(x))) > 1 ? tb::exp(x) : tb::sin(x); }, a));
  const std::optional<graphs::difference> constant =
      graphs::check_recording([](const tensor& x) { return aten::mul_Scalar(x, tb::item(tb::sum(x))); }, a);
  REQUIRE(constant);
  CHECK(constant->what == "argument 'other'");
  // The number that a composite makes a tensor of, and one that the program makes.
  CHECK(graphs::check_recording(
      [](const tensor& x) { return x * tb::tensor(static_cast<float>(tb::item(tb::sum(x)))); }, a));
  CHECK(graphs::check_recording([](const tensor& x) { return tb::sum(tb::nonzero(tb::gt(x, 0.5))); }, a));
}
