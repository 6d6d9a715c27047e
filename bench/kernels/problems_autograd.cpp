// What recording and running a graph costs: calls that record a node, chains of nodes, one node, steps of training, and
// the memory that a node keeps.
#include "problems.h"

namespace bench {

namespace {

constexpr std::int64_t width = 8;  // elements of the tensors in a chain: few, so that the graph is what costs

problem on_rows(std::string operation, std::string label, std::int64_t size, content filled) {
  problem p;
  p.family = "autograd";
  p.operation = std::move(operation);
  p.how = form::fresh;
  p.label = std::move(label);
  p.size = size;
  p.inputs.assign(2, {.sizes = {width}, .filled = filled});
  p.result = {.sizes = {width}};
  p.unit = "ns";
  return p;
}

void add_chains(std::vector<problem>& all, bool quick) {
  const std::int64_t nodes = quick ? 50 : 1'000;
  for (const char* operation : {"chain_add", "chain_mul", "memory_add", "memory_mul"}) {
    for (const bool both : {false, true}) {
      problem p = on_rows(operation, both ? "both inputs" : "one input", nodes, content::near_one);
      const bool memory = p.operation.starts_with("memory");
      if (memory && !both) continue;
      p.options = {nodes, both ? 1 : 0};
      p.parts = static_cast<double>(nodes);
      p.unit = memory ? "bytes" : "ns";
      all.push_back(p);
    }
  }
}

// A classifier with relu layers of these widths; its parameters are drawn, and each contender trains its own copies.
void add_step(std::vector<problem>& all, const std::vector<std::int64_t>& widths, std::int64_t batch) {
  std::string name;
  for (const std::int64_t w : widths) name += (name.empty() ? "" : "-") + std::to_string(w);
  problem p = on_rows("step", name + ", batch " + std::to_string(batch), batch, content::symmetric);
  p.options = widths;
  p.inputs = {{.sizes = {batch, widths.front()}},
              {.sizes = {batch}, .type = element::int64, .filled = content::labels, .below = widths.back()}};
  for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
    p.inputs.push_back({.sizes = {widths[l + 1], widths[l]}, .filled = content::weights});
    p.inputs.push_back({.sizes = {widths[l + 1]}, .filled = content::weights});
  }
  p.result = {.sizes = {checked_steps}};
  p.unit = "us";
  all.push_back(p);
}

}  // namespace

void add_autograd(std::vector<problem>& all, bool quick) {
  all.push_back(on_rows("record_add", std::to_string(width), width, content::symmetric));
  for (const char* operation : {"one_node_forward", "one_node"}) {
    problem p = on_rows(operation, "1", 1, content::symmetric);
    p.inputs.assign(2, {.sizes = {1}});
    p.result = {.sizes = {1}};
    all.push_back(p);
  }
  add_chains(all, quick);
  add_step(all, {1, 1, 1, 2}, 1);
  for (const std::int64_t batch : {32, 64, 256}) {
    if (!quick || batch == 32) add_step(all, {64, 128, 64, 10}, batch);
  }
}

}  // namespace bench
