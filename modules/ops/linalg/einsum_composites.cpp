// einsum and related operators: labelled dimensions are classified as batch, summed, left or right, so that each pair
// of operands is a batched matrix product.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :linalg.matmul_kernels;
import :registration.composite;

namespace topbit::detail {

namespace {

constexpr backend_call einsum_call{nullptr, aten::einsum.name()};

// The label of a dimension: a letter, or its index among those of the ellipsis, counted from the last.
using label = int;
constexpr label first_of_dots = 256;

using labels = std::vector<label>;

bool has(const labels& all, label one) { return std::ranges::find(all, one) != all.end(); }
std::size_t place_of(const labels& all, label one) {
  return static_cast<std::size_t>(std::ranges::find(all, one) - all.begin());
}

std::string name_of_label(label one) {
  return one < first_of_dots ? "'" + std::string(1, static_cast<char>(one)) + "'" : std::string("'...'");
}

// A tensor with labelled dimensions.
struct named {
  tensor t;
  labels names;
};

// Parses one operand or the result. The ellipsis stands for `dots` dimensions.
labels read_labels(std::string_view text, std::string_view equation, std::size_t dots) {
  labels out;
  bool dotted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      out.push_back(c);
    } else if (text.substr(i, 3) == "..." && !dotted) {
      dotted = true;
      i += 2;
      for (std::size_t d = dots; d-- > 0;) out.push_back(first_of_dots + static_cast<label>(d));
    } else {
      refuse<error>(einsum_call, "found '" + std::string(1, c) + "' in '" + std::string(equation) +
                                     "', wanted letters, one ',' between operands, one '->' and one '...' each");
    }
  }
  return out;
}

