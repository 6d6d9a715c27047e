// Every call of the golden files, recorded, saved, loaded and replayed, gives the same bits; on Meta the same sizes,
// and on CUDA or its emulation elements within the golden tolerances.
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/all_calls.h"
#include "golden/compare.h"
import topbit;
import topbit.cuda;
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

// What is wrong with a replay on another device; empty if nothing is, or if the calls have no kernels there.
std::string elsewhere(const graphs::graph& g, const std::vector<tensor>& wanted, const golden::rules& how,
                      tb::device where) {
  const std::vector<std::pair<tb::device, tb::device>> map{{tb::cpu, where}};
  const bool is_meta = where.type == tb::backend::Meta;
  if (is_meta && (how.meta_raises || !g.escapes().empty() || !g.draws().empty())) return "";
  if (!graphs::coverage(g, map).empty()) return "";
  // Its indices are a tensor of the host, whose elements it reads.
  if (g.nodes()[0].op.name() == "aten::tensor_split.tensor_indices_or_sections") return "";
  std::string text;
  const std::vector<tensor> found = graphs::replay(g, {}, {.map = map});
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!is_meta) {
      text += golden::difference(found[i], wanted[i], how);
    } else if (found[i].sizes() != wanted[i].sizes() || found[i].dtype() != wanted[i].dtype()) {
      text += "found " + to_string(tb::value(found[i])) + ", wanted " + to_string(tb::value(wanted[i]));
    }
  }
  return text;
}

}  // namespace

TEST_CASE("replay: every operator gives the bits of its call, from a file too", "[graphs][golden]") {
  std::size_t compared = 0, skipped = 0;
  const std::string path = (std::filesystem::temp_directory_path() / "topbit_graphs_golden.safetensors").string();
  std::vector<tb::device> devices{tb::device{tb::backend::Meta}};
  if (tb::cuda_available()) devices.push_back(tb::cuda());
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
      for (const tb::device where : devices) {
        if (compared % 4 != 0) break;
        const std::string text = elsewhere(*g, wanted, b.how, where);
        if (!text.empty()) FAIL_CHECK(b.name << " " << c.line << ", on " << to_string(where) << ": " << text);
      }
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
