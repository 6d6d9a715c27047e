module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :create.create_kernels;
import :registration.composite;
import :registration.factory;

namespace topbit::detail {

shape new_sizes(backend_call c, sizes_argument sizes) {
  if (sizes.size() > max_dims) sizes_of(c, sizes);
  const shape wanted(sizes);
  // Common case: for up to four sizes below 2^15 no product overflows, and none is negative.
  std::uint64_t bits = wanted.size() <= 4 ? 0 : ~std::uint64_t{0};
  for (std::int64_t s : wanted) bits |= static_cast<std::uint64_t>(s);
  if (bits >> 15 == 0) return wanted;
  // Sizes of 0 count as 1, since strides are products too.
  std::int64_t bytes = sizeof(double);
  for (std::int64_t s : wanted) {
    if (s < 0) refuse<shape_error>(c, "found sizes " + to_string(wanted) + ", wanted none below 0");
  }
  for (std::int64_t s : wanted) {
    if (s != 0 && __builtin_mul_overflow(bytes, s, &bytes)) {
      refuse<shape_error>(c, "found sizes " + to_string(wanted) + ", more elements than 64 bits can count");
    }
  }
  return wanted;
}

tensor new_tensor(backend_call c, sizes_argument sizes, const tensor_options& o) {
  check_options(c, o.how, o.pinned);
  const shape wanted = new_sizes(c, sizes);
  return aten::empty_memory_format(wanted, o.type, o.how, o.where, o.pinned, std::nullopt);
}

tensor new_like(backend_call c, const tensor& self, const tensor_options& o, std::optional<memory_format> format) {
  check_defined(c, self);
  check_options(c, o.how, o.pinned);
  const dtype type = o.type.value_or(self.dtype());
  const device where = o.where.value_or(self.device());
  shape strides;
  if (format.value_or(memory_format::preserve) == memory_format::preserve) {
    const tensor* const order[] = {&self};
    strides = author::result_strides(self.sizes(), order);
  }
  if (strides.empty()) return aten::empty_memory_format(self.sizes(), type, o.how, where, o.pinned, std::nullopt);
  return aten::empty_strided(self.sizes(), strides, type, o.how, where, o.pinned);
}

void check_out(backend_call c, const tensor& out, const shape& sizes) {
  check_defined(c, out);
  if (out.sizes() == sizes) return;
  refuse<shape_error>(c,
                      "the result has sizes " + to_string(sizes) + ", the tensor to write " + to_string(out.sizes()));
}

void check_floating(backend_call c, dtype type) {
  if (!is_floating(type)) {
    refuse<dtype_error>(c, "found dtype " + std::string(name_of(type)) + ", wanted a floating one");
  }
}

tensor full(sizes_argument size, const scalar& value, std::optional<dtype> type, std::optional<layout> how,
            std::optional<device> where, std::optional<bool> pinned) {
  const dtype wanted = type.value_or(is_floating(value.type()) ? dtype::float32 : value.type());
  tensor out = new_tensor({nullptr, aten::full.name()}, size, {wanted, how, where, pinned});
  return aten::fill_Scalar_(out, value);
}
tensor zeros(sizes_argument size, std::optional<dtype> type, std::optional<layout> how, std::optional<device> where,
             std::optional<bool> pinned) {
  tensor out = new_tensor({nullptr, aten::zeros.name()}, size, {type, how, where, pinned});
  return aten::zero_(out);
}
tensor ones(sizes_argument size, std::optional<dtype> type, std::optional<layout> how, std::optional<device> where,
            std::optional<bool> pinned) {
  tensor out = new_tensor({nullptr, aten::ones.name()}, size, {type, how, where, pinned});
  return aten::fill_Scalar_(out, 1);
}

namespace {

// True for a device with memory but without a copy kernel. Its elements are transferred by its memory hook and
// processed on the CPU.
bool has_memory_alone(device d) {
  if (d.type == backend::CPU || d.type == backend::Meta) return false;
  return !inspect::has_entry(aten::copy_.handle(), key_of(d.type)) && device_count(d.type) > 0;
}

tensor copy_through_host(const tensor& self, std::optional<dtype> type, device where,
                         std::optional<memory_format> format) {
  const tensor host = self.device().type == backend::CPU ? self
                      : has_memory_alone(self.device())  ? author::make_host_copy(self)
                                                         : aten::_to_copy(self, arg<"device"> = cpu);
  const tensor made = aten::_to_copy(host, type, std::nullopt, cpu, std::nullopt, false, format);
  if (where.type == backend::CPU) return made;
  if (!has_memory_alone(where)) return aten::_to_copy(made, arg<"device"> = where);
  const tensor all = author::make_tensor({made.numel()}, made.dtype(), where);
  const std::size_t bytes = static_cast<std::size_t>(made.numel()) * size_of(made.dtype());
  if (bytes != 0) memory_of(where).copy_in(where, all.data(), made.data(), bytes);
  return author::make_view(all, made.sizes(), made.strides(), 0);
}

}  // namespace

tensor to_copy(const tensor& self, std::optional<dtype> type, std::optional<layout> how, std::optional<device> where,
               std::optional<bool> pinned, bool non_blocking, std::optional<memory_format> format) {
  check_layouts(aten::_to_copy, self);
  const device to = where.value_or(self.device());
  if (has_memory_alone(to) || has_memory_alone(self.device())) {
    check_options({nullptr, aten::_to_copy.name()}, how, pinned);
    return copy_through_host(self, type, to, format);
  }
  tensor out = new_like({nullptr, aten::_to_copy.name()}, self, {type, how, where, pinned}, format);
  return aten::copy_.redispatch(key_set{key_of(out.device().type), key_of(self.device().type)}, out, self,
                                non_blocking);
}
tensor clone(const tensor& self, std::optional<memory_format> format) {
  check_layouts(aten::clone, self);
  tensor out = new_like({nullptr, aten::clone.name()}, self, {}, format);
  return aten::copy_.redispatch(key_of(self.device().type), out, self, false);
}

tensor empty_strided(backend_call c, sizes_argument size, sizes_argument stride, std::optional<dtype> type,
                     std::optional<layout> how, std::optional<device> where, std::optional<bool> pinned) {
  check_options(c, how, pinned);
  const shape sizes = new_sizes(c, size), strides = sizes_of(c, stride);
  const auto refuse_strides = [&](const std::string& wanted) {
    refuse<shape_error>(
        c, "found sizes " + to_string(sizes) + " and strides " + to_string(strides) + ", wanted " + wanted);
  };
  if (sizes.size() != strides.size()) refuse_strides("a stride for each size");
  std::int64_t last = 0, bytes = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (strides[i] < 0) refuse_strides("no stride below 0");
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(std::max<std::int64_t>(sizes[i] - 1, 0), strides[i], &reach) ||
        __builtin_add_overflow(last, reach, &last) ||
        __builtin_mul_overflow(last, static_cast<std::int64_t>(sizeof(double)), &bytes)) {
      refuse_strides("no more memory than 64 bits can count");
    }
  }
  const std::int64_t elements = numel(sizes) == 0 ? 0 : last + 1;
  return author::make_view(author::make_tensor({elements}, type.value_or(dtype::float32), where.value_or(cpu)), sizes,
                           strides, 0);
}

