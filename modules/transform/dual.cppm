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
  std::vector<one> all;
};

// A level of forward mode, on the thread that began it.
struct tangent_level {
  tangent_level();
  tangent_level(const tangent_level&) = delete;
  tangent_level& operator=(const tangent_level&) = delete;
  ~tangent_level();

  const std::uint64_t number;

 private:
  friend struct tangent_levels;
  // The tangents of recorded results, for rules that read them.
  struct recorded {
    author::recorded_result what;
    std::vector<tangents::one> all;
  };
  std::unordered_map<const node*, std::vector<recorded>> results_;
  tangent_level* const outer_;
  const author::saved_result_reader reader_before_;
};

// The levels whose tangents are seen on this thread: those that it began, up to the one whose formula runs.
struct tangent_levels {
  static bool contains(std::uint64_t number) noexcept;
  // From now on a formula of this level runs.
  class formula_scope {
   public:
    explicit formula_scope(std::uint64_t level) noexcept;
    formula_scope(const formula_scope&) = delete;
    formula_scope& operator=(const formula_scope&) = delete;
    ~formula_scope();

   private:
    std::uint64_t before_;
    exclude_guard layers_;
  };
  // Gives a result that a rule reads its tangents, or remembers those of a result.
  static void read(const node& of, std::uint32_t result, const tensor& saved);
  static void remember(const tensor& result);
};

// The tangent of a plain tensor at a level; undefined if it has none, which stands for zero.
tensor tangent_of(const tensor& t, std::uint64_t level) noexcept;
void set_tangent(const tensor& t, std::uint64_t level, const tensor& along, bool shared = false);
void drop_tangents(const tensor& t) noexcept;
// The same, after making it the tensor's own memory, so that it can be written and viewed. To be called in the scope of
// a formula of the level, which sees the tangents that this tangent may have.
tensor own_tangent_of(const tensor& t, std::uint64_t level);
// Adds the level numbers, in ascending order and once each, of the tangents that are seen.
void add_levels(const tensor& t, std::vector<std::uint64_t>& levels);
inline bool may_be_dual(const tensor& t) noexcept { return t.keys().contains(key::ForwardAD); }
// Gives `to`, which stands for `from`, its tangents.
void carry_tangents(const tensor& from, const tensor& to);
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
/// are dropped; a dual tensor that is kept is the primal from then on. A level belongs to the thread that began it: on
/// others its tangents are not seen. Every operator with a gradient rule has a tangent. Operators that are not
/// differentiable, and detach(), give none; no_grad does not stop tangents. Cost: no call without dual tensors pays;
/// with them, the operator and its formula.
export class dual_level {
 public:
  dual_level() = default;

  /// An alias of the primal with this tangent; the primal itself has none. Writing to it writes the primal's memory,
  /// and a copy of the tangent. Throws dtype_error unless both are floating and of one dtype, shape_error unless of
  /// the same sizes, device_error unless on one device.
  tensor dual(const tensor& primal, const tensor& tangent) const;
  dual_parts parts(const tensor& x) const;

 private:
  detail::tangent_level level_;
};

}  // namespace topbit
