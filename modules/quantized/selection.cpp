// Rows and other slices of quantized tensors. What gives consecutive memory shares it; the transpose is a mark. Codes
// along the last dimension are not selected where they share a byte or a scale with their neighbours.
module topbit.quantized;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :checks;
import :rounding;
import :rows;

namespace topbit::quantized {

namespace {

// The dimension of the parts for one of the tensor.
std::int64_t stored_dim(const payload& p, std::int64_t dim) { return p.transposed ? 1 - dim : dim; }

// A dimension along which codes are whole elements that share no scale with their neighbours, unless all do.
std::int64_t selectable_dim(std::string_view op, const tensor& self, std::int64_t dim) {
  const payload& p = self.payload<payload>();
  const std::int64_t d = stored_dim(p, wrap_dim(op, dim, self.dim()));
  if (d != self.dim() - 1 || (p.how.bits == 8 && p.how.scales != granularity::per_group)) return d;
  refuse<layout_error>(
      op, "found dimension " + std::to_string(dim) + " of a quantized tensor (" + to_string(p.how) +
              "), wanted one whose codes have bytes and scales of their own; any part of dequantize(x) can be "
              "selected");
}

// f of the codes, and of the scales and offsets if these have the dimension; `how` of the result.
template <class F>
tensor map_parts(const tensor& self, std::int64_t d, const shape& sizes, const scheme& how, F f) {
  const payload& p = self.payload<payload>();
  tensor scales = p.scales, offsets = p.offsets;
  const bool per_channel = p.how.scales == granularity::per_channel;
  if (p.how.scales == granularity::per_group || (per_channel && p.how.axis == d)) {
    const std::int64_t of_scales = per_channel ? 0 : d;
    scales = f(scales, of_scales);
    if (offsets.defined()) offsets = f(offsets, of_scales);
  }
  return trusted(how, sizes, self.dtype(), f(p.codes, d), scales, offsets, p.transposed);
}

tensor slice_rows(const tensor& self, std::int64_t dim, std::optional<std::int64_t> start,
                  std::optional<std::int64_t> end, std::int64_t step) {
  constexpr std::string_view name = aten::slice_Tensor.name();
  const std::int64_t d = selectable_dim(name, self, dim);
  const payload& p = self.payload<payload>();
  shape sizes = sizes_of_parts(self);
  const tensor slice = aten::slice_Tensor(p.codes, d, start, end, step);
  if (!slice.is_contiguous()) {
    refuse<layout_error>(name,
                         "found a slice of a quantized tensor that is not consecutive in memory, of which there is "
                         "no view; index_select(x, dim, indices) copies");
  }
  sizes[d] = slice.sizes()[d];
  return map_parts(self, d, sizes, p.how,
                   [&](const tensor& part, std::int64_t of) { return aten::slice_Tensor(part, of, start, end, step); });
}

tensor select_row(const tensor& self, std::int64_t dim, std::int64_t index) {
  constexpr std::string_view name = aten::select_int.name();
  const std::int64_t d = selectable_dim(name, self, dim);
  const payload& p = self.payload<payload>();
  shape sizes = sizes_of_parts(self);
  sizes.erase(static_cast<std::size_t>(d));
  const tensor codes = aten::select_int(p.codes, d, index);
  if (!codes.is_contiguous()) {
    refuse<layout_error>(name,
                         "found a part of a quantized tensor that is not consecutive in memory, of which there is "
                         "no view; index_select(x, dim, indices) copies");
  }
  scheme how = p.how;
  tensor scales = p.scales, offsets = p.offsets;
  const auto select_parameters = [&](std::int64_t of) {
    scales = aten::select_int(scales, of, index);
    if (offsets.defined()) offsets = aten::select_int(offsets, of, index);
  };
  if (how.scales == granularity::per_group) {
    select_parameters(d);
  } else if (how.scales == granularity::per_channel) {
    if (how.axis == d) {
      select_parameters(0);
      how.scales = granularity::per_tensor;
      how.axis = 0;
    } else if (how.axis > d) {
      --how.axis;
    }
  }
  return trusted(how, sizes, self.dtype(), codes, scales, offsets);
}

tensor select_indices(const tensor& self, std::int64_t dim, const tensor& index) {
  const std::int64_t d = selectable_dim(aten::index_select.name(), self, dim);
  const payload& p = self.payload<payload>();
  shape sizes = sizes_of_parts(self);
  sizes[d] = index.numel();
  return map_parts(self, d, sizes, p.how,
                   [&](const tensor& part, std::int64_t of) { return aten::index_select(part, of, index); });
}

// The rows of a table, as values.
tensor embedding(const tensor& weight, const tensor& indices, std::int64_t, bool, bool) {
  constexpr std::string_view name = aten::embedding.name();
  author::check_one_device(aten::embedding, weight, indices);
  check_no_gradient(name, weight);
  if (is_quantized(indices)) {
    refuse<dtype_error>(name, "found quantized indices, wanted int64 or int32");
  }
  if (weight.dim() != 2) {
    refuse<shape_error>(name, "found weight " + to_string(weight.sizes()) + ", wanted a matrix");
  }
  tensor rows;
  const tensor flat = reshape(indices, {-1});
  if (weight.payload<payload>().transposed) {
    rows = aten::index_select(dequantize(weight), 0, flat);
  } else {
    rows = dequantize(select_indices(weight, 0, flat));
  }
  shape sizes = indices.sizes();
  sizes.push_back(weight.sizes()[1]);
  return reshape(rows, sizes);
}

tensor concatenate(std::span<const tensor> tensors, std::int64_t dim) {
  constexpr std::string_view name = aten::cat.name();
  for (const tensor& t : tensors) {
    if (is_quantized(t)) continue;
    refuse<layout_error>(name, "found quantized and strided tensors, wanted one layout; dequantize(x) gives " +
                                   std::string(name_of(t.dtype())));
  }
  const tensor& first = tensors[0];
  const payload& p = first.payload<payload>();
  const std::int64_t d = selectable_dim(name, first, dim);
  const bool per_channel = p.how.scales == granularity::per_channel;
  const bool joins_parameters = p.how.scales == granularity::per_group || (per_channel && p.how.axis == d);
  shape sizes = sizes_of_parts(first);
  sizes[d] = 0;
  std::vector<tensor> codes, scales, offsets;
  for (const tensor& t : tensors) {
    const payload& q = t.payload<payload>();
    if (!(q.how == p.how) || q.transposed != p.transposed || t.dtype() != first.dtype() ||
        q.codes.dtype() != p.codes.dtype() || t.dim() != first.dim() || q.offsets.defined() != p.offsets.defined() ||
        (q.offsets.defined() && q.offsets.dtype() != p.offsets.dtype()) ||
        (!joins_parameters && !(same_parameter(q.scales, p.scales) && same_parameter(q.offsets, p.offsets)))) {
      refuse<layout_error>(name,
                           "found quantized tensors of different schemes or scales, wanted equal ones; "
                           "dequantize(x) gives strided tensors");
    }
    shape others = sizes_of_parts(t);
    sizes[d] += others[d];
    others[d] = sizes[d];
    if (others != sizes) {
      refuse<shape_error>(name, "found sizes " + to_string(t.sizes()) + " after " + to_string(first.sizes()) +
                                    ", wanted equal ones except in dimension " + std::to_string(d));
    }
    codes.push_back(q.codes);
    scales.push_back(q.scales);
    offsets.push_back(q.offsets);
  }
  tensor joined_scales = p.scales, joined_offsets = p.offsets;
  if (joins_parameters) {
    const std::int64_t of_scales = per_channel ? 0 : d;
    joined_scales = cat(scales, of_scales);
    if (p.offsets.defined()) joined_offsets = cat(offsets, of_scales);
  }
  return trusted(p.how, sizes, first.dtype(), cat(codes, d), joined_scales, joined_offsets, p.transposed);
}

[[noreturn]] void refuse_order(std::string_view op, const tensor& self) {
  refuse<layout_error>(op, "found another order of the dimensions of a quantized tensor " + to_string(self.sizes()) +
                               ", wanted the transpose of a matrix; dequantize(x) gives " +
                               std::string(name_of(self.dtype())));
}

tensor marked(const tensor& self) {
  const payload& p = self.payload<payload>();
  return trusted(p.how, sizes_of_parts(self), self.dtype(), p.codes, p.scales, p.offsets, !p.transposed);
}

tensor transpose(const tensor& self, std::int64_t dim0, std::int64_t dim1) {
  constexpr std::string_view name = aten::transpose_int.name();
  const std::int64_t a = wrap_dim(name, dim0, self.dim()), b = wrap_dim(name, dim1, self.dim());
  if (a == b) return aten::alias(self);
  if (self.dim() != 2) refuse_order(name, self);
  return marked(self);
}

tensor permute(const tensor& self, std::span<const std::int64_t> dims) {
  constexpr std::string_view name = aten::permute.name();
  bool same = static_cast<std::int64_t>(dims.size()) == self.dim();
  for (std::size_t i = 0; same && i < dims.size(); ++i) {
    same = wrap_dim(name, dims[i], self.dim()) == static_cast<std::int64_t>(i);
  }
  if (same) return aten::alias(self);
  if (self.dim() != 2 || dims.size() != 2 || wrap_dim(name, dims[0], 2) != 1 || wrap_dim(name, dims[1], 2) != 0) {
    refuse_order(name, self);
  }
  return marked(self);
}

constexpr author::kernel_row rows[] = {
    author::row<&slice_rows>(aten::slice_Tensor, key::AnyQuantized),
    author::row<&select_row>(aten::select_int, key::AnyQuantized),
    author::row<&select_indices>(aten::index_select, key::AnyQuantized),
    author::row<&embedding>(aten::embedding, key::AnyQuantized),
    author::row<&concatenate>(aten::cat, key::AnyQuantized),
    author::row<&transpose>(aten::transpose_int, key::AnyQuantized),
    author::row<&permute>(aten::permute, key::AnyQuantized),
};

}  // namespace

std::span<const author::kernel_row> selection_rows() { return rows; }

}  // namespace topbit::quantized
