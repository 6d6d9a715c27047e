module;

#include "kernel_abi.h"

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :gradient_registration.derivative;
import :index.gather_kernels;
import :registration.composite;
import :registration.structured_forms;
import :rowwise.rowwise;

#include "../registration/kernel_abi_bridge.h"

namespace topbit::detail {

namespace {

using integer = std::int64_t;
using bag_results = std::tuple<tensor, tensor, tensor, tensor>;

constexpr integer by_sum = 0, by_mean = 1, by_max = 2;

integer bags_of(const tensor& offsets, bool ends) { return offsets.numel() - (ends ? 1 : 0); }

void check_list(backend_call c, const tensor& t, std::string_view name) {
  check_integer_index(c, t);
  if (t.dim() == 1) return;
  refuse<shape_error>(c, "found " + std::string(name) + " " + to_string(t.sizes()) + ", wanted one dimension");
}

void check_factors(backend_call c, const tensor& weight, const tensor& indices, integer mode, const tensor& factors) {
  if (mode != by_sum) {
    refuse<error>(c, "found per_sample_weights with mode " + std::to_string(mode) + ", wanted mode 0, the sum");
  }
  if (factors.dtype() != weight.dtype()) {
    refuse<dtype_error>(c, "found " + describe(weight) + " and per_sample_weights of " +
                               std::string(name_of(factors.dtype())) + ", wanted one dtype; convert one with to()");
  }
  if (factors.sizes() != indices.sizes()) {
    refuse<shape_error>(c, "found indices " + to_string(indices.sizes()) + " and per_sample_weights " +
                               to_string(factors.sizes()) + ", wanted one size");
  }
}

struct bag_kernel {
  static constexpr auto needs = all_of(rowwise::bag_sum, rowwise::bag_mean, rowwise::bag_max);

  static std::array<result_meta, 4> meta(std::string_view op, const tensor& weight, const tensor& indices,
                                         const tensor& offsets, bool by_frequency, integer mode, bool sparse,
                                         const optional_tensor& factors, bool ends, integer padding) {
    const backend_call c{nullptr, op};
    check_defined(c, weight);
    check_floating(c, weight);
    if (weight.dim() != 2) refuse<shape_error>(c, "found weights " + to_string(weight.sizes()) + ", wanted a matrix");
    check_list(c, indices, "indices");
    check_list(c, offsets, "offsets");
    if (mode < by_sum || mode > by_max) {
      refuse<error>(c, "found mode " + std::to_string(mode) + ", wanted 0 for sums, 1 for means or 2 for maxima");
    }
    if (sparse && by_frequency) {
      refuse<error>(c, "found scale_grad_by_freq=True with sparse=True, wanted one of them");
    }
    if (mode == by_max && (sparse || by_frequency)) {
      refuse<error>(c, "found mode 2 with " + std::string(sparse ? "sparse" : "scale_grad_by_freq") +
                           "=True, wanted mode 0 or 1 with it");
    }
    if (is_given(factors)) check_factors(c, weight, indices, mode, *factors);
    if (ends && offsets.numel() == 0) {
      refuse<shape_error>(c, "found no offsets with include_last_offset=True, wanted at least one");
    }
    if (padding >= weight.size(0)) {
      refuse<shape_error>(c, "found padding_idx " + std::to_string(padding) + " for " + std::to_string(weight.size(0)) +
                                 " rows, wanted one of them");
    }
    const integer count = bags_of(offsets, ends), columns = weight.size(1);
    return {dense_meta({count, columns}, weight.dtype(), weight), dense_meta({0}, dtype::int64, weight),
            dense_meta({count}, dtype::int64, weight),
            dense_meta(mode == by_max ? shape{count, columns} : shape{0}, dtype::int64, weight)};
  }

