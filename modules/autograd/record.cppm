// Autograd kernels, generated from the gradient rule of an operator.
//
// The kernel tests whether an argument requires a gradient; if not, it redispatches below autograd. Otherwise it
// redispatches, lets the rule save what it needs, and attaches a node to the result. If an argument is of a layout
// other than strided and opaque, the rule is not used: the kernel of the layout is called with autograd on.
export module topbit.autograd:record;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :mode;
import :node;
import :variable;
import :view;
import :saved;
import :rule;

namespace topbit {

namespace detail {

template <class T, class Visit>
void each_tensor(const T& x, Visit&& visit) {
  if constexpr (is_tensor<T>) {
    visit(x);
  } else if constexpr (is_tensor<held_t<T>>) {
    if constexpr (requires { x.has_value(); }) {
      if (x.has_value()) each_tensor(*x, visit);
    } else {
      for (const auto& y : x) each_tensor(y, visit);
    }
  }
}

template <class T>
bool wants_grad(const T& x) noexcept {
  if constexpr (is_tensor<T>) {
    return requires_grad(x);
  } else {
    bool wanted = false;
    each_tensor(x, [&](const tensor& t) { wanted = wanted || requires_grad(t); });
    return wanted;
  }
}

// Whether the kernel of a layout is called, which computes with differentiable operators on the parts of such tensors:
// then these record, and the operator itself does not. An opaque tensor is recorded as a strided one.
template <class... A>
bool kernel_records(const A&... a) noexcept {
  bool found = false;
  const auto look = [&](const tensor& t) {
    found = found || (t.layout() != layout::strided && t.layout() != layout::opaque);
  };
  (each_tensor(a, look), ...);
  return found;
}

template <class T>
bool is_handle_of(const tensor& result, const T& x) noexcept {
  bool same = false;
  each_tensor(x, [&](const tensor& t) { same = same || result.same_as(t); });
  return same;
}

inline intrusive_ptr<node> edge_of(const tensor& t) { return author::gradient_edge(t); }
inline intrusive_ptr<node> edge_of(const std::optional<tensor>& t) {
  return t.has_value() ? author::gradient_edge(*t) : intrusive_ptr<node>();
}

// The gradients of results as a backward() takes them: one, a list, or as many as there are.
template <class Wanted>
decltype(auto) gradients_as(std::span<const tensor> of_results) {
  if constexpr (std::same_as<Wanted, const tensor&>) {
    return of_results[0];
  } else if constexpr (std::same_as<Wanted, std::span<const tensor>>) {
    return of_results;
  } else {
    std::remove_cvref_t<Wanted> all;
    std::ranges::copy(of_results, all.begin());
    return all;
  }
}

// Whether the node of a rule has saved tensors to release. One that has none can run again at any time.
template <class Rule>
inline constexpr bool saves_tensors = !std::is_trivially_destructible_v<Rule>;
template <class Rule>
  requires requires { Rule::saves_tensors; }
inline constexpr bool saves_tensors<Rule> = Rule::saves_tensors;

// The node of a call: the rule, and the edges, of which a list of tensors has a number of its own.
template <const auto& Op, class Rule, class Sig>
class recorded;
template <const auto& Op, class Rule, class R, class... A>
class recorded<Op, Rule, R(A...)> final : public node {
  using backward_types = backward_of<R(A...)>;
  static constexpr bool listed = backward_types::listed;
  using edge_list = std::conditional_t<listed, std::vector<intrusive_ptr<node>>,
                                       std::array<intrusive_ptr<node>, backward_types::edges>>;

 public:
  explicit recorded(const A&... a) : node(is_node, saves_tensors<Rule> ? 0 : node_access::kept) {
    if constexpr (listed) {
      (add_edges(a), ...);
    } else {
      std::size_t i = 0;
      (set_edge<A>(i, a), ...);
    }
    connect(edges_);
  }
  ~recorded() override {
    if (holds_) rule_.~Rule();
  }
  void keep(Rule&& rule) {
    ::new (&rule_) Rule(std::move(rule));
    holds_ = true;
  }
  // Of a call whose results have output nodes.
  void expect_results(std::size_t count) {
    node_access::raise_flag(*this, node_access::has_outputs);
    results_.count = static_cast<std::uint32_t>(count);
  }

  void backward(std::span<const tensor> of_results, std::span<tensor> of_inputs) override {
    if constexpr (listed) {
      std::unique_ptr<bool[]> wanted(new bool[edges_.size()]);
      for (std::size_t i = 0; i < edges_.size(); ++i) wanted[i] = static_cast<bool>(edges_[i]);
      take(rule_.backward(gradients_as<typename backward_types::gradient>(of_results),
                          std::span<const bool>(wanted.get(), edges_.size())),
           of_inputs);
    } else {
      std::array<bool, backward_types::edges> wanted;
      for (std::size_t i = 0; i < backward_types::edges; ++i) wanted[i] = static_cast<bool>(edges_[i]);
      take(rule_.backward(gradients_as<typename backward_types::gradient>(of_results), wanted), of_inputs);
    }
  }
  void release() noexcept override {
    if (std::exchange(holds_, false)) rule_.~Rule();
  }
  std::string_view name() const noexcept override { return Op.name(); }
  std::size_t result_count() const noexcept override {
    if constexpr (std::same_as<R, tensor>)
      return 1;
    else
      return results_.count;
  }
  std::size_t argument_of(std::size_t input) const noexcept override { return listed ? input : argument_at(input); }

