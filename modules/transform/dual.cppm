// Forward mode: dual tensors, which carry tangents from the arguments of a function to its results.
//
// A tangent is what a layer knows about a tensor and no wrapper: gradients are recorded of dual tensors as of any, and
// a node that saves one saves its tangent. Where a batched tensor is dual, the tensor with all examples has the
// tangent. A tangent belongs to a level; the formula of a level sees the tangents of lower levels alone, and may be
// dual itself.
export module topbit.transform:dual;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :level;

namespace topbit {

namespace detail {

/// What a dual tensor has: a tangent for each of some levels, in the order in which these began.
struct tangents final : author::layer_extension {
  struct one {
    std::uint64_t level = 0;
    tensor along;
    bool shared = false;  // with a caller: replaced by a copy before it is written or viewed
  };
  explicit tangents(std::vector<one> of);
  tangents(const tangents&) = delete;
  tangents& operator=(const tangents&) = delete;
  ~tangents() override;
  // Drops those of a level, wherever they are: a tensor that a node saved may have a tangent that depends on the node.
  static void drop(std::uint64_t level);

  std::vector<one> all;

 private:
  // All that exist, in a list.
  tangents* before_ = nullptr;
  tangents* after_ = nullptr;
};

// A level of forward mode, on the thread that began it.
// Levels end where they began, the innermost first; others end the process.
struct tangent_level {
  tangent_level();
  tangent_level(const tangent_level&) = delete;
  tangent_level& operator=(const tangent_level&) = delete;
  ~tangent_level();

  const std::uint64_t number;

 private:
  friend struct tangent_levels;
  // The tangents of this level that recorded results have, for rules that read them.
  struct recorded {
    author::recorded_result what;
    tangents::one tangent;
  };
  std::unordered_map<const node*, std::vector<recorded>> results_;
  tangent_level* const outer_;
  const author::saved_result_reader reader_before_;
  const author::function_layer functions_before_;
};

// Calls of forward mode itself: the call that they belong to came through the layers above already.
class below_layers {
 public:
  below_layers() noexcept : layers_(key_set{key::FuncTorchVmapMode, key::AutocastFunctionality}) {}

 private:
  exclude_guard layers_;
};

// The levels of this thread. While a formula of a level runs, the level and those within it are not seen; levels that
// begin in the formula are. forward() of a user's function sees none of those before it.
struct tangent_levels {
  static bool is_alive(std::uint64_t number) noexcept;
  static bool is_seen(std::uint64_t number) noexcept;
  // Hides the level and those within it.
  class hidden_scope {
   public:
    explicit hidden_scope(std::uint64_t level) noexcept;
    hidden_scope(const hidden_scope&) = delete;
    hidden_scope& operator=(const hidden_scope&) = delete;
    ~hidden_scope();

   private:
    friend struct tangent_levels;
    const std::uint64_t first_hidden_, last_hidden_;
    const hidden_scope* const outer_;
  };
  class formula_scope : public hidden_scope {
   public:
    using hidden_scope::hidden_scope;

   private:
    below_layers layers_;
  };
  // Gives a result that a rule reads its tangents; remembers those of a tensor as those of a recorded result.
  static void read(const node& of, std::uint32_t result, const tensor& saved);
  static void remember(const author::recorded_result& what, const tensor& with);
};

// The tangent of a plain tensor at a level; undefined if it has none, which stands for zero.
tensor tangent_of(const tensor& t, std::uint64_t level) noexcept;
// Copies a tangent whose elements lie in another order than the tensor's.
void set_tangent(const tensor& t, std::uint64_t level, const tensor& along, bool shared = false);
// The same, after making it the tensor's own memory, so that it can be written and viewed. To be called in the scope of
// a formula of the level, which sees the tangents that this tangent may have.
tensor own_tangent_of(const tensor& t, std::uint64_t level);
// Adds the level numbers, in ascending order and once each, of the tangents that are seen.
void add_levels(const tensor& t, std::vector<std::uint64_t>& levels);
inline bool may_be_dual(const tensor& t) noexcept { return t.keys().contains(key::ForwardAD); }
// Gives `to`, which stands for `from`, its tangents.
void carry_tangents(const tensor& from, const tensor& to);
// An alias with its tangents: recorded, or outside of any graph.
tensor dual_alias(const tensor& t, bool recorded);
// The tensor without its part in a graph, but with its tangents.
tensor released_from_graph(const tensor& t);

}  // namespace detail

/// A tensor as a level sees it.
export struct dual_parts {
  tensor primal;
  tensor tangent;  // undefined for zero: the primal does not depend on what has a tangent
};

/// A level of forward mode: the scope in which tensors have tangents of this level.
///
///   tb::dual_level level;
///   const tb::tensor y = f(level.dual(x, v));
///   const auto [value, change] = level.parts(y);
///
/// Levels nest, also with vmap, grad_of() and jvp(): the derivative of a derivative. When the level ends its tangents
/// are dropped; a dual tensor that is kept is the primal from then on. A level is a scope of the thread that
/// began it: on others its tangents are not seen, and one that ends before a level within it ends the process. Every
/// operator with a gradient rule has a tangent. Operators that are not differentiable, and detach(), give none; no_grad
/// does not stop tangents. A write through a view reaches the tangent of its base; it is an error if the base was plain
/// and has other views. Cost: no call without dual tensors pays; with them, the operator and its formula. The
/// recorded calls among them are kept until the level ends.
export class dual_level {
 public:
  dual_level() = default;

  /// An alias of the primal with this tangent; the primal itself has none. Writing to it writes the primal's memory,
  /// and a copy of the tangent. Throws dtype_error unless both are floating and of one dtype, shape_error unless of
  /// the same sizes, device_error unless on one device, error in inference mode and for tensors made in it.
  tensor dual(const tensor& primal, const tensor& tangent) const;
  dual_parts parts(const tensor& x) const;

 private:
  detail::tangent_level level_;
};

}  // namespace topbit
