// What is no graph is refused: mistakes in a text with line and column, mistakes of a program with its node.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/raises.h"
import topbit;
import topbit.graphs;
#include "programs.h"

namespace tb = topbit;
namespace graphs = topbit::graphs;
using Catch::Matchers::ContainsSubstring;
using programs::replaced;
using programs::small;

namespace {

std::string text_refusal(std::string_view text) {
  return toy::text_of<graphs::graph_error>([&] { graphs::parse_graph(text); });
}
std::string json_refusal(std::string_view text) {
  return toy::text_of<graphs::graph_error>([&] { graphs::graph_from_json(text); });
}
std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

struct mistake {
  std::string_view what, by, text;
};

}  // namespace

TEST_CASE("text: a mistake is refused with its line and column", "[graphs]") {
  CHECK(text_refusal("") == "parse_graph: line 1: found the end, wanted 'topbit graph 1.0'");
  CHECK(text_refusal("\n# nothing\n") == "parse_graph: line 3: found the end, wanted 'topbit graph 1.0'");
  for (const mistake& m : std::vector<mistake>{
           {"topbit graph 1.0", "torch graph", "line 1: found 'torch' at column 1, wanted 'topbit graph 1.0'"},
           {"1.0", "2.0", "line 1: found '2.0' at column 14, wanted version 1.x"},
           {"1.0", "1.0 beta", "line 1: found 'beta' at column 18, wanted the end of the line"},
           {"input %0", "inputs %0", "line 6: found 'inputs' at column 1, wanted an operator such as aten::add.Tensor"},
           {"input %0 ", "input x ", "line 6: found 'x' at column 7, wanted a tensor such as %3"},
           {"\"x\":", ":", "line 6: found"},
           {"\"x\":", "\"x:", "line 6: found the end at column 36, wanted the quote that ends the string at column 10"},
           {"\"x\": ", "\"x\" ", "line 6: found 'float32' at column 14, wanted ':' and what the tensor is"},
           {"float32[2,3]", "float31[2,3]", "line 6: found 'float31' at column 15, wanted one of bool, uint8"},
           {"[2,3]", "(2,3)", "line 6: found '(' at column 22, wanted '['"},
           {"[2,3]", "[2,3", "line 6: found 'cpu' at column 27, wanted ']'"},
           {"[2,3]", "[2,,3]", "line 6: found ',' at column 25, wanted an integer"},
           {"[2,3]", "[2.5,3]", "line 6: found '2.5' at column 23, wanted an integer"},
           {"[2,3]", "[1,1,1,1,1,1,1,1,1]", "line 6: found '1' at column 39, wanted at most 8 dimensions"},
           {"cpu s0", "gpu s0", "line 6: found 'gpu' at column 28, wanted a device"},
           {"s0:24", "s0:many", "line 6: found 'many' at column 35, wanted an integer"},
           {"s0:24", "sx:24", "line 6: found 'x:24' at column 33, wanted an integer"},
           {"s0:24", "s0:24 gradient", "line 6: found 'gradient' at column 38, wanted the end of the line"},
           {"%3: ", "3: ", "line 8: found '3:' at column 1, wanted an operator such as aten::add.Tensor"},
           {" = aten::linear", " aten::linear", "line 8: found 'aten::linear' at column 28, wanted ',' or '='"},
           {"aten::linear(%0", "linear(%0", "line 8: found 'linear' at column 30, wanted an operator"},
           {"(%0, %1, None)", "", "line 8: found '{' at column 43, wanted '('"},
           {"(%0, %1, None)", "(%0, %1, None", "line 8: found the end at column 57, wanted ',' or ')'"},
           {"(%0, %1, None)", "(%0, %1,, None)", "line 8: found ',' at column 50, wanted an argument"},
           {"(%0, %1, None)", "(%0, %1, None])", "line 8: found ']' at column 55, wanted ',' or ')'"},
           {"(%3, 1.5, 1)", "(%3, 'a, 1)", "line 12: found the end at column 57, wanted the quote that ends a string"},
           {") {", ") sideways {",
            "line 8: found 'sideways' at column 57, wanted backward, update, no_grad, draws, fault"},
           {") {", ") draws 1 of {", "line 8: found 'of' at column 65, wanted 'from' and the generator"},
           {") {", ") draws 1 from 0 5 {", "line 8: found '5' at column 72, wanted ':' and the seed"},
           {") {", ") draws -1 from 0:5 {", "line 8: found '-1' at column 63, wanted an integer in the range of this"},
           {"\n}", "", "line 13: found the end, wanted '}' for the '{' of line 8"},
           {"}\n", "}\n}\n", "line 12: found '}' at column 1, wanted a call, since no '{' is open"},
       }) {
    INFO("instead of '" << m.what << "' '" << m.by << "'");
    CHECK_THAT(text_refusal(replaced(small, m.what, m.by)), ContainsSubstring(std::string(m.text)));
  }
}