namespace {

using optional_dtype = std::optional<dtype>;
using optional_layout = std::optional<layout>;
using optional_device = std::optional<device>;
using optional_bool = std::optional<bool>;
using optional_format = std::optional<memory_format>;

// The result of operators new_*.
tensor new_beside(backend_call c, const tensor& self, sizes_argument size, tensor_options o) {
  check_defined(c, self);
  o.type = o.type.value_or(self.dtype());
  o.where = o.where.value_or(self.device());
  return new_tensor(c, size, o);
}
tensor new_empty(const tensor& self, sizes_argument size, optional_dtype type, optional_layout how,
                 optional_device where, optional_bool pinned) {
  return new_beside({nullptr, aten::new_empty.name()}, self, size, {type, how, where, pinned});
}
tensor new_empty_strided(const tensor& self, sizes_argument size, sizes_argument stride, optional_dtype type,
                         optional_layout how, optional_device where, optional_bool pinned) {
  check_defined({nullptr, aten::new_empty_strided.name()}, self);
  return aten::empty_strided(size, stride, type.value_or(self.dtype()), how, where.value_or(self.device()), pinned);
}
tensor new_full(const tensor& self, sizes_argument size, const scalar& value, optional_dtype type, optional_layout how,
                optional_device where, optional_bool pinned) {
  tensor out = new_beside({nullptr, aten::new_full.name()}, self, size, {type, how, where, pinned});
  return aten::fill_Scalar_(out, value);
}
tensor new_zeros(const tensor& self, sizes_argument size, optional_dtype type, optional_layout how,
                 optional_device where, optional_bool pinned) {
  tensor out = new_beside({nullptr, aten::new_zeros.name()}, self, size, {type, how, where, pinned});
  return aten::zero_(out);
}
tensor new_ones(const tensor& self, sizes_argument size, optional_dtype type, optional_layout how,
                optional_device where, optional_bool pinned) {
  tensor out = new_beside({nullptr, aten::new_ones.name()}, self, size, {type, how, where, pinned});
  return aten::fill_Scalar_(out, 1);
}

tensor empty_like(const tensor& self, optional_dtype type, optional_layout how, optional_device where,
                  optional_bool pinned, optional_format format) {
  return new_like({nullptr, aten::empty_like.name()}, self, {type, how, where, pinned}, format);
}
tensor full_like(const tensor& self, const scalar& value, optional_dtype type, optional_layout how,
                 optional_device where, optional_bool pinned, optional_format format) {
  tensor out = new_like({nullptr, aten::full_like.name()}, self, {type, how, where, pinned}, format);
  return aten::fill_Scalar_(out, value);
}
tensor zeros_like(const tensor& self, optional_dtype type, optional_layout how, optional_device where,
                  optional_bool pinned, optional_format format) {
  tensor out = new_like({nullptr, aten::zeros_like.name()}, self, {type, how, where, pinned}, format);
  return aten::zero_(out);
}
tensor ones_like(const tensor& self, optional_dtype type, optional_layout how, optional_device where,
                 optional_bool pinned, optional_format format) {
  tensor out = new_like({nullptr, aten::ones_like.name()}, self, {type, how, where, pinned}, format);
  return aten::fill_Scalar_(out, 1);
}

tensor scalar_tensor(const scalar& s, optional_dtype type, optional_layout how, optional_device where,
                     optional_bool pinned) {
  tensor out = new_tensor({nullptr, aten::scalar_tensor.name()}, {}, {type, how, where, pinned});
  return aten::fill_Scalar_(out, s);
}

tensor& empty_out(sizes_argument size, optional_format, tensor& out) {
  constexpr backend_call c{nullptr, aten::empty_out.name()};
  check_out(c, out, new_sizes(c, size));
  return out;
}
tensor& full_out(sizes_argument size, const scalar& value, tensor& out) {
  constexpr backend_call c{nullptr, aten::full_out.name()};
  check_out(c, out, new_sizes(c, size));
  return aten::fill_Scalar_(out, value);
}
tensor& zeros_out(sizes_argument size, tensor& out) {
  constexpr backend_call c{nullptr, aten::zeros_out.name()};
  check_out(c, out, new_sizes(c, size));
  return aten::zero_(out);
}
tensor& ones_out(sizes_argument size, tensor& out) {
  constexpr backend_call c{nullptr, aten::ones_out.name()};
  check_out(c, out, new_sizes(c, size));
  return aten::fill_Scalar_(out, 1);
}

void check_one_value(backend_call c, const tensor& value) {
  check_defined(c, value);
  if (value.dim() != 0) {
    refuse<shape_error>(c, "found a value of sizes " + to_string(value.sizes()) + ", wanted a zero-dimensional one");
  }
}
tensor fill_scalar(const tensor& self, const scalar& value) {
  tensor out = new_like({nullptr, aten::fill_Scalar.name()}, self, {});
  return aten::fill_Scalar_(out, value);
}
tensor fill_tensor(const tensor& self, const tensor& value) {
  constexpr backend_call c{nullptr, aten::fill_Tensor.name()};
  check_one_value(c, value);
  tensor out = new_like(c, self, {});
  return aten::copy_(out, value);
}
tensor& fill_tensor_in_place(tensor& self, const tensor& value) {
  check_one_value({nullptr, aten::fill_Tensor_.name()}, value);
  return aten::copy_(self, value);
}
tensor zero(const tensor& self) {
  tensor out = new_like({nullptr, aten::zero.name()}, self, {});
  return aten::zero_(out);
}

tensor copy_composite(const tensor& self, const tensor& src, bool) {
  constexpr backend_call c{nullptr, aten::copy.name()};
  check_defined(c, self);
  check_defined(c, src);
  if (broadcast(c.op, self.sizes(), src.sizes()) != self.sizes()) {
    refuse<shape_error>(c,
                        "found " + to_string(src.sizes()) + ", wanted it to broadcast to " + to_string(self.sizes()));
  }
  const tensor whole = aten::expand(src, self.sizes());
  return aten::_to_copy(whole, arg<"dtype"> = self.dtype(), arg<"device"> = self.device(),
                        arg<"memory_format"> = memory_format::contiguous);
}

scalar local_scalar_dense(const tensor& self) {
  constexpr backend_call c{nullptr, aten::_local_scalar_dense.name()};
  check_defined(c, self);
  if (self.numel() != 1) refuse<shape_error>(c, "found sizes " + to_string(self.sizes()) + ", wanted one element");
  const tensor host = to(author::make_alias(self), cpu);
  check_storage(c, host);
  const auto number = [&]<class T> { return scalar(*host.data_ptr<T>()); };
  switch (host.dtype()) {
    case dtype::boolean: return number.operator()<bool>();
    case dtype::uint8: return number.operator()<std::uint8_t>();
    case dtype::int8: return number.operator()<std::int8_t>();
    case dtype::int16: return number.operator()<std::int16_t>();
    case dtype::int32: return number.operator()<std::int32_t>();
    case dtype::int64: return number.operator()<std::int64_t>();
    case dtype::float16: return static_cast<float>(*host.data_ptr<half>());
    case dtype::bfloat16: return static_cast<float>(*host.data_ptr<bfloat16>());
    case dtype::float32: return number.operator()<float>();
    case dtype::float64: break;
  }
  return number.operator()<double>();
}
bool is_nonzero(const tensor& self) { return aten::_local_scalar_dense(self).to<bool>(); }

using author::define;
using author::row;

constexpr author::kernel_row base_rows[] = {
    define(aten::empty_memory_format),
    define(aten::full),
    define(aten::zeros),
    define(aten::ones),
    define(aten::fill_Scalar_),
    define(aten::zero_),
    define(aten::copy_),
    define(aten::_to_copy),
    define(aten::clone),
    define(aten::_local_scalar_dense),
    define(aten::is_nonzero),
    caller_row<&full, aten::full>(key::CompositeExplicitAutograd),
    caller_row<&zeros, aten::zeros>(key::CompositeExplicitAutograd),
    caller_row<&ones, aten::ones>(key::CompositeExplicitAutograd),
    caller_row<&to_copy, aten::_to_copy>(key::CompositeExplicitAutograd),
    caller_row<&clone, aten::clone>(key::CompositeExplicitAutograd),
    row<&local_scalar_dense>(aten::_local_scalar_dense, key::CompositeExplicitAutograd),
    caller_row<&is_nonzero, aten::is_nonzero>(key::CompositeExplicitAutograd),
};

}  // namespace