// An operand with each label once: dimensions with equal labels are replaced by their diagonal.
named read_operand(std::string_view text, std::string_view equation, const tensor& t) {
  check_defined(einsum_call, t);
  const bool dotted = text.find("...") != std::string_view::npos;
  const std::size_t letters = text.size() - (dotted ? 3 : 0);
  const std::size_t rank = t.sizes().size();
  if (rank < letters || (!dotted && rank != letters)) {
    read_labels(text, equation, 0);  // throws for syntax errors first
    refuse<shape_error>(einsum_call, "found " + to_string(t.sizes()) + " for '" + std::string(text) + "', wanted " +
                                         std::to_string(letters) + (dotted ? " or more" : "") + " dimensions");
  }
  named out{t, read_labels(text, equation, rank - letters)};
  for (std::size_t i = 0; i < out.names.size(); ++i) {
    for (std::size_t j = i + 1; j < out.names.size();) {
      if (out.names[i] != out.names[j]) {
        ++j;
        continue;
      }
      if (out.t.sizes()[i] != out.t.sizes()[j]) {
        refuse<shape_error>(einsum_call, "found " + to_string(t.sizes()) + " for '" + std::string(text) +
                                             "', wanted one size for " + name_of_label(out.names[i]));
      }
      const auto first = static_cast<std::int64_t>(i);
      out.t = aten::movedim_int(aten::diagonal(out.t, 0, first, static_cast<std::int64_t>(j)), -1, first);
      out.names.erase(out.names.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
  return out;
}

named without(named x, const labels& gone, bool sum) {
  shape over, sizes;
  labels kept;
  for (std::size_t i = 0; i < x.names.size(); ++i) {
    if (has(gone, x.names[i])) {
      over.push_back(static_cast<std::int64_t>(i));
    } else {
      kept.push_back(x.names[i]);
      sizes.push_back(x.t.sizes()[i]);
    }
  }
  if (over.empty()) return x;
  const tensor t = sum ? aten::sum_dim_IntList(x.t, std::optional(std::span<const std::int64_t>(over)), false)
                       : aten::reshape(x.t, sizes);
  return {t, kept};
}

shape order_of(const named& x, std::initializer_list<const labels*> wanted) {
  shape order;
  for (const labels* some : wanted) {
    for (label one : *some) order.push_back(static_cast<std::int64_t>(place_of(x.names, one)));
  }
  return order;
}

void check_rank(backend_call c, std::size_t rank) {
  if (rank <= max_dims) return;
  refuse<shape_error>(
      c, "found a product of " + std::to_string(rank) + " dimensions, wanted at most " + std::to_string(max_dims));
}

// The product of two operands, summed over the labels that neither the result nor a later operand needs.
named contract(named a, named b, const labels& needed) {
  // Two floating dtypes are bmm's to refuse, or autocast's to cast.
  const bool integers = !is_floating(a.t.dtype()) || !is_floating(b.t.dtype());
  if (integers) check_product_types(einsum_call.op, a.t, b.t);
  labels single_a, single_b;  // of size 1 where the other's size is greater: dropped, which broadcasts
  for (label one : a.names) {
    if (!has(b.names, one)) continue;
    const std::int64_t m = a.t.sizes()[place_of(a.names, one)], n = b.t.sizes()[place_of(b.names, one)];
    if (m == n) continue;
    if (m == 1) {
      single_a.push_back(one);
    } else if (n == 1) {
      single_b.push_back(one);
    } else {
      refuse<shape_error>(einsum_call, "found the sizes " + std::to_string(m) + " and " + std::to_string(n) + " for " +
                                           name_of_label(one) + ", in tensors " + to_string(a.t.sizes()) + " and " +
                                           to_string(b.t.sizes()) + ", wanted one size");
    }
  }
  a = without(std::move(a), single_a, false);
  b = without(std::move(b), single_b, false);
  labels batch, left, summed, right, alone_a, alone_b;
  for (label one : a.names) {
    if (has(b.names, one)) {
      (has(needed, one) ? batch : summed).push_back(one);
    } else {
      (has(needed, one) ? left : alone_a).push_back(one);
    }
  }
  for (label one : b.names) {
    if (!has(a.names, one)) (has(needed, one) ? right : alone_b).push_back(one);
  }
  a = without(std::move(a), alone_a, true);
  b = without(std::move(b), alone_b, true);
  // Sums of integers are int64.
  if (integers) {
    const dtype type = promote(a.t.dtype(), b.t.dtype());
    a.t = to(a.t, type);
    b.t = to(b.t, type);
  }

  check_rank(einsum_call, batch.size() + left.size() + right.size());
  const auto product_of = [](const named& x, const labels& some) {
    std::int64_t n = 1;
    for (label one : some) n *= x.t.sizes()[place_of(x.names, one)];
    return n;
  };
  const std::int64_t batches = product_of(a, batch), rows = product_of(a, left), depth = product_of(a, summed),
                     columns = product_of(b, right);
  shape sizes;
  labels names;
  for (const auto& [from, some] : {std::pair{&a, &batch}, {&a, &left}, {&b, &right}}) {
    for (label one : *some) {
      sizes.push_back(from->t.sizes()[place_of(from->names, one)]);
      names.push_back(one);
    }
  }
  const tensor x =
      aten::reshape(aten::permute(a.t, order_of(a, {&batch, &left, &summed})), shape{batches, rows, depth});
  const tensor y =
      aten::reshape(aten::permute(b.t, order_of(b, {&batch, &summed, &right})), shape{batches, depth, columns});
  return {aten::reshape(aten::bmm(x, y), sizes), names};
}

// The labels of an implicit result: the ellipsis, then the letters that occur once, in alphabetical order.
labels implied_result(const std::vector<labels>& operands, std::size_t dots) {
  labels out;
  for (std::size_t d = dots; d-- > 0;) out.push_back(first_of_dots + static_cast<label>(d));
  labels seen;
  for (const labels& one : operands) {
    for (label l : one) {
      if (l < first_of_dots) seen.push_back(l);
    }
  }
  std::ranges::sort(seen);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const bool once = (i == 0 || seen[i - 1] != seen[i]) && (i + 1 == seen.size() || seen[i + 1] != seen[i]);
    if (once) out.push_back(seen[i]);
  }
  return out;
}

std::vector<std::string_view> operands_in(std::string_view left) {
  std::vector<std::string_view> out;
  for (std::size_t comma; (comma = left.find(',')) != std::string_view::npos; left.remove_prefix(comma + 1)) {
    out.push_back(left.substr(0, comma));
  }
  out.push_back(left);
  return out;
}

tensor einsum(std::string_view given, std::span<const tensor> tensors,
              std::optional<std::span<const std::int64_t>> path) {
  if (path.has_value()) refuse<error>(einsum_call, "found a path, wanted None: pairs are contracted left to right");
  std::string equation;
  for (char c : given) {
    if (c != ' ') equation += c;
  }
  const std::size_t arrow = equation.find("->");
  const std::string_view left = std::string_view(equation).substr(0, arrow);
  const auto texts = operands_in(left);
  if (texts.size() != tensors.size()) {
    refuse<error>(einsum_call, "found " + std::to_string(tensors.size()) + " tensors for '" + std::string(given) +
                                   "', wanted " + std::to_string(texts.size()));
  }
  std::size_t dots = 0;
  std::vector<named> operands;
  std::vector<labels> written;  // before diagonals: a repeated letter is not in an implicit result
  for (std::size_t i = 0; i < texts.size(); ++i) {
    operands.push_back(read_operand(texts[i], given, tensors[i]));
    const bool dotted = texts[i].find("...") != std::string_view::npos;
    const std::size_t own = dotted ? tensors[i].sizes().size() - (texts[i].size() - 3) : 0;
    written.push_back(read_labels(texts[i], given, own));
    dots = std::max(dots, own);
  }
  const labels result = arrow == std::string::npos
                            ? implied_result(written, dots)
                            : read_labels(std::string_view(equation).substr(arrow + 2), given, dots);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const bool known = std::ranges::any_of(written, [&](const labels& one) { return has(one, result[i]); });
    if (known && std::ranges::count(result, result[i]) == 1) continue;
    refuse<error>(einsum_call, "found " + name_of_label(result[i]) + " in the result of '" + std::string(given) +
                                   "', wanted each letter once, and only those of the operands");
  }

  named out = std::move(operands[0]);
  for (std::size_t i = 1; i < operands.size(); ++i) {
    labels needed = result;
    for (std::size_t later = i + 1; later < operands.size(); ++later) {
      needed.insert(needed.end(), operands[later].names.begin(), operands[later].names.end());
    }
    out = contract(std::move(out), std::move(operands[i]), needed);
  }
  shape over;
  labels kept;
  for (std::size_t i = 0; i < out.names.size(); ++i) {
    if (has(result, out.names[i]))
      kept.push_back(out.names[i]);
    else
      over.push_back(static_cast<std::int64_t>(i));
  }
  if (!over.empty())
    out = {aten::sum_dim_IntList(out.t, std::optional(std::span<const std::int64_t>(over)), false), kept};
  return aten::permute(out.t, order_of(out, {&result}));
}

tensor tensordot(const tensor& self, const tensor& other, std::span<const std::int64_t> dims_self,
                 std::span<const std::int64_t> dims_other) {
  constexpr backend_call c{nullptr, aten::tensordot.name()};
  author::check_one_device(aten::tensordot, self, other);
  check_product_types(c.op, self, other);
  if (dims_self.size() != dims_other.size()) {
    refuse<shape_error>(c, "found " + std::to_string(dims_self.size()) + " and " + std::to_string(dims_other.size()) +
                               " dimensions, wanted as many of one as of the other");
  }
  std::array<bool, max_dims> used_self{}, used_other{};
  shape summed_self, summed_other;
  std::int64_t depth = 1;
  for (std::size_t i = 0; i < dims_self.size(); ++i) {
    const std::size_t a = wrap_dim(c.op, dims_self[i], self.dim()), b = wrap_dim(c.op, dims_other[i], other.dim());
    if (used_self[a] || used_other[b]) refuse<shape_error>(c, "a dimension is given twice");
    if (self.sizes()[a] != other.sizes()[b]) {
      refuse<shape_error>(c, "found " + to_string(self.sizes()) + " and " + to_string(other.sizes()) +
                                 ", wanted equal sizes of dimensions " + std::to_string(a) + " and " +
                                 std::to_string(b));
    }
    used_self[a] = used_other[b] = true;
    summed_self.push_back(static_cast<std::int64_t>(a));
    summed_other.push_back(static_cast<std::int64_t>(b));
    depth *= self.sizes()[a];
  }
  check_rank(c, self.sizes().size() + other.sizes().size() - 2 * summed_self.size());
  shape left, right = summed_other, sizes;
  for (std::size_t i = 0; i < self.sizes().size(); ++i) {
    if (!used_self[i]) left.push_back(static_cast<std::int64_t>(i)), sizes.push_back(self.sizes()[i]);
  }
  const std::int64_t rows = numel(sizes);
  for (std::int64_t d : summed_self) left.push_back(d);
  std::int64_t columns = 1;
  for (std::size_t i = 0; i < other.sizes().size(); ++i) {
    if (used_other[i]) continue;
    right.push_back(static_cast<std::int64_t>(i));
    sizes.push_back(other.sizes()[i]);
    columns *= other.sizes()[i];
  }
  const tensor a = aten::reshape(aten::permute(self, left), shape{rows, depth});
  const tensor b = aten::reshape(aten::permute(other, right), shape{depth, columns});
  return aten::reshape(aten::mm(a, b), sizes);
}

tensor inner(const tensor& self, const tensor& other) {
  if (self.dim() == 0 || other.dim() == 0) return aten::mul_Tensor(self, other);
  if (self.size(-1) != other.size(-1)) {
    refuse<shape_error>({nullptr, aten::inner.name()}, "found " + to_string(self.sizes()) + " and " +
                                                           to_string(other.sizes()) + ", wanted equal last sizes");
  }
  return aten::tensordot(self, other, shape{-1}, shape{-1});
}

}  // namespace

void register_einsum() {
  register_composite<&einsum, aten::einsum>();
  register_composite<&tensordot, aten::tensordot>();
  register_composite<&inner, aten::inner>();
  register_out_variants<aten::tensordot, aten::tensordot_out>();
  register_out_variants<aten::inner, aten::inner_out>();
}

}  // namespace topbit::detail
