module;

#include <math.h>

module topbit.profiler;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

namespace {

using profile::cost;
using arguments = std::span<const value>;

// Calls are not checked yet when a rule sees them: whether the first arguments are tensors of at least these ranks.
bool are_tensors(arguments a, std::size_t first, std::initializer_list<std::int64_t> ranks) {
  if (a.size() < first + ranks.size()) return false;
  std::size_t i = first;
  return std::ranges::all_of(ranks, [&](std::int64_t rank) {
    const value& v = a[i++];
    return v.is<tensor>() && v.get<tensor>().defined() && v.get<tensor>().dim() >= rank;
  });
}
const tensor& tensor_at(arguments a, std::size_t i) { return a[i].get<tensor>(); }
// Whether lists of so many integers follow.
bool are_lists(arguments a, std::size_t first, std::size_t count, std::int64_t size) {
  if (a.size() < first + count) return false;
  return std::ranges::all_of(a.subspan(first, count), [&](const value& v) {
    return v.is<std::span<const std::int64_t>>() &&
           v.get<std::span<const std::int64_t>>().size() == static_cast<std::size_t>(size);
  });
}

double elements(const tensor& t) { return static_cast<double>(t.numel()); }
double bytes(const tensor& t) { return elements(t) * static_cast<double>(size_of(t.dtype())); }
double size(const tensor& t, std::int64_t from_end) { return static_cast<double>(t.size(t.dim() - from_end)); }
double product_of(std::span<const std::int64_t> all) {
  double x = 1;
  for (const std::int64_t each : all) x *= static_cast<double>(each);
  return x;
}
// Of all dimensions but the first so many and the last so many.
double elements_within(const tensor& t, std::size_t first, std::size_t last) {
  const std::span<const std::int64_t> sizes = t.sizes();
  return first + last >= sizes.size() ? 1 : product_of(sizes.subspan(first, sizes.size() - first - last));
}

// A product of `count` elements, each the sum of `depth` products, and what is added to each.
cost product(double count, double depth, bool plus, std::initializer_list<const tensor*> read) {
  const dtype type = (*read.begin())->dtype();
  cost c{2 * count * depth, 2 * count * depth + (plus ? count : 0), 0, count * static_cast<double>(size_of(type))};
  for (const tensor* t : read) c.bytes_read += bytes(*t);
  return c;
}

// mm, bmm, mv, dot, and with `First` = 1 addmm, baddbmm, addmv.
template <std::size_t First>
std::optional<cost> matrix_product(arguments a) {
  if (!are_tensors(a, First, {1, 1}) || (First != 0 && !are_tensors(a, 0, {0}))) return std::nullopt;
  const tensor &x = tensor_at(a, First), &y = tensor_at(a, First + 1);
  const double columns = y.dim() < 2 ? 1 : size(y, 1);
  cost c = product(elements_within(x, 0, 1) * columns, size(x, 1), First != 0, {&x, &y});
  if constexpr (First != 0) c.bytes_read += bytes(tensor_at(a, 0));
  return c;
}

std::optional<cost> linear(arguments a) {
  if (!are_tensors(a, 0, {1, 1}) || a.size() < 3) return std::nullopt;
  const tensor &x = tensor_at(a, 0), &w = tensor_at(a, 1);
  return product(elements_within(x, 0, 1) * elements_within(w, 0, 1), size(x, 1), a[2].is<tensor>(), {&x, &w});
}

// Two products of every query with every key. `Causal` is the argument that says whether keys are masked.
template <std::size_t Causal>
std::optional<cost> attention(arguments a) {
  if (!are_tensors(a, 0, {2, 2, 2})) return std::nullopt;
  const tensor &q = tensor_at(a, 0), &k = tensor_at(a, 1), &v = tensor_at(a, 2);
  const double keys = size(k, 2), rows = elements_within(q, 0, 1);
  const double products = 2 * rows * keys * (size(q, 1) + size(v, 1));
  const bool causal = a.size() > Causal && a[Causal].is<bool>() && a[Causal].get<bool>();
  return cost{products, products + 5 * rows * keys, bytes(q) + bytes(k) + bytes(v),
              rows * size(v, 1) * static_cast<double>(size_of(q.dtype())), causal ? products / 2 : 0};
}

std::span<const std::int64_t> integers(const value& v) { return v.get<std::span<const std::int64_t>>(); }

// topbit::convolve: each element of the result is the sum over a window.
std::optional<cost> convolution(arguments a) {
  if (!are_tensors(a, 0, {3, 3})) return std::nullopt;
  const tensor &x = tensor_at(a, 0), &w = tensor_at(a, 1);
  if (w.dim() != x.dim() || !are_lists(a, 2, 3, x.dim() - 2)) return std::nullopt;
  const auto stride = integers(a[2]), padding = integers(a[3]), dilation = integers(a[4]);
  double count = static_cast<double>(x.size(0)) * static_cast<double>(w.size(0));
  for (std::size_t d = 0; d < stride.size(); ++d) {
    if (stride[d] <= 0) return std::nullopt;
    const auto at = static_cast<std::int64_t>(d) + 2;
    const double reach = static_cast<double>(dilation[d]) * static_cast<double>(w.size(at) - 1) + 1,
                 room = static_cast<double>(x.size(at)) + 2 * static_cast<double>(padding[d]) - reach;
    count *= floor(room / static_cast<double>(stride[d])) + 1;
  }
  return product(count, elements_within(w, 1, 0), false, {&x, &w});
}

// topbit::convolve_input_gradient, convolve_weight_gradient: as many products as forward, for each element of the
// result's gradient a window's.
cost convolution_gradient(arguments a, double window, double results) {
  const tensor &gradient = tensor_at(a, 0), &other = tensor_at(a, 1);
  cost c = product(elements(gradient), window, false, {&gradient, &other});
  c.bytes_written = results * static_cast<double>(size_of(gradient.dtype()));
  return c;
}
std::optional<cost> input_gradient(arguments a) {
  if (!are_tensors(a, 0, {3, 3}) || !are_lists(a, 2, 1, tensor_at(a, 0).dim())) return std::nullopt;
  return convolution_gradient(a, elements_within(tensor_at(a, 1), 1, 0), product_of(integers(a[2])));
}
std::optional<cost> weight_gradient(arguments a) {
  if (!are_tensors(a, 0, {3, 3}) || !are_lists(a, 2, 1, tensor_at(a, 0).dim())) return std::nullopt;
  const auto sizes = integers(a[2]);
  return convolution_gradient(a, product_of(sizes.subspan(1)), product_of(sizes));
}

// Never destroyed: calls may be observed at the end of the process.
struct rules {
  std::mutex& mutex = author::hold_at_fork(*new std::mutex, author::fork_order::leaf);
  std::map<std::string, author::cost_rule, std::less<>> all;
};
rules& of_process() {
  static rules& r = *new rules{.all = {{"aten::mm", matrix_product<0>},
                                       {"aten::bmm", matrix_product<0>},
                                       {"aten::mv", matrix_product<0>},
                                       {"aten::dot", matrix_product<0>},
                                       {"aten::addmm", matrix_product<1>},
                                       {"aten::baddbmm", matrix_product<1>},
                                       {"aten::addmv", matrix_product<1>},
                                       {"aten::linear", linear},
                                       {"topbit::convolve", convolution},
                                       {"topbit::convolve_input_gradient", input_gradient},
                                       {"topbit::convolve_weight_gradient", weight_gradient},
                                       {"aten::scaled_dot_product_attention", attention<5>},
                                       {"topbit::attend", attention<4>}}};
  return r;
}

// An operation for each element: of the broadcast operands, or of what is reduced.
cost by_elements(arguments a, bool reduces) {
  double count = 0, width = 0;
  cost c;
  shape sizes;
  for (const value& v : a) {
    author::each_tensor(v, [&](const tensor& t) {
      if (!t.defined()) return;
      c.bytes_read += bytes(t);
      width = std::max(width, static_cast<double>(size_of(t.dtype())));
      if (reduces) {
        count += elements(t);
        return;
      }
      for (std::int64_t d = 0; d < t.dim(); ++d) {
        if (static_cast<std::size_t>(d) >= sizes.size()) sizes.push_back(1);
        std::int64_t& size = sizes[static_cast<std::size_t>(d)];
        size = size == 1 ? t.size(t.dim() - 1 - d) : size;
      }
    });
  }
  if (!reduces) {
    count = product_of(sizes);
    c.bytes_written = count * width;
  }
  c.operations = count;
  return c;
}

}  // namespace

