// Operators written with other operators, and views: one kernel each for every backend there is.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

tensor mean(const tensor& self, std::optional<dtype> type) {
  if (!is_floating(type.value_or(self.dtype()))) {
    throw dtype_error(
        "aten::mean: found " + std::string(name_of(self.dtype())) + ", wanted a floating dtype; pass dtype",
        "aten::mean");
  }
  return ops::div_scalar(ops::sum(self, type), self.numel());
}

tensor matmul(const tensor& self, const tensor& other) {
  author::check_one_device(ops::matmul, self, other);
  if (self.dim() != 2 || other.dim() != 2) {
    throw shape_error(
        "aten::matmul: found " + to_string(self.sizes()) + " and " + to_string(other.sizes()) + ", wanted two matrices",
        "aten::matmul");
  }
  return ops::mm(self, other);
}

tensor log_softmax_composite(const tensor& self, std::int64_t dim, std::optional<dtype> type) {
  return ops::log_softmax_forward(to(self, type.value_or(self.dtype())), dim, false);
}

tensor nll_loss_composite(const tensor& self, const tensor& target, const std::optional<tensor>& weight,
                          std::int64_t reduction, std::int64_t ignore_index) {
  const auto refuse = [](const std::string& why) { throw error("aten::nll_loss: " + why, "aten::nll_loss"); };
  author::check_one_device(ops::nll_loss, self, target, weight);
  if (weight.has_value() && weight->defined()) refuse("found weights, wanted none");
  if (reduction != 1) refuse("found reduction " + std::to_string(reduction) + ", wanted Mean (1)");
  if (ignore_index != -100) refuse("found ignore_index " + std::to_string(ignore_index) + ", wanted the default -100");
  return ops::nll_loss_mean(self, target);
}

tensor full(std::span<const std::int64_t> size, const scalar& value, std::optional<dtype> type,
            std::optional<layout> how, std::optional<device> where, std::optional<bool> pinned) {
  const dtype wanted = type.value_or(is_floating(value.type()) ? dtype::float32 : value.type());
  tensor out = ops::empty(size, wanted, how, where, pinned, std::nullopt);
  return ops::fill_(out, value);
}
tensor zeros(std::span<const std::int64_t> size, std::optional<dtype> type, std::optional<layout> how,
             std::optional<device> where, std::optional<bool> pinned) {
  tensor out = ops::empty(size, type, how, where, pinned, std::nullopt);
  return ops::zero_(out);
}
tensor ones(std::span<const std::int64_t> size, std::optional<dtype> type, std::optional<layout> how,
            std::optional<device> where, std::optional<bool> pinned) {
  tensor out = ops::empty(size, type, how, where, pinned, std::nullopt);
  return ops::fill_(out, 1);
}

tensor to_copy(const tensor& self, std::optional<dtype> type, std::optional<layout> how, std::optional<device> where,
               std::optional<bool> pinned, bool non_blocking, std::optional<memory_format> format) {
  tensor out =
      ops::empty(self.sizes(), type.value_or(self.dtype()), how, where.value_or(self.device()), pinned, format);
  return ops::copy_.redispatch(key_set{key_of(out.device().type), key_of(self.device().type)}, out, self, non_blocking);
}

tensor clone(const tensor& self, std::optional<memory_format>) {
  tensor out = author::make_tensor(self.sizes(), self.dtype(), self.device());
  return ops::copy_.redispatch(key_of(self.device().type), out, self, false);
}

tensor transpose(const tensor& self, std::int64_t dim0, std::int64_t dim1) {
  constexpr backend_call c{nullptr, ops::transpose.name()};
  dims sizes = self.sizes(), strides = self.strides();
  const std::size_t a = dim_of(c, dim0, self), b = dim_of(c, dim1, self);
  if (a != b) {
    std::swap(sizes[a], sizes[b]);
    std::swap(strides[a], strides[b]);
  }
  return author::make_view(self, sizes, strides, self.record().offset);
}