 private:
  static std::size_t argument_at(std::size_t input) noexcept {
    static constexpr std::array<std::size_t, backward_types::edges + 1> at = [] {
      std::array<std::size_t, backward_types::edges + 1> all{};
      std::size_t edge = 0, argument = 0;
      ((edges_of<A> != 0 ? void(all[edge++] = argument) : void(), ++argument), ...);
      return all;
    }();
    return at[input];
  }
  template <class T>
  void set_edge(std::size_t& i, const std::remove_cvref_t<T>& x) {
    if constexpr (edges_of<T> != 0) edges_[i++] = edge_of(x);
  }
  template <class T>
  void add_edges(const T& x) {
    if constexpr (is_tensor<T> || std::same_as<T, std::optional<tensor>>) {
      edges_.push_back(edge_of(x));
    } else if constexpr (is_tensor<held_t<T>>) {
      for (const auto& t : x) edges_.push_back(edge_of(t));
    }
  }
  void take(auto&& found, std::span<tensor> of_inputs) const {
    if (found.size() != of_inputs.size()) raise_wrong_count(*this, found.size());
    std::ranges::move(found, of_inputs.begin());
  }

  struct one_result {};
  struct several_results {
    std::uint32_t count = 0;
  };
  edge_list edges_;
  union {
    Rule rule_;
  };
  [[no_unique_address]] std::conditional_t<std::same_as<R, tensor>, one_result, several_results> results_;
};

inline bool is_differentiable(const tensor& result) noexcept { return result.defined() && is_floating(result.dtype()); }

// True for a view of x, or of what x is a view of.
template <class T>
bool is_view_of(const view_data& v, const T& x) noexcept {
  bool found = false;
  each_tensor(x, [&](const tensor& t) {
    const view_data* of = view_of(t);
    found = found || v.base.same_as(t) || (of != nullptr && v.base.same_as(of->base));
  });
  return found;
}

// A copy of an argument's elements, since a write to the result would not be seen by its graph.
tensor copy_if_aliased(const tensor& argument);

// A kernel may return an argument, a tensor that is part of a graph already, or a view of one; none of these may become
// a result of this call. A view of an argument that was made below autograd has its base, and is kept.
template <class... A>
void detach_alias(tensor& result, const A&... a) {
  if ((is_handle_of(result, a) || ...)) {
    result = copy_if_aliased(result);
    return;
  }
  const tensor_extension* e = extension_of(result);
  if (e == nullptr) return;
  if (e->role != is_view || !(is_view_of(*view_of(result), a) || ...)) result = author::make_alias(result);
}

// Attaches the output nodes of a call to its results.
class output_node_maker {
 public:
  explicit output_node_maker(intrusive_ptr<node> n) : node_(std::move(n)) {}
  template <class... A>
  void add(tensor& result, const A&... a) {
    const std::uint32_t index = next_++;
    if (!is_differentiable(result)) return;
    detach_alias(result, a...);
    if (node_->kind() == nullptr) node_->stand_for(result);
    author::set_creator(result, intrusive_ptr<node>(new output_node(node_, index)));
  }

 private:
  intrusive_ptr<node> node_;
  std::uint32_t next_ = 0;
};

[[noreturn]] void raise_in_place(std::string_view op);

// What a rule may save of a tensor that is about to be overwritten: a copy of its elements, or, if it reads none, only
// the metadata. Both with the history of t.
tensor before_write(const tensor& t, bool reads_elements);

// An argument of a call that writes to `written`, as a rule may save it.
template <class T>
T unwritten(const T& x, const tensor& written) {
  if constexpr (is_tensor<T>) {
    if (author::record_of(x).data && author::record_of(x).data == author::record_of(written).data)
      return before_write(x, true);
  } else if constexpr (std::same_as<T, std::optional<tensor>>) {
    if (x.has_value()) return unwritten(*x, written);
  }
  return x;
}

// Whether a rule reads the first argument's elements; true by default.
template <class Rule>
inline constexpr bool keeps_first_argument = true;
template <class Rule>
  requires requires { Rule::keeps_first_argument; }
inline constexpr bool keeps_first_argument<Rule> = Rule::keeps_first_argument;

}  // namespace detail

export namespace author {

template <const auto& Op, class Rule, class Sig = std::remove_cvref_t<decltype(Op)>::signature>
struct autograd_kernel {
  static_assert(gradient_rule<Rule, std::remove_cvref_t<decltype(Op)>>,
                topbit::detail::explain_gradient_rule<Rule, std::remove_cvref_t<decltype(Op)>>());
};

/// `autograd_kernel<op, rule>::run` is the kernel to register for key::Autograd.
template <const auto& Op, class Rule, class R, class... A>
  requires topbit::detail::has_tensor_results<R>
struct autograd_kernel<Op, Rule, R(A...)> {
  static_assert(gradient_rule<Rule, std::remove_cvref_t<decltype(Op)>>,
                topbit::detail::explain_gradient_rule<Rule, std::remove_cvref_t<decltype(Op)>>());
  using recorded = topbit::detail::recorded<Op, Rule, R(A...)>;