profile::cost& profile::cost::operator+=(const cost& other) noexcept {
  products += other.products;
  operations += other.operations;
  bytes_read += other.bytes_read;
  bytes_written += other.bytes_written;
  masked += other.masked;
  return *this;
}

namespace {

author::cost_rule rule_of(std::string_view op) {
  rules& r = of_process();
  const std::lock_guard lock(r.mutex);
  const auto found = r.all.find(op);
  return found == r.all.end() ? nullptr : found->second;
}

// "aten::mm" of "aten::mm.out", "aten::addmm" of "aten::addmm_": forms with the same arguments first.
std::string_view functional_name(std::string_view op) {
  if (op.ends_with(".out")) op.remove_suffix(4);
  if (op.ends_with("_")) op.remove_suffix(1);
  return op;
}

}  // namespace

std::optional<profile::cost> profile::cost_of(const operator_handle& op, std::span<const value> all) try {
  author::cost_rule rule = rule_of(op.name());
  if (rule == nullptr) rule = rule_of(functional_name(op.name()));
  if (rule != nullptr) return rule(all);
  const tag_set tags = op.tags();
  if (tags.contains(tag::view)) return cost{};
  if (tags.contains(tag::pointwise)) return by_elements(all, false);
  if (tags.contains(tag::reduction)) return by_elements(all, true);
  return std::nullopt;
} catch (const std::exception&) {  // of a rule that does not know such a call
  return std::nullopt;
}

void author::register_cost(std::string_view op, cost_rule rule) {
  rules& r = of_process();
  const std::lock_guard lock(r.mutex);
  r.all.insert_or_assign(std::string(op), rule);
}

}  // namespace topbit
