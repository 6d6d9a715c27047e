// Running a graph, or what a thread calls, on two devices side by side: which operator differs first.
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
  std::size_t every = 1;  ///< of thread_shadow: one call of so many
};

/// A call whose results, or written arguments, differ by more than the tolerance.
struct shadow_finding {
  number node = nothing;  ///< of thread_shadow: how many calls it had seen before
  std::string op;
  number tensor = nothing;  ///< of the graph: the result or the written argument
  double max_absolute = 0, max_relative = 0;
  double max_ulp = 0;  ///< in units in the last place of the greater one of both, in the dtype; 0 for integers
  double nmse = 0;     ///< sum of (a - b)^2 over sum of a^2; printed, not judged
  std::int64_t differing = 0, elements = 0, nan_on_one = 0;
  std::int64_t worst = 0;  ///< the element with the greatest difference, row-major
  double first = 0, second = 0;
  bool arguments_differed = false;  ///< chained: it may only carry what a call before it made
  std::string kernels[2] = {};      ///< where the kernels are from, as explain has it
};

/// Replays a graph with these inputs, of the first device, on both. Results are compared on the host. Calls that draw
/// random numbers draw those of the recording on both. What the graph writes from outside is written once, by the
/// first. Composites go by as one call.
/// The first finding is the first call that differs: no bisection by partial replays is needed, which would make
/// log2(n) replays of each side and keep as much memory.
///
/// Errors   graph_error as of a replay, and for meta as a second device; what the calls throw
/// Cost     two replays, of which tensors are freed as in one, and a copy and a comparison of every result; isolated
/// also a copy of every argument
std::vector<shadow_finding> shadow(const graph& g, std::span<const topbit::tensor> inputs,
                                   const shadow_options& options);

/// While it lives, the calls of this thread are made a second time on another device, with copies of their arguments,
/// and the results are compared: what shadow() does, isolated, for a program that is not recorded. It sees what reaches
/// kernels, below autograd and batching; composites by their parts.
///
/// Calls that draw random numbers, have an effect, or have tensors on devices that `map` does not name are not
/// compared, and neither are views and operators without a kernel there; skipped() counts them. Options `how` chained
/// is refused with graph_error: record the program, and replay the graph.
///
/// Cost     of a call that is compared: a copy of each argument, the call, and a comparison on the host; of another
/// one,
///          that of a mode
class thread_shadow {
 public:
  explicit thread_shadow(shadow_options options);
  thread_shadow(const thread_shadow&) = delete;
  ~thread_shadow();

  /// Of results, in the order of the calls; written arguments follow results.
  std::span<const shadow_finding> findings() const noexcept;
  std::size_t compared() const noexcept;
  std::size_t skipped() const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// "node 3, aten::mm, %7: ..." with all of it, a few lines each.
std::string to_string(const shadow_finding& f);

}  // namespace topbit::graphs