tensor t(const tensor& self) {
  if (self.dim() > 2) {
    throw shape_error("aten::t: found " + to_string(self.sizes()) + ", wanted at most two dimensions", "aten::t");
  }
  return self.dim() < 2 ? self : ops::transpose(self, 0, 1);
}

tensor expand(const tensor& self, std::span<const std::int64_t> size, bool) {
  dims sizes = sizes_of({nullptr, ops::expand.name()}, size), strides(size.size(), 0);
  const auto refuse = [&] {
    throw shape_error("aten::expand: found " + to_string(self.sizes()) + " and the wanted sizes " +
                          to_string(dims(size)) + "; only sizes of 1 can grow, and -1 keeps a size",
                      "aten::expand");
  };
  if (size.size() < self.dim()) refuse();
  const std::size_t added = size.size() - self.dim();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::int64_t old = i < added ? 1 : self.sizes()[i - added];
    if (sizes[i] == -1 && i >= added) sizes[i] = old;
    if (sizes[i] != old && old != 1) refuse();
    if (sizes[i] < 0) refuse();
    if (i >= added && sizes[i] == old) strides[i] = self.strides()[i - added];
  }
  return author::make_view(self, sizes, strides, self.record().offset);
}

namespace {

// The wanted sizes with -1 replaced by what is left.
dims inferred_sizes(std::string_view op, const tensor& self, std::span<const std::int64_t> wanted) {
  dims sizes = sizes_of({nullptr, op}, wanted);
  std::int64_t known = 1, reach = 1;  // strides are products too, of sizes of which 0 counts as 1
  std::optional<std::size_t> open;
  bool good = true;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1 && !open)
      open = i;
    else if (sizes[i] < 0)
      good = false;
    else if (__builtin_mul_overflow(known, sizes[i], &known) ||
             __builtin_mul_overflow(reach, std::max(sizes[i], std::int64_t{1}), &reach))
      good = false;
  }
  if (open && good && known != 0 && self.numel() % known == 0) sizes[*open] = self.numel() / known;
  if (!good || (open && sizes[*open] == -1) || numel(sizes) != self.numel()) {
    throw shape_error(std::string(op) + ": found " + to_string(self.sizes()) + " (" + std::to_string(self.numel()) +
                          " elements), which do not have the shape " + to_string(dims(wanted)),
                      std::string(op));
  }
  return sizes;
}

}  // namespace

tensor view(const tensor& self, std::span<const std::int64_t> size) {
  const dims sizes = inferred_sizes("aten::view", self, size);
  if (!self.is_contiguous()) {
    throw shape_error("aten::view: found strides " + to_string(self.strides()) + " for sizes " +
                          to_string(self.sizes()) + ", wanted a dense tensor; use reshape",
                      "aten::view");
  }
  return author::make_view(self, sizes, dense_strides(sizes), self.record().offset);
}

tensor reshape(const tensor& self, std::span<const std::int64_t> shape) {
  return ops::view(self.is_contiguous() ? self : ops::clone(self), inferred_sizes("aten::reshape", self, shape));
}

tensor slice(const tensor& self, std::int64_t dim, std::optional<std::int64_t> start, std::optional<std::int64_t> end,
             std::int64_t step) {
  const std::size_t d = wrap_dim("aten::slice.Tensor", dim, self.dim());
  if (step < 1) {
    throw shape_error("aten::slice.Tensor: found step " + std::to_string(step) + ", wanted 1 or more",
                      "aten::slice.Tensor");
  }
  dims sizes = self.sizes(), strides = self.strides();
  const std::int64_t n = sizes[d];
  const auto bound = [&](std::int64_t i) { return std::min(n, std::max<std::int64_t>(0, i < 0 ? i + n : i)); };
  const std::int64_t first = bound(start.value_or(0));
  const std::int64_t last = std::max(first, bound(end.value_or(n)));
  step = std::min(step, std::max<std::int64_t>(n, 1));  // a longer one leads out of the dimension as well
  sizes[d] = (last - first + step - 1) / step;
  const std::int64_t offset = self.record().offset + first * strides[d];
  strides[d] *= step;
  return author::make_view(self, sizes, strides, offset);
}

}  // namespace topbit::detail