void register_create() {
  author::register_rows(base_rows);
  register_base_rows(key::CPU, std::source_location::current());
  register_base_rows(key::Meta, std::source_location::current());
  register_writing<aten::fill_Scalar_, aten::zero_, aten::copy_>();
  register_forms(create_forms);
  register_like<&empty_like, aten::empty_like>();
  register_like<&full_like, aten::full_like>();
  register_like<&zeros_like, aten::zeros_like>();
  register_like<&ones_like, aten::ones_like>();
  register_like<&new_empty, aten::new_empty>();
  register_like<&new_empty_strided, aten::new_empty_strided>();
  register_like<&new_full, aten::new_full>();
  register_like<&new_zeros, aten::new_zeros>();
  register_like<&new_ones, aten::new_ones>();
  register_like<&zero, aten::zero>();
  register_factory<&scalar_tensor, aten::scalar_tensor>();
  register_factory<&fill_scalar, aten::fill_Scalar>();
  register_factory<&fill_tensor, aten::fill_Tensor>();
  register_without_gradient<aten::empty_memory_format, aten::empty_strided, aten::full, aten::zeros, aten::ones,
                            aten::scalar_tensor, aten::_local_scalar_dense, aten::is_nonzero>();
  register_composite<&fill_tensor_in_place, aten::fill_Tensor_>();
  register_composite<&copy_composite, aten::copy>();
  register_composite<&empty_out, aten::empty_out>();
  register_composite<&full_out, aten::full_out>();
  register_composite<&zeros_out, aten::zeros_out>();
  register_composite<&ones_out, aten::ones_out>();
}

}  // namespace topbit::detail
