module;

#include <any>

module topbit.sparse;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.ops;
import :patterns;
import :checks;
import :known_indices;
import :registrations;

namespace topbit::sparse {

namespace {

using integers = std::span<const std::int64_t>;

tensor without_history(const tensor& t) { return author::make_alias(t); }

// What a gradient of values needs of the tensor that has them.
struct pattern {
  layout how = layout::sparse_coo;
  tensor first, second;  // indices and nothing, or compressed and plain
  shape sizes;
  bool coalesced = true;

  static pattern of(const tensor& s) {
    if (is_compressed(s)) {
      const compressed_payload& p = compressed_parts(s);
      return {s.layout(), p.compressed, p.plain, s.sizes(), true};
    }
    const coo_payload& p = coo_parts(s);
    return {layout::sparse_coo, p.indices, {}, s.sizes(), p.coalesced};
  }
  tensor with(const tensor& values) const {
    if (how == layout::sparse_coo) return coo_of(first, values, sizes, coalesced);
    return compressed_of(how, first, second, values, sizes);
  }
  bool is_that_of(const tensor& g) const {
    if (g.layout() != how) return false;
    if (how == layout::sparse_coo) return coo_parts(g).indices.same_as(first);
    const compressed_payload& p = compressed_parts(g);
    return p.compressed.same_as(first) && p.plain.same_as(second);
  }
};

tensor rows_at(const tensor& flat, const tensor& positions) { return index_select(flat, 0, positions); }

// values_at() for places that may repeat.
tensor values_at_places(const tensor& g, const tensor& places, const shape& sparse, const shape& dense) {
  const tensor wanted = linear_indices(places, sparse);
  if (!is_sparse(g) || sparse_dims_of(g) != static_cast<std::int64_t>(sparse.size())) {
    return rows_at(reshape(to_dense(g), joined({numel(sparse)}, dense)), wanted);
  }
  const tensor from = coo_from(coalesced(g));
  bool all_found = false;
  const tensor positions = positions_in(linear_indices(coo_parts(from).indices, sparse), wanted, all_found);
  const tensor held = values_of(from);
  if (all_found) return rows_at(held, positions);
  const tensor none = zeros_of(joined({1}, dense), held.dtype(), held.device());
  return rows_at(cat(std::array{held, none}, 0), positions);
}

tensor values_at_pattern(const tensor& g, const pattern& p) {
  if (p.coalesced && p.is_that_of(g)) return values_of(g);
  if (p.how == layout::sparse_coo) {
    const auto sparse = static_cast<std::size_t>(p.first.sizes()[0]);
    const integers all(p.sizes);
    return values_at_places(g, p.first, shape(all.first(sparse)), shape(all.subspan(sparse)));
  }
  const tensor lines = lines_of(p.first, p.second.sizes()[0]), along = to(p.second, dtype::int64);
  const tensor places =
      p.how == layout::sparse_csr ? stack(std::array{lines, along}, 0) : stack(std::array{along, lines}, 0);
  return values_at_places(g, places, p.sizes, {});
}

// The kernels of the operators between a tensor and its parts.

// Kernels read the index tensors of payloads as they are.
tensor in_rows_of_memory(const tensor& t) {
  return t.defined() && t.layout() == layout::strided && !t.is_contiguous() ? contiguous(t) : t;
}

tensor make_coo(const tensor& given, const tensor& values, integers size, bool is_coalesced) {
  author::check_one_device(coo_op, given, values);
  const tensor indices = in_rows_of_memory(given);
  const shape sizes(size);
  check_coo_parts(coo_op.name(), indices, values, sizes, is_coalesced);
  const device where = values.device();
  return author::make_opaque(sizes, values.dtype(), where, keys_of(layout::sparse_coo, where, values.dtype()),
                             intrusive_ptr<tensor_extension>(new coo_payload(indices, without_history(values),
                                                                             is_coalesced || indices.sizes()[1] <= 1)),
                             layout::sparse_coo);
}

tensor make_compressed(const tensor& lines, const tensor& along, const tensor& values, integers size, layout how) {
  constexpr std::string_view op = compressed_op.name();
  author::check_one_device(compressed_op, lines, along, values);
  const tensor compressed = in_rows_of_memory(lines), plain = in_rows_of_memory(along);
  if (!compressed_payload::has_layout(how)) {
    refuse<layout_error>(op, "found layout " + std::string(name_of(how)) + ", wanted sparse_csr or sparse_csc");
  }
  const shape sizes(size);
  const line_words words = words_of(how);
  if (sizes.size() != 2) refuse<shape_error>(op, "found sizes " + to_string(sizes) + ", wanted those of a matrix");
  check_indices(op, words, compressed, plain, sizes[1 - line_dim(how)]);
  check_entries(op, words, plain, "values", values);
  check_matrix_sizes(op, how, compressed, sizes);
  const device where = values.device();
  return author::make_opaque(
      sizes, values.dtype(), where, keys_of(how, where, values.dtype()),
      intrusive_ptr<tensor_extension>(new compressed_payload(how, compressed, plain, without_history(values))), how);
}

tensor take_values(const tensor& self) {
  check_sparse(values_op.name(), self);
  return without_history(raw_values(self));
}

// Their gradients.

// Index tensors are not written to, so nothing else is saved, and the graph can run again.
struct coo_rule {
  static constexpr bool saves_tensors = false;
  pattern made;
  static coo_rule save(const tensor&, const tensor&, integers, bool, const tensor& result) {
    return {pattern::of(result)};
  }
  std::array<tensor, 2> backward(const tensor& g, std::array<bool, 2>) const {
    return {tensor(), values_at_pattern(g, made)};
  }
};

struct compressed_rule {
  static constexpr bool saves_tensors = false;
  pattern made;
  static compressed_rule save(const tensor&, const tensor&, const tensor&, integers, layout, const tensor& result) {
    return {pattern::of(result)};
  }
  std::array<tensor, 3> backward(const tensor& g, std::array<bool, 3>) const {
    return {tensor(), tensor(), values_at_pattern(g, made)};
  }
};

}  // namespace

// Functions with names for graphs and errors, since a rule of an operator is not used for arguments of other layouts
// than strided.
struct values_function {
  static tensor forward(function_context& c, const tensor& s) {
    c.materialize_gradients(false);
    c.data = pattern::of(s);
    return values_op(s);
  }
  // What is computed from a sparse tensor has equal gradients for entries at one place: that of their sum.
  static tensor backward(function_context& c, const tensor& g) {
    if (!g.defined()) return {};
    const pattern& p = ::std::any_cast<const pattern&>(c.data);
    if (p.coalesced) return p.with(g);
    const auto dims = static_cast<std::size_t>(p.first.sizes()[0]);
    const sorted_places places = sort_places(p.first, shape(integers(p.sizes).first(dims)));
    const tensor first = first_of_groups(places.groups, places.indices.sizes()[1]);
    return coo_of(places.indices, index_select(g, 0, first), p.sizes, true);
  }
};
struct coalesce_function {
  static tensor forward(function_context& c, const tensor& s) {
    c.materialize_gradients(false);
    return aten::_coalesce(s);
  }
  static tensor backward(function_context&, const tensor& g) { return g; }
};
namespace {

tensor record_values(const tensor& self) { return apply<values_function>(self); }
tensor record_coalesce(const tensor& self) { return apply<coalesce_function>(self); }

constexpr author::kernel_row rows[] = {
    author::define(coo_op),
    author::define(compressed_op),
    author::define(values_op),
    author::row<&make_coo>(coo_op, key::CompositeExplicitAutograd),
    author::row<&make_compressed>(compressed_op, key::CompositeExplicitAutograd),
    author::row<&take_values>(values_op, key::CompositeExplicitAutograd),
    author::row<&author::autograd_kernel<coo_op, coo_rule>::run>(coo_op, key::Autograd),
    author::row<&author::autograd_kernel<compressed_op, compressed_rule>::run>(compressed_op, key::Autograd),
    author::row<&record_values>(values_op, key::Autograd),
    author::row<&record_coalesce>(aten::_coalesce, key::Autograd),
};

}  // namespace

void register_parts() { author::register_rows(rows); }

tensor coo_of(const tensor& indices, const tensor& values, const shape& sizes, bool is_coalesced) {
  const auto sparse = static_cast<std::size_t>(indices.sizes()[0]);
  const shape sparse_sizes(integers(sizes).first(std::min(sparse, sizes.size())));
  const known_indices valid(facts_of_places(indices, sparse_sizes, is_coalesced), indices);
  return coo_op(indices, values, sizes, is_coalesced);
}
tensor compressed_of(layout how, const tensor& compressed, const tensor& plain, const tensor& values,
                     const shape& sizes) {
  const known_indices valid(facts_of_matrix(compressed, plain, sizes[1 - line_dim(how)]), compressed, plain);
  return compressed_op(compressed, plain, values, sizes, how);
}

tensor values_of(const tensor& s) { return values_op(s); }

tensor with_values(const tensor& s, const tensor& values) {
  if (is_compressed(s)) {
    const compressed_payload& p = compressed_parts(s);
    return compressed_of(s.layout(), p.compressed, p.plain, values, s.sizes());
  }
  const coo_payload& p = coo_parts(s);
  const shape sizes = joined(sparse_sizes(s), shape(integers(values.sizes()).subspan(1)));
  return coo_of(p.indices, values, sizes, p.coalesced);
}

tensor coalesced(const tensor& s) { return is_compressed(s) || coo_parts(s).coalesced ? s : aten::_coalesce(s); }

tensor values_at(const tensor& g, const tensor& s) { return values_at_pattern(g, pattern::of(s)); }

bool same_pattern(const tensor& a, const tensor& b) { return is_sparse(a) && pattern::of(a).is_that_of(b); }

void replace(tensor& self, const tensor& result) {
  const auto check = [](bool good, const std::string& text) {
    if (!good) throw layout_error("sparse::replace: found a result of " + text);
  };
  check(result.layout() == self.layout(), "another layout");
  check(result.sizes() == self.sizes(), "sizes " + to_string(result.sizes()) + ", wanted " + to_string(self.sizes()));
  check(result.dtype() == self.dtype() && result.device() == self.device(), "another dtype or device");
  if (is_compressed(self)) {
    compressed_payload& to = compressed_parts(self);
    const compressed_payload& from = compressed_parts(result);
    to.compressed = from.compressed;
    to.plain = from.plain;
    to.values = from.values;
  } else {
    coo_payload& to = coo_parts(self);
    const coo_payload& from = coo_parts(result);
    to.indices = from.indices;
    to.values = from.values;
    to.coalesced = from.coalesced;
  }
  if (grad_enabled() && (requires_grad(self) || requires_grad(result)))
    author::rebase(self, author::gradient_edge(result));
}

}  // namespace topbit::sparse