  static void run(backend_call c, const tensor& weight, const tensor& indices, const tensor& offsets, bool,
                  integer mode, bool, const optional_tensor& factors, bool, integer padding, const tensor& out,
                  const tensor&, const tensor& sizes, const tensor& rows_of_maxima) {
    if (sizes.numel() == 0) return;
    const tensor table = dense(c, weight), index = flat_index(c, indices), starts = flat_index(c, offsets);
    const tensor scaled_by = is_given(factors) ? dense(c, *factors) : tensor();
    tb_rowwise r{};
    r.op = mode == by_sum ? TB_BAG_SUM : mode == by_mean ? TB_BAG_MEAN : TB_BAG_MAX;
    r.compute = compute_code(weight.dtype());
    const auto add = [&](const tensor& t, bool is_written) {
      tb_row_operand& row = r.row[r.operands++];
      if (!t.defined()) return;
      check_storage(c, t);
      row.data = t.data();
      row.length = t.numel();
      row.step = 1;
      row.dtype = static_cast<std::int32_t>(t.dtype());
      row.written = is_written ? 1 : 0;
    };
    add(out, true);
    add(sizes, true);
    if (mode == by_max) add(rows_of_maxima, true);
    for (const tensor* t : {&table, &index, &starts}) add(*t, false);
    if (mode == by_sum) add(scaled_by, false);
    const integer numbers[] = {weight.size(1), padding, weight.size(0)};
    for (std::size_t n = 0; n < std::size(numbers); ++n) r.number[n] = to_abi(numbers[n]);
    std::int64_t bad = 0;
    r.bad_index = &bad;
    const tb_status status = run_kernel(c, sizes, c.table->rowwise, &r);
    if (status == TB_BAD_INDEX) {
      refuse<shape_error>(c, "found the index " + std::to_string(bad) + " into " + std::to_string(weight.size(0)) +
                                 " rows, wanted one from 0 to their number less 1");
    }
    if (status == TB_BAD_VALUE) {
      refuse<error>(c, "found offsets that do not begin with 0, decrease or are greater than the number of indices, " +
                           std::to_string(indices.numel()) + "; wanted the position of the first index of each bag");
    }
    check_status(c, status, sizes);
  }
};

constexpr auto bag_forms = forms_list<structured_forms<bag_kernel, no_abilities, aten::_embedding_bag>>();

tensor counted_up(integer count, const tensor& beside) {
  return aten::arange(scalar(count), arg<"dtype"> = dtype::int64, arg<"device"> = beside.device());
}
tensor column(const tensor& t) { return aten::unsqueeze(t, -1); }

// The gradient of a table is a sum of bags again: those of the entries with one index, whose rows are rows of g. No row
// is copied for it.
struct bag_gradient {
  integer rows, mode, padding;
  bool by_frequency, sparse, ends;
  saved_tensor indices, offsets, factors, weight;
  saved_result sizes, rows_of_maxima;

  static bag_gradient save(T weight, T indices, T offsets, bool by_frequency, integer mode, bool sparse,
                           const optional_tensor& factors, bool ends, integer padding, const bag_results& r) {
    if (sparse) check_sparse_gradients(aten::embedding_bag.name(), "sparse", embedding_sparse_backward.name());
    return {weight.size(0),
            mode,
            padding,
            by_frequency,
            sparse && is_leaf(weight),
            ends,
            saved_tensor(indices),
            saved_tensor(offsets),
            saved_tensor(factors),
            is_given(factors) && requires_grad(*factors) ? saved_tensor(weight) : saved_tensor(),
            saved_result(std::get<2>(r), 2),
            saved_result(std::get<3>(r), 3)};
  }

  std::array<tensor, 4> backward(const std::array<tensor, 4>& all, std::array<bool, 4> wanted) const {
    const tensor& g = all[0];
    if (!g.defined()) return {};
    if (mode == by_max) return {of_maxima(g)};
    if (g.size(0) == 0) return of_no_bags(g);
    const entries e = entries_of(g);
    return {wanted[0] ? (sparse ? of_entries(g, e) : of_table(g, e)) : tensor(), tensor(), tensor(),
            wanted[3] ? of_factors(g, e) : tensor()};
  }

 private:
  std::array<tensor, 4> of_no_bags(T g) const {
    const tensor none = aten::narrow(to(indices.get(), dtype::int64), 0, 0, 0);
    return {sparse ? embedding_sparse_backward(g, none, rows, -1, false) : aten::new_zeros(g, shape{rows, g.size(1)}),
            tensor(), tensor(), aten::new_zeros(g, indices.get().sizes())};
  }

  // The bag of each entry; those in no bag are `left_out`, as those of the padding.
  struct entries {
    tensor index, bag, left_out;
  };
  entries entries_of(T g) const {
    const integer count = g.size(0);
    entries e{to(indices.get(), dtype::int64), {}, {}};
    const tensor starts = to(offsets.get(), dtype::int64);
    e.bag = aten::searchsorted_Tensor(starts, counted_up(e.index.size(0), e.index), arg<"right"> = true) - 1;
    if (ends) {
      e.left_out = aten::ge_Scalar(e.bag, count);
      e.bag = aten::clamp(e.bag, std::nullopt, scalar(count - 1));
    }
    if (padding >= 0) {
      const tensor pads = aten::eq_Scalar(e.index, padding);
      e.left_out = e.left_out.defined() ? aten::logical_or(e.left_out, pads) : pads;
    }
    return e;
  }

