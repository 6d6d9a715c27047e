// Running a graph on two devices side by side: which operator differs first.
export module topbit.graphs:shadow;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :graph;

export namespace topbit::graphs {

/// What the second device computes with. isolated: each call has the first device's arguments, so that a difference is
/// that operator's own. chained: what it has computed itself, so that differences add up as they do in a program.
enum class shadowing : std::uint8_t { isolated, chained };

/// |a - b| <= absolute + relative * |a| is no difference; two NaN are none, and two equal infinities.
struct tolerance {
  double absolute = 0, relative = 0;
};
/// That of a dtype: 0 for integers and bool, 1e-3 for float16, 1e-2 for bfloat16, 1e-5 for float32, 1e-8 for float64,
/// relative and absolute.
tolerance usual_tolerance(dtype t) noexcept;

struct shadow_options {
  std::vector<std::pair<device, device>> map = {};  ///< as of a replay: {{cpu, cuda(0)}}
  shadowing how = shadowing::isolated;
  std::function<tolerance(const operator_handle& op, dtype type)> within = {};  ///< by default usual_tolerance()
  std::size_t most = 100;                                                       ///< findings; 1 ends at the first
};

/// A call whose results, or written arguments, differ by more than the tolerance.
struct shadow_finding {
  number node = nothing;
  std::string op;
  number tensor = nothing;  ///< of the graph: the result or the written argument
  double max_absolute = 0, max_relative = 0;
  std::int64_t differing = 0, elements = 0, nan_on_one = 0;
  std::int64_t worst = 0;  ///< the element with the greatest difference, row-major
  double first = 0, second = 0;
  bool arguments_differed = false;  ///< chained: it may only carry what a call before it made
  std::string kernels[2] = {};      ///< where the kernels are from, as explain has it
};

/// Replays a graph with these inputs, of the first device, on both. Results are compared on the host. Calls that draw
/// random numbers draw those of the recording on both. What the graph writes from outside is written once, by the
/// first. Composites go by as one call.
///
/// Errors   graph_error as of a replay; what the calls throw
/// Cost     two replays, and a copy and a comparison of every result; isolated also a copy of every argument
std::vector<shadow_finding> shadow(const graph& g, std::span<const topbit::tensor> inputs,
                                   const shadow_options& options);

/// "node 3, aten::mm, result %7: ..." with all of it, a few lines each.
std::string to_string(const shadow_finding& f);

}  // namespace topbit::graphs
