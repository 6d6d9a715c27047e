module topbit.autograd;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

namespace {

std::atomic<missing_rule>& when_rule_is_missing() noexcept {
  static std::atomic<missing_rule> when = [] {
    const char* const strict = std::getenv("TOPBIT_STRICT_GRADIENTS");
    return strict != nullptr && std::string_view(strict) == "1" ? missing_rule::raises_in_forward
                                                                : missing_rule::raises_in_backward;
  }();
  return when;
}

}  // namespace

missing_rule set_missing_rule(missing_rule when) noexcept {
  return when_rule_is_missing().exchange(when, std::memory_order_relaxed);
}

namespace detail {

namespace {

std::string no_rule_text(const std::string& op, const std::string& origin) {
  return op + ": has no gradient rule" + origin +
         "; register one for key::Autograd, or a fallthrough there if it is not differentiable";
}
// " (its kernel is registered at blur.cpp:12)"
std::string origin_of(const operator_handle& op, key_set keys) {
  const inspect::source_location place =
      place_of_work(op, inspect::computed_row(op, (keys & below(key::BackendSelect)).highest()));
  if (place.file.empty()) return {};
  return " (its kernel is registered at " + place.file.substr(place.file.find_last_of('/') + 1) + ":" +
         std::to_string(place.line) + ")";
}

// The node of a call without a gradient rule; its backward() throws.
class unimplemented_node final : public node {
 public:
  unimplemented_node(std::string_view op, std::string origin, std::vector<intrusive_ptr<node>> edges)
      : op_(op), origin_(std::move(origin)), edges_(std::move(edges)) {
    connect(edges_);
  }
  void backward(std::span<const tensor>, std::span<tensor>) override {
    throw error(no_rule_text(std::string(op_), origin_), std::string(op_));
  }
  void release() noexcept override {}
  std::string_view name() const noexcept override { return op_; }

 private:
  std::string_view op_;
  std::string origin_;
  std::vector<intrusive_ptr<node>> edges_;
};

using tensor_list = std::span<const tensor>;
using optional_list = std::span<const std::optional<tensor>>;

template <class Visit>
void each_boxed(std::span<const value> values, Visit visit) {
  for (const value& v : values) author::each_tensor(v, visit);
}

// Attaches an unimplemented_node to each result; the nodes differ in the kind of their result. A kernel may return an
// argument, which must not become its own result: returns true if another handle was made.
struct marker {
  const operator_handle& op;
  std::string origin;
  std::vector<intrusive_ptr<node>> edges;
  std::vector<tensor> arguments;

  bool operator()(tensor& result) const {
    if (!result.defined() || !is_floating(result.dtype())) return false;
    const view_data* const v = view_of(result);
    const bool same = std::ranges::any_of(arguments, [&](const tensor& t) { return t.same_as(result); });
    const bool own = v != nullptr ? std::ranges::any_of(arguments, [&](const tensor& t) { return is_view_of(*v, t); })
                                  : extension_of(result) == nullptr;
    if (same)
      result = topbit::detail::copy_if_aliased(result);
    else if (!own)
      result = author::make_alias(result);
    author::set_creator(result, intrusive_ptr<node>(new unimplemented_node(op.name(), origin, edges)));
    return same || !own;
  }
  bool operator()(std::optional<tensor>& result) const { return result.has_value() && (*this)(*result); }
};

template <class T>
void mark_list(value& v, const marker& mark) {
  const auto& list = v.get<std::span<const T>>();
  std::vector<T> results(list.begin(), list.end());
  bool changed = false;
  for (T& result : results) changed = mark(result) || changed;
  if (changed) v = value(std::move(results));
}

void run(const operator_handle& op, key_set keys, boxed_stack& s) {
  const key_set below_autograd = keys & below(key::Autograd);
  const std::span<const value> arguments = s.top(op.argument_count());
  bool wanted = false, by_kernel = false;
  each_boxed(arguments, [&](const tensor& t) {
    wanted = wanted || requires_grad(t);
    by_kernel = by_kernel || kernel_records(t);
  });
  wanted = wanted && !by_kernel;
  if (const std::vector<tensor> written = author::written_tensors(op, arguments); !written.empty()) {
    if (wanted) raise_in_place(op.name());
    return run_counting_writes(op, below_autograd, s, written);
  }
  if (!wanted) return op.redispatch_boxed(below_autograd, s);

  marker mark{op, origin_of(op, keys), {}, {}};
  if (when_rule_is_missing().load(std::memory_order_relaxed) == missing_rule::raises_in_forward)
    throw error(no_rule_text(std::string(op.name()), mark.origin), std::string(op.name()));
  each_boxed(arguments, [&](const tensor& t) {
    mark.arguments.push_back(t);
    if (requires_grad(t)) mark.edges.push_back(author::gradient_edge(t));
  });
  {
    const author::below_autograd guard;
    op.redispatch_boxed(below_autograd, s);
  }
  for (value& v : s.top(op.result_count())) {
    if (v.is<tensor>()) {
      if (tensor result = v.get<tensor>(); mark(result)) v = value(std::move(result));
    } else if (v.is<tensor_list>()) {
      mark_list<tensor>(v, mark);
    } else if (v.is<optional_list>()) {
      mark_list<std::optional<tensor>>(v, mark);
    }
  }
}

}  // namespace

void run_counting_writes(const operator_handle& op, key_set below, boxed_stack& s, std::span<const tensor> written) {
  std::vector<std::uint32_t> before;
  for (const tensor& t : written) before.push_back(t.version());
  op.redispatch_boxed(below, s);
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (written[i].defined() && written[i].version() == before[i])
      author::bump_version(written[i], writer_here(*lasting_name(op)));
  }
}

const std::string_view* lasting_name(const operator_handle& op) {
  static std::mutex& mutex = author::hold_at_fork(*new std::mutex, author::fork_order::leaf);
  static auto& names = *new std::map<const void*, std::string_view>;
  const std::lock_guard lock(mutex);
  return &names.emplace(op.id(), op.name()).first->second;
}

registration register_unimplemented() { return fallback<&run>(key::Autograd); }

}  // namespace detail

}  // namespace topbit
