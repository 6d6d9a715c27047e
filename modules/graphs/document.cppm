// A graph as texts and numbers: what its text and its JSON have in common. An interface although it exports nothing, so
// that the fuzzer, a unit in another target, can import it.
export module topbit.graphs:document;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :graph;

namespace topbit::graphs {

inline constexpr std::uint64_t format_major = 1, format_minor = 0;

struct document {
  struct tensor_entry {
    tensor_value is;
    shape sizes, strides;
  };
  struct node_entry {
    std::string op;
    // Of an argument "%3", "[%1, None]", "undefined", "generator", or a value as its operator reads it; by name if it
    // is keyword-only. Of a result "%3", "[%3, %4]", "undefined", or a text in quotes.
    std::vector<std::string> arguments = {}, results = {};
    number parts = 0;  // nodes after it
    graphs::phase phase = graphs::phase::forward;
    number forward = nothing;
    bool no_grad = false;
    std::optional<random_draw> draw{};
  };
  std::vector<std::string> operators;  // canonical schemas, in the order of their use
  std::vector<storage_value> storages;
  std::vector<tensor_entry> tensors;
  std::vector<named_value> inputs, parameters, captured, outputs;
  std::vector<node_entry> nodes;
  std::vector<fault> faults;  // by node
};

document document_of(const graph& g);
document::node_entry entry_of(const graph& g, number node);
// Believes nothing: throws graph_error for whatever is no graph, or none of the operators that there are. `bound` are
// the parameters', then the captured tensors; empty where the document comes without them.
graph graph_from(const document& d, std::span<const tensor> bound = {});

document document_from_json(std::string_view text);
// Without storages: "%3: float32[2,4] cpu = aten::mm(%0, %1)", and "%3: float32[2,4] cpu".
std::string line_of(const graph& g, number node);
std::string declaration_of(const graph& g, number tensor);

// Limits of what is read.
inline constexpr std::size_t most_nodes = 1'000'000, most_arguments = 64, deepest_parts = 64;

// "forward", "backward", "update"
std::string_view name_of(phase p) noexcept;
std::optional<phase> phase_named(std::string_view name) noexcept;
// In quotes, as a terminal can show it, for messages: what is read may be anything.
std::string in_quotes(std::string_view text, std::size_t most = 80);

}  // namespace topbit::graphs