TEST_CASE("text: what is no program is refused with its line", "[graphs]") {
  for (const mistake& m : std::vector<mistake>{
           {"aten::mm(Tensor self", "aten::mmm(Tensor self",
            "found the operator \"aten::mmm\", which is not registered"},
           {"Tensor mat2", "Tensor mat3",
            "the operator \"aten::mm\" is another one here: found aten::mm(Tensor self, "},
           {"self, Tensor mat2", "self Tensor mat2",
            "found \"aten::mm(Tensor self Tensor mat2) -> Tensor\", wanted the schema of \"aten::mm\""},
           {"operator aten::t(Tensor(a) self) -> Tensor(a)\n", "",
            "line 8: graph: node 1, \"aten::t\": found an operator that is not among those that the graph lists"},
           {"%4: ", "%3: ", "line 12: found %3 again, which an earlier line has declared"},
           {"%4: ", "%5: ", "line 12: found %5, but no %4"},
           {"s2:32", "s1:48", "line 8: found s1 again"},
           {"s2:32", "s2", "line 12: found s3, but no s2"},
           {"s1:48", "s1:44", "tensor %1, float32 [4, 3] on cpu leaves its storage of 44 bytes"},
           {"s1:48", "s1:48+1", "tensor %1, float32 [4, 3] on cpu leaves its storage of 48 bytes"},
           {"s1:48", "s1:-1", "found a storage of -1 bytes"},
           {"{1,3}", "{1,4}", "tensor %2, float32 [3, 4] on cpu leaves its storage of 48 bytes"},
           {"{1,3}", "{1}", "%2: found sizes [3, 4] and strides [1], wanted as many of both"},
           {"{1,3}", "{9223372036854775807,9223372036854775807}", "leaves its storage"},
           {"[4,3]", "[-4,3]", "%1: found sizes [-4, 3]"},
           {"mm(%0, %2)", "mm(%0, %3)",
            "line 10: graph: node 2, aten::mm: found %3, wanted a tensor that is made before"},
           {"mm(%0, %2)", "mm(%0, %9)", "line 10: graph: node 2, aten::mm: found \"%9\", wanted one of 5 tensors"},
           {"mm(%0, %2)", "mm(%0, [[%2]])", "found \"[%2]\", wanted one of 5 tensors"},
           {"mm(%0, %2)", "mm(%0, %2, %2)", "found 3 arguments, wanted at most 2"},
           {"mm(%0, %2)", "mm(%0)", "line 10: graph: node 2, aten::mm: found no argument 'mat2', which has no default"},
           {"  %3 = aten::mm", "  %3, %2 = aten::mm", "line 10: graph: node 2, aten::mm: found 2 results, wanted 1"},
           {"(%3, 1.5, 1)", "(%3, one, 1)",
            "line 12: graph: node 3, aten::add.Scalar, argument 2 'other': found 'one'"},
           {"1.5, 1)", "1.5, 1) backward of 3",
            "line 12: graph: node 3, aten::add.Scalar: found the gradient of node 3"},
           {"\"w\"", "\"x\"", "found the name \"x\" twice"},
           {"\"y\" %4", "\"y\" %7", "the output \"y\": found %7, wanted one of 5 tensors"},
       }) {
    INFO("instead of '" << m.what << "' '" << m.by << "'");
    CHECK_THAT(text_refusal(replaced(small, m.what, m.by)), ContainsSubstring(std::string(m.text)));
  }
  const std::string deep =
      "topbit graph 1.0\noperator aten::ones(int[] size) -> Tensor\n" + repeated("aten::ones() {\n", 66);
  CHECK_THAT(text_refusal(deep), ContainsSubstring("line 67: found '{' at column 14, wanted parts at most 64 deep"));
}

