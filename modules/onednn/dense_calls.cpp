module topbit.onednn;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :arrays;
import :dense_calls;

namespace topbit::onednn {

namespace {

constinit std::atomic<dense_calls> policy{dense_calls::allowed};

constinit author::call_counts counted;

bool has_blocked(const value& v) { return author::find_tensor(v, &is_blocked) != nullptr; }

// Each tensor in oneDNN's format once, and its strided copy: arguments that are one tensor stay one.
class copies {
 public:
  tensor of(const tensor& t) {
    if (!is_blocked(t)) return t;
    for (const auto& [original, copy] : all_) {
      if (original.same_as(t)) return copy;
    }
    return all_.emplace_back(t, to_dense(t)).second;
  }
  tensor original_of(const tensor& copy) const {
    for (const auto& [original, made] : all_) {
      if (made.same_as(copy)) return original;
    }
    return copy;
  }

 private:
  std::vector<std::pair<tensor, tensor>> all_;
};

// What was written to the copy, and its history.
void write_back(std::string_view op, const tensor& original, const tensor& copy) {
  if (original.same_as(copy)) return;
  if (copy.sizes() != original.sizes() || copy.dtype() != original.dtype()) {
    throw layout_error(std::string(op) + ": found a result of other sizes or dtype for a tensor of layout mkldnn",
                       std::string(op));
  }
  write(original, copy);
  if (requires_grad(copy)) author::rebase(original, author::gradient_edge(copy));
}

}  // namespace

dense_calls set_dense_calls(dense_calls p) noexcept { return policy.exchange(p, std::memory_order_relaxed); }

void announce_dense_call(std::string_view op) {
  if (policy.load(std::memory_order_relaxed) == dense_calls::refused) {
    author::refuse_layout(op, "an argument", layout::mkldnn, layout::strided, op);
  }
  counted.add(op);
}

void on_strided_copies(const operator_handle& op, boxed_stack& stack) {
  const author::schema_view* const schema = op.parsed_schema();
  const std::span<value> arguments = stack.top(op.argument_count());
  if (policy.load(std::memory_order_relaxed) == dense_calls::refused) {
    const auto blocked_one = std::ranges::find_if(arguments, &has_blocked);
    if (blocked_one != arguments.end()) {
      author::refuse_argument(op, static_cast<std::size_t>(blocked_one - arguments.begin()), layout::mkldnn);
    }
  }
  announce_dense_call(op.name());
  copies made;
  std::vector<std::pair<tensor, tensor>> written;
  bool wants_format = false;  // zeros(sizes, layout=mkldnn)
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].is<layout>() && arguments[i].get<layout>() == layout::mkldnn) {
      arguments[i] = value(layout::strided);
      wants_format = true;
    }
    if (!has_blocked(arguments[i])) continue;
    const bool writes = schema != nullptr ? schema->arguments[i].writes : arguments[i].is_reference();
    arguments[i] = author::map_tensors(arguments[i], [&](const tensor& t) {
      const tensor copy = made.of(t);
      if (writes && is_blocked(t)) written.emplace_back(t, copy);
      return copy;
    });
  }
  {
    std::optional<counted_once> guard;
    if (inspect::has_kernel(op, key::ADInplaceOrView)) guard.emplace();
    op.call_boxed(stack);
  }
  for (const auto& [original, copy] : written) write_back(op.name(), original, copy);
  if (written.empty() && !wants_format) return;
  for (value& v : stack.top(op.result_count())) {
    v = author::map_tensors(v, [&](const tensor& t) { return wants_format ? blocked(t) : made.original_of(t); });
  }
}

tensor blocked(const tensor& t) {
  if (!t.defined() || is_blocked(t) || !has_element(t.dtype()) || t.dim() < 1 || t.dim() > most_dims) return t;
  return to_mkldnn(t);
}

std::vector<author::call_count> dense_call_report() { return counted.report(); }
void reset_dense_call_report() { counted.reset(); }

}  // namespace topbit::onednn
