// Every call of the golden files, recorded, saved, loaded and replayed, gives the same bits.
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/all_calls.h"
import topbit;
import topbit.graphs;

namespace tb = topbit;
namespace graphs = topbit::graphs;
using tb::tensor;

namespace {

std::string text_of(const std::vector<tensor>& all) {
  std::string text;
  for (const tensor& t : all) text += to_string(tb::value(t)) + "\n";
  return text;
}

}  // namespace

TEST_CASE("replay: every operator gives the bits of its call, from a file too", "[graphs][golden]") {
  std::size_t compared = 0, skipped = 0;
  const std::string path = (std::filesystem::temp_directory_path() / "topbit_graphs_golden.safetensors").string();
  const auto compare = [&](const tb::operator_handle& op, const golden::block& b, const golden::one_case& c,
                           const std::vector<std::string_view>& arguments) {
    if (b.how.no_elements) return;
    tb::boxed_stack stack;
    std::optional<graphs::graph> g;
    std::vector<tensor> wanted;
    try {
      tb::author::push_arguments(stack, op, arguments);
      graphs::recorder r({.capture = graphs::capture::copy});
      op.call_boxed(stack);
      std::vector<tb::named_tensor> outputs;
      for (const tb::value& v : stack.top(stack.size())) {
        tb::author::each_tensor(v, [&](const tensor& t) {
          if (t.defined()) outputs.push_back({std::to_string(outputs.size()), t});
        });
      }
      for (const tb::named_tensor& one : outputs) wanted.push_back(one.value);
      g = r.finish(outputs);
    } catch (const tb::error&) {
      ++skipped;  // calls that must throw are golden too
      return;
    }
    std::string found;
    try {
      // Before a replay, which writes what it has captured.
      std::optional<graphs::graph> loaded;
      if (compared % 8 == 0) {
        graphs::save_graph(path, *g);
        loaded = graphs::load_graph(path);
      }
      found = text_of(graphs::replay(*g, {}));
      if (loaded && text_of(graphs::replay(*loaded, {})) != found)
        FAIL_CHECK(b.name << " " << c.line << ", from a file");
      const std::string printed = to_string(*g);
      if (to_string(graphs::parse_graph(printed)) != printed) FAIL_CHECK(b.name << " " << c.line << "\n" << printed);
      if (to_string(graphs::graph_from_json(graphs::to_json(*g))) != printed) FAIL_CHECK(b.name << " " << c.line);
    } catch (const tb::error& e) {
      found = e.what();
    }
    ++compared;
    if (found != text_of(wanted))
      FAIL_CHECK(b.name << " " << c.line << "\n" << found << text_of(wanted) << to_string(*g));
  };
  golden::each_drawn_call(TOPBIT_GOLDEN_FOLDER, compare);
  CHECK(compared >= 1000 * test_scale());
  CHECK(skipped < compared);
}
