// Graphs in files: with the elements of their tensors, whose shared memory survives.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "support/raises.h"
import topbit;
import topbit.graphs;
#include "programs.h"

namespace tb = topbit;
namespace aten = topbit::aten;
namespace graphs = topbit::graphs;
using graphs::graph;
using tb::tensor;

namespace {

// A file of its own for each case, removed with it.
struct temporary_file {
  std::string path =
      (std::filesystem::temp_directory_path() / ("topbit_graph_" + std::to_string(getpid()) + ".safetensors")).string();
  ~temporary_file() { std::filesystem::remove(path); }
};

std::vector<std::string> names_in(const std::string& path) {
  std::vector<std::string> names;
  for (const tb::named_tensor& one : tb::load_tensors(path)) names.push_back(one.name);
  return names;
}
std::string load_refusal(const std::string& path) {
  return toy::text_of<tb::error>([&] { graphs::load_graph(path); });
}

}  // namespace

TEST_CASE("file: a program that is loaded computes what the one that was saved does", "[graphs]") {
  const temporary_file file;
  for (const auto& [name, g] : programs::all()) {
    INFO(name);
    graphs::save_graph(file.path, g);
    const graph loaded = graphs::load_graph(file.path);
    CHECK(graphs::to_string(loaded) == graphs::to_string(g));
    std::vector<tensor> inputs;
    for (const graphs::named_value& one : g.inputs())
      inputs.push_back(programs::counted(tb::shape(g.sizes(one.tensor))));
    // A training step writes parameters, those of the loaded graph first.
    graphs::replayer second(loaded), first(g);
    for (int step = 0; step < 2; ++step) {
      const std::vector<tensor> loaded_outputs = second(inputs), outputs = first(inputs);
      REQUIRE(loaded_outputs.size() == outputs.size());
      CHECK(tb::equal(loaded_outputs[0], outputs[0]));
    }
    for (const graphs::named_value& one : g.parameters()) {
      CHECK(tb::equal(first.parameter(one.name), second.parameter(one.name)));
    }
  }
}

TEST_CASE("file: tensors have their names, in a file that every reader of safetensors reads", "[graphs]") {
  const temporary_file file;
  const tensor w = tb::require_grad(programs::counted({2, 2})), table = programs::counted({3});
  graphs::recorder recording({.parameters = {{"layer.weight", w}}, .capture = graphs::capture::copy});
  const tensor y = tb::sum(w) + tb::sum(table);
  const graph g = recording.finish({{"y", y}});
  graphs::save_graph(file.path, g);
  CHECK(names_in(file.path) == std::vector<std::string>{"layer.weight", "captured.0"});
  CHECK(tb::load_metadata(file.path).at("topbit.graph") == graphs::to_json(g));
  const graph loaded = graphs::load_graph(file.path);
  CHECK(tb::requires_grad(loaded.bound(loaded.parameters()[0].tensor)));
  CHECK_FALSE(tb::requires_grad(loaded.bound(loaded.captured()[0].tensor)));
}

TEST_CASE("file: tensors that share memory share it again, with what none of them shows", "[graphs]") {
  const temporary_file file;
  const tensor all = programs::counted({4, 3});
  const tensor column = tb::select(all, 1, 1), rows = tb::slice(all, 0, 1, 3);
  graphs::recorder recording({.parameters = {{"column", column}, {"rows", rows}}});
  tensor written = rows;
  tb::abs_(written);
  const tensor sum = tb::sum(column);
  const graph g = recording.finish({{"sum", sum}});
  graphs::save_graph(file.path, g);
  CHECK(names_in(file.path) == std::vector<std::string>{"storage.0"});
  CHECK(tb::load_tensors(file.path)[0].value.numel() == 12);

  const graph loaded = graphs::load_graph(file.path);
  const tensor loaded_column = loaded.bound(loaded.parameters()[0].tensor);
  CHECK(loaded_column.strides() == column.strides());
  CHECK(tb::author::record_of(loaded_column).offset == 1);
  CHECK(tb::author::record_of(loaded_column).data ==
        tb::author::record_of(loaded.bound(loaded.parameters()[1].tensor)).data);
  CHECK(tb::equal(loaded_column, column));
  // The replay writes rows, and reads what it wrote by the column.
  tensor loaded_rows = loaded.bound(loaded.parameters()[1].tensor);
  tb::fill_(loaded_rows, -2);
  CHECK(tb::item(graphs::replay(loaded, {})[0]) == tb::item(tb::sum(loaded_column)));
  CHECK(tb::item(tb::select(loaded_column, 0, 1)) == 2);
}

