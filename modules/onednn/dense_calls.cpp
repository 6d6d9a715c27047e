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

struct counts {
  std::mutex lock;
  std::map<std::string, std::uint64_t> by_op;
};
counts& counted() {
  static counts all;
  return all;
}

bool has_blocked(const value& v) {
  bool found = false;
  author::each_tensor(v, [&](const tensor& t) { found = found || is_blocked(t); });
  return found;
}

std::string name_of_argument(const author::schema_view* schema, std::size_t i) {
  if (schema != nullptr && !schema->arguments[i].name.empty()) {
    return "argument '" + std::string(schema->arguments[i].name) + "'";
  }
  return "argument " + std::to_string(i + 1);
}

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
  counts& all = counted();
  const std::lock_guard lock(all.lock);
  ++all.by_op[std::string(op)];
}

void on_strided_copies(const operator_handle& op, boxed_stack& stack) {
  const author::schema_view* const schema = op.parsed_schema();
  const std::span<value> arguments = stack.top(op.argument_count());
  if (policy.load(std::memory_order_relaxed) == dense_calls::refused) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (has_blocked(arguments[i])) {
        author::refuse_layout(op.name(), name_of_argument(schema, i), layout::mkldnn, layout::strided, op.name());
      }
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
  op.call_boxed(stack);
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

std::vector<dense_call> dense_call_report() {
  std::vector<dense_call> report;
  {
    counts& all = counted();
    const std::lock_guard lock(all.lock);
    for (const auto& [op, calls] : all.by_op) report.push_back({op, calls});
  }
  std::stable_sort(report.begin(), report.end(),
                   [](const dense_call& a, const dense_call& b) { return a.calls > b.calls; });
  return report;
}

void reset_dense_call_report() {
  counts& all = counted();
  const std::lock_guard lock(all.lock);
  all.by_op.clear();
}

std::string to_string(std::span<const dense_call> report) {
  std::size_t width = 8;
  for (const dense_call& row : report) width = std::max(width, row.op.size());
  std::string text = "operator" + std::string(width - 8, ' ') + "  calls\n";
  for (const dense_call& row : report) {
    const std::string calls = std::to_string(row.calls);
    text +=
        row.op + std::string(width - row.op.size() + 2 + (calls.size() < 5 ? 5 - calls.size() : 0), ' ') + calls + "\n";
  }
  return text;
}

}  // namespace topbit::onednn