  // What the row of g is multiplied by for each entry; undefined for 1.
  tensor factors_of(T g, const entries& e) const {
    if (mode == by_sum) return factors.get();
    return aten::reciprocal(to(aten::index_select(sizes.get(), 0, e.bag), g.dtype()));
  }

  tensor of_table(T g, const entries& e) const {
    const tensor keys = e.left_out.defined() ? aten::where_ScalarSelf(e.left_out, scalar(rows), e.index) : e.index;
    const auto [sorted, order] = aten::sort_stable(keys, arg<"stable"> = true);
    const tensor starts = aten::searchsorted_Tensor(sorted, counted_up(rows + 1, keys));
    tensor scaled_by = factors_of(g, e);
    if (by_frequency) {
      const tensor often = aten::diff(starts);
      const tensor each = aten::reciprocal(to(aten::index_select(often, 0, e.index), g.dtype()));
      scaled_by = scaled_by.defined() ? scaled_by * each : each;
    }
    optional_tensor in_order;
    if (scaled_by.defined()) in_order = aten::index_select(scaled_by, 0, order);
    return std::get<0>(
        aten::_embedding_bag(g, aten::index_select(e.bag, 0, order), starts, false, by_sum, false, in_order, true));
  }

  // Zeros in the rows of the entries left out.
  static tensor erased(T each, const entries& e) {
    return e.left_out.defined() ? aten::masked_fill_Scalar(each, column(e.left_out), 0) : each;
  }
  tensor of_entries(T g, const entries& e) const {
    tensor each = aten::index_select(g, 0, e.bag);
    if (const tensor f = factors_of(g, e); f.defined()) each = each * column(f);
    return embedding_sparse_backward(erased(each, e), e.index, rows, padding, false);
  }
  tensor of_factors(T g, const entries& e) const {
    constexpr std::array<integer, 1> columns{1};
    return aten::sum_dim_IntList(
        erased(aten::index_select(g, 0, e.bag), e) * aten::index_select(weight.get(), 0, e.index), columns);
  }

  tensor of_maxima(T g) const {
    const tensor whole = aten::new_zeros(g, shape{rows, g.size(1)});
    const tensor filled = column(aten::gt_Scalar(sizes.get(), 0));
    return aten::scatter_add(whole, 0, rows_of_maxima.get(), aten::where_ScalarOther(filled, g, 0));
  }
};

bag_results embedding_bag_without(const tensor& weight, const tensor& indices, const tensor& offsets, bool by_frequency,
                                  integer mode, bool sparse, const optional_tensor& factors, bool ends,
                                  std::optional<integer> padding) {
  integer row = -1;
  if (padding) {
    constexpr backend_call c{nullptr, aten::embedding_bag_padding_idx.name()};
    check_defined(c, weight);
    const integer count = weight.dim() == 0 ? 1 : weight.size(0);
    if (*padding < -count || *padding >= count) {
      refuse<shape_error>(c, "found padding_idx " + std::to_string(*padding) + " for " + std::to_string(count) +
                                 " rows, wanted one of them, or negative from the end");
    }
    row = *padding < 0 ? *padding + count : *padding;
  }
  return aten::_embedding_bag(weight, indices, offsets, by_frequency, mode, sparse, factors, ends, row);
}
bag_results embedding_bag(const tensor& weight, const tensor& indices, const tensor& offsets, bool by_frequency,
                          integer mode, bool sparse, const optional_tensor& factors, bool ends) {
  return aten::_embedding_bag(weight, indices, offsets, by_frequency, mode, sparse, factors, ends);
}

constexpr author::kernel_row rows[] = {gradient_row<aten::_embedding_bag, bag_gradient>()};

}  // namespace

void register_embedding_bag() {
  register_forms(bag_forms);
  author::register_rows(rows);
  register_composite<&embedding_bag, aten::embedding_bag>();
  register_composite<&embedding_bag_without, aten::embedding_bag_padding_idx>();
}

}  // namespace topbit::detail