TEST_CASE("json: a mistake is refused with its place", "[graphs]") {
  const std::string json = graphs::to_json(graphs::parse_graph(small));
  CHECK(json.starts_with(R"({"topbit_graph":{"major":1,"minor":0},"operators":["aten::linear(Tensor input,)"));
  for (const mistake& m : std::vector<mistake>{
           {"\"major\":1", "\"major\":2", "found a graph of format 2, wanted format 1"},
           {"\"major\":1", "\"major\":\"1\"",
            "\"topbit_graph\", 'major': found something else, wanted an integer in range"},
           {"\"major\":1,", "", "\"topbit_graph\": found no 'major'"},
           {"\"topbit_graph\"", "\"other\"", "found no 'topbit_graph', wanted the JSON of a graph"},
           {"{\"topbit", "[{\"topbit", "found a list, wanted an object with 'topbit_graph'"},
           {"\"inputs\"", "\"tensors\"", "found \"tensors\" twice"},
           {"\"sizes\":[2,3]", "\"sizes\":[2,-3]", "%0: found sizes [2, -3]"},
           {"\"sizes\":[2,3]", "\"sizes\":[2,3.5]", "\"tensors\" number 0, 'sizes': found something else"},
           {"\"sizes\":[2,3]", "\"sizes\":2", "\"tensors\" number 0, 'sizes': found something else, wanted a list"},
           {"\"sizes\":[2,3]", "\"sizes\":[1,1,1,1,1,1,1,1,1]",
            "'sizes': found something else, wanted at most 8 numbers"},
           {"\"float32\"", "\"float31\"", "\"tensors\" number 0, 'dtype': found 'float31' at column 1, wanted one of"},
           {"\"cpu\"", "\"gpu\"", "\"storages\" number 0, 'device': found 'gpu' at column 1, wanted a device"},
           {"\"storage\":0", "\"storage\":4294967296", "'storage': found something else, wanted a number from 0 up"},
           {"\"storage\":0", "\"storage\":9", "tensor %0, float32 [2, 3] on cpu has storage 9, wanted one below 4"},
           {"\"parts\":2", "\"parts\":7", "graph: node 0, aten::linear: found 7 parts, more than there are"},
           {"\"parts\":2", "\"phase\":\"future\"", "'phase': found something else, wanted forward, backward or update"},
           {"\"arguments\":[\"%0\"", "\"arguments\":[0", "\"nodes\" number 0, 'arguments': found something else"},
           {"\"tensor\":1", "\"tensor\":0", "found %0 under two names"},
           {"\"tensor\":0", "\"tensor\":true", "\"inputs\" number 0, 'tensor': found something else"},
           {"\"outputs\":", "\"outputs\"", "found no JSON at byte"},
       }) {
    INFO("instead of '" << m.what << "' '" << m.by << "'");
    CHECK_THAT(json_refusal(replaced(json, m.what, m.by)), ContainsSubstring(std::string(m.text)));
  }
  CHECK(json_refusal("") == "graph_from_json: found no JSON at byte 1");
  CHECK(json_refusal("7") == "graph_from_json: found no object, wanted one with 'topbit_graph'");
  CHECK(json_refusal(json + std::string(1, '\0')) ==
        "graph_from_json: found no JSON at byte " + std::to_string(json.size() + 1));
}

TEST_CASE("json: members that are not known are skipped, whatever they hold", "[graphs]") {
  const std::string json = graphs::to_json(graphs::parse_graph(small));
  for (const std::string_view extra : {R"("new":[1,"a",{"b":[]}],)", R"("new":{"nodes":[{"operator":"aten::mm"}]},)",
                                       R"("new":null,"":[[[{}]]],)", R"("new":1e300,"newer":-5,)"}) {
    INFO(extra);
    CHECK(graphs::to_json(
              graphs::graph_from_json(replaced(json, "\"operators\"", std::string(extra) + "\"operators\""))) == json);
    CHECK(graphs::to_json(graphs::graph_from_json(replaced(json, "\"dtype\"", std::string(extra) + "\"dtype\""))) ==
          json);
    CHECK(graphs::to_json(
              graphs::graph_from_json(replaced(json, "\"operator\":", std::string(extra) + "\"operator\":"))) == json);
    CHECK(graphs::to_json(graphs::graph_from_json(replaced(json, "\"minor\"", std::string(extra) + "\"minor\""))) ==
          json);
  }
}

TEST_CASE("json: what is nested without end, or large, is refused in time and memory that grow with it", "[graphs]") {
  CHECK(json_refusal(repeated("[", 1'000'000)) ==
        "graph_from_json: found a list, wanted an object with 'topbit_graph'");
  CHECK(json_refusal("{\"a\":" + repeated("[", 1'000'000)) == "graph_from_json: found JSON nested more than 127 deep");
  CHECK(json_refusal(repeated("{\"a\":", 1'000'000)) == "graph_from_json: found JSON nested more than 127 deep");
  CHECK_THAT(json_refusal("{\"nodes\":[{\"arguments\":[" + repeated("{},", 300'000) + "{}]}]}"),
             ContainsSubstring("\"nodes\" number 0: found no 'operator'"));
  CHECK_THAT(json_refusal("{\"nodes\":[{" + repeated("\"a\":{},", 300'000) + "\"a\":1}]}"),
             ContainsSubstring("\"nodes\" number 0: found no 'operator'"));
}