  static R run(key_set keys, A... a) {
    if (!(topbit::detail::wants_grad(a) || ...)) return Op.redispatch(keys & below(key::Autograd), a...);
    return record(keys, a...);
  }

 private:
  [[gnu::noinline]] static R record(key_set keys, const A&... a) {
    if (topbit::detail::kernel_records(a...)) return Op.redispatch(keys & below(key::Autograd), a...);
    R result = [&] {
      const below_autograd guard;
      return Op.redispatch(keys & below(key::Autograd), a...);
    }();
    if constexpr (std::same_as<R, tensor>) {
      if (!topbit::detail::is_differentiable(result)) return result;
      topbit::detail::detach_alias(result, a...);
      auto* const n = new recorded(a...);
      intrusive_ptr<node> creator(n);
      n->keep(Rule::save(a..., std::as_const(result)));
      set_creator(result, std::move(creator));
    } else {
      auto* const n = new recorded(a...);
      topbit::detail::output_node_maker outputs{intrusive_ptr<node>(n)};
      n->keep(Rule::save(a..., std::as_const(result)));
      if constexpr (std::same_as<R, std::vector<tensor>>) {
        n->expect_results(result.size());
        for (tensor& t : result) outputs.add(t, a...);
      } else {
        n->expect_results(topbit::detail::gradients_of_results<R>::count);
        std::apply([&](auto&... t) { (add(outputs, t, a...), ...); }, result);
      }
    }
    return result;
  }
  template <class T>
  static void add(topbit::detail::output_node_maker& outputs, T& result, const A&... a) {
    if constexpr (std::same_as<T, tensor>) outputs.add(result, a...);
  }
};

/// For in-place operators: `Rule` is that of the functional form. Saved elements of the argument are copied before,
/// unless the rule has `keeps_first_argument = false`.
template <const auto& Op, class Rule, class... A>
struct autograd_kernel<Op, Rule, tensor&(tensor&, A...)> {
  static_assert(gradient_rule<Rule, std::remove_cvref_t<decltype(Op)>>,
                topbit::detail::explain_gradient_rule<Rule, std::remove_cvref_t<decltype(Op)>>());
  using recorded = topbit::detail::recorded<Op, Rule, tensor(const tensor&, A...)>;

  static tensor& run(key_set keys, tensor& self, A... a) {
    if (!(requires_grad(self) || ... || topbit::detail::wants_grad(a)) || !is_floating(self.dtype()))
      return Op.redispatch(keys & below(key::Autograd), self, a...);
    check_in_place(Op.name(), self);
    if (topbit::detail::kernel_records(self, a...)) return Op.redispatch(keys & below(key::Autograd), self, a...);
    (topbit::detail::each_tensor(a, &topbit::detail::check_can_be_saved), ...);
    return record(keys, self, topbit::detail::unwritten<std::remove_cvref_t<A>>(a, self)...);
  }

 private:
  [[gnu::noinline]] static tensor& record(key_set keys, tensor& self, const std::remove_cvref_t<A>&... a) {
    const tensor before = topbit::detail::before_write(self, topbit::detail::keeps_first_argument<Rule>);
    auto* const n = new recorded(before, a...);
    intrusive_ptr<node> creator(n);
    {
      const below_autograd guard;
      Op.redispatch(keys & below(key::Autograd), self, a...);
    }
    n->keep(Rule::save(before, a..., std::as_const(self)));
    rebase(self, std::move(creator));
    return self;
  }
};

/// For operators that write to an argument and have no rule: refuses arguments that require a gradient, else
/// redispatches below autograd.
template <const auto& Op, class Sig = std::remove_cvref_t<decltype(Op)>::signature>
struct in_place_autograd;
template <const auto& Op, class R, class... A>
struct in_place_autograd<Op, R(A...)> {
  static R run(key_set keys, A... a) {
    if ((topbit::detail::wants_grad(a) || ...) && !topbit::detail::kernel_records(a...))
      topbit::detail::raise_in_place(Op.name());
    return Op.redispatch(keys & below(key::Autograd), a...);
  }
};

}  // namespace author

}  // namespace topbit