TEST_CASE("file: one tensor that does not fill its memory keeps its strides and its offset", "[graphs]") {
  const temporary_file file;
  const tensor w = tb::transpose(tb::slice(programs::counted({4, 3}), 0, 1, 3), 0, 1);
  graphs::recorder recording({.parameters = {{"w", w}}});
  const tensor y = tb::neg(w);
  graphs::save_graph(file.path, recording.finish({{"y", y}}));
  const graph loaded = graphs::load_graph(file.path);
  const tensor again = loaded.bound(0);
  CHECK(again.strides() == w.strides());
  CHECK(tb::equal(again, w));
  CHECK(tb::equal(graphs::replay(loaded, {})[0], y));
}

TEST_CASE("file: captured copies, which are dense, go where the tensors were", "[graphs]") {
  const temporary_file file;
  const tensor table = programs::counted({4, 3}), element = tb::select(tb::select(table, 0, 2), 0, 1);
  graphs::recorder recording({.capture = graphs::capture::copy});
  const tensor y = tb::neg(tb::select(table, 1, 2)) + element;
  const graph g = recording.finish({{"y", y}});
  graphs::save_graph(file.path, g);
  CHECK(tb::equal(graphs::replay(graphs::load_graph(file.path), {})[0], y));
}

TEST_CASE("file: what has no elements, and what is no graph, is refused", "[graphs]") {
  const temporary_file file;
  const graph g = programs::training_step(programs::network{});
  CHECK(toy::text_of<graphs::graph_error>([&] {
          graphs::save_graph(file.path, graphs::parse_graph(graphs::to_string(g)));
        }) == "save_graph: found no elements of \"hidden.weight\", " + g.describe(g.parameters()[0].tensor) +
                  ", wanted a graph that was recorded or loaded from a file");
  CHECK_FALSE(std::filesystem::exists(file.path));
  CHECK(load_refusal(file.path).starts_with("load_tensors: "));

  const tensor w = programs::counted({2, 2});
  tb::save_tensors(file.path, {{"w", w}});
  CHECK(load_refusal(file.path) == "load_graph: \"" + file.path + "\": found no graph, wanted a file of save_graph()");

  const auto with_graph = [&](const std::string& text, const std::vector<tb::named_tensor>& tensors) {
    tb::save_tensors(file.path, tensors,
                     {{"topbit.graph", graphs::to_json(graphs::parse_graph("topbit graph 1.0\n" + text))}});
    return load_refusal(file.path);
  };
  CHECK(with_graph("parameter %0 \"w\": float32[2,2] cpu s0:16\n", {}) ==
        "load_graph: \"" + file.path + "\": found no tensor \"w\", which the graph reads");
  CHECK(with_graph("parameter %0 \"w\": float32[2,3] cpu s0:24\n", {{"w", w}}).starts_with("graph: "));
  CHECK(with_graph("parameter %0 \"w\": float32[2,3] cpu s0:9999999999999\n", {{"storage.0", w}}) ==
        "load_graph: \"" + file.path + "\": found another dtype or size of \"storage.0\" than the graph has");
  CHECK(with_graph("parameter %0 \"w\": float32[2,2] cpu s0:16\n", {{"w", w}}) == "nothing was thrown");
  tb::save_tensors(file.path, std::vector<tb::named_tensor>{}, {{"topbit.graph", "{\"topbit_graph\":{\"major\":2}}"}});
  CHECK(load_refusal(file.path) == "graph_from_json: found a graph of format 2, wanted format 1");
}
