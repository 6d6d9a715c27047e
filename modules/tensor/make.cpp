module topbit.tensor;

import topbit.std;
import topbit.core;

namespace topbit {

namespace {

[[noreturn]] void refuse_sizes(const shape& sizes) {
  const bool negative = std::ranges::any_of(sizes, [](std::int64_t s) { return s < 0; });
  throw shape_error("a tensor of sizes " + to_string(sizes) +
                    (negative ? ": sizes cannot be negative" : ": more elements than 64 bits can count"));
}

// Computes row-major strides and returns the number of elements; throws shape_error for negative or overflowing sizes.
// A size of 0 counts as 1 in the strides, so overflow is detected there too.
std::int64_t lay_out(const shape& sizes, shape& strides) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / sizeof(double);
  std::int64_t step = 1;
  bool bad = false, none = false;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    const std::int64_t size = sizes[i];
    strides[i] = step;
    none = none || size == 0;
    bad = bad || size < 0 || (size > 1 && __builtin_mul_overflow(step, size, &step));
  }
  if (bad || step > most) refuse_sizes(sizes);
  return none ? 0 : step;
}

// Throws out_of_memory with the dtype and sizes of the tensor.
[[noreturn]] void raise_out_of_memory(const shape& sizes, dtype type, std::int64_t elements) {
  const auto bytes = static_cast<std::size_t>(elements) * size_of(type);
  author::raise(out_of_memory("found no memory for a tensor " + std::string(name_of(type)) + " " + to_string(sizes) +
                                  ", wanted " + std::to_string(bytes) + " bytes of host memory" +
                                  author::memory_notes(cpu),
                              bytes));
}

void check_sizes(const shape& sizes) {
  shape strides = sizes;
  lay_out(sizes, strides);
}

}  // namespace

namespace author {

tensor make_tensor(const shape& sizes, dtype type, device where) {
  shape strides = sizes;  // same rank; overwritten by lay_out()
  const std::int64_t elements = lay_out(sizes, strides);
  try {
    return detail::tensor_access::adopt(detail::new_dense_record(
        detail::strided_keys[static_cast<std::size_t>(where.type)], type, where, sizes, strides, elements));
  } catch (const std::bad_alloc&) {
    raise_out_of_memory(sizes, type, elements);
  }
}

tensor make_tensor(const shape& sizes, dtype type, device where, const memory_hook& memory) {
  shape strides = sizes;  // same rank; overwritten by lay_out()
  const auto bytes = static_cast<std::size_t>(lay_out(sizes, strides)) * size_of(type);
  tensor t =
      detail::tensor_access::adopt(detail::new_record(detail::strided_keys[static_cast<std::size_t>(where.type)], type,
                                                      where, sizes, strides, detail::this_thread_in_inference_mode));
  record_of(t).data = intrusive_ptr<storage>(new storage(where, bytes, memory));
  return t;
}

tensor make_view(const tensor& base, const shape& sizes, const shape& strides, std::int64_t offset) {
  const tensor_record& from = record_of(base);
  if (from.how != layout::strided) author::refuse_layout("a view of a tensor", {}, from.how, layout::strided);
  check_sizes(sizes);
  std::int64_t first = offset, last = offset;
  bool fits = sizes.size() == strides.size();
  for (std::size_t i = 0; fits && i < sizes.size(); ++i) {
    std::int64_t& end = strides[i] < 0 ? first : last;
    std::int64_t reach = 0;
    fits = !__builtin_mul_overflow(sizes[i] - 1, strides[i], &reach) && !__builtin_add_overflow(end, reach, &end);
  }
  const auto elements = from.data ? static_cast<std::int64_t>(from.data->bytes / size_of(from.type)) : 0;
  if (!fits || (numel(sizes) != 0 && (first < 0 || last >= elements))) {
    throw shape_error("a view of sizes " + to_string(sizes) + ", strides " + to_string(strides) + ", offset " +
                      std::to_string(offset) + " leaves the storage of " + std::to_string(elements) + " elements");
  }
  tensor t = detail::tensor_access::adopt(
      detail::new_record(from.keys, from.type, from.where, sizes, strides, from.inference));
  tensor_record& made = record_of(t);
  made.offset = offset;
  made.data = from.data;
  return t;
}

tensor make_host_copy(const tensor& t) {
  const tensor_record& from = record_of(t);
  std::int64_t first = 0, last = 0;  // first and last element of the span, relative to the element at index 0
  for (std::size_t i = 0; i < from.sizes.size(); ++i) {
    (from.strides[i] < 0 ? first : last) += (from.sizes[i] - 1) * from.strides[i];
  }
  const std::int64_t count = from.elements == 0 ? 0 : last - first + 1;
  const tensor all = make_tensor({count}, from.type, cpu);
  if (count != 0) {
    const auto bytes = static_cast<std::int64_t>(size_of(from.type));
    from.data->hook->copy_out(from.where, all.data(), static_cast<const std::byte*>(t.data()) + first * bytes,
                              static_cast<std::size_t>(count * bytes));
  }
  return make_view(all, from.sizes, from.strides, -first);
}

tensor make_alias(const tensor& t) {
  const tensor_record& from = record_of(t);
  tensor alias = detail::tensor_access::adopt(
      detail::new_record(from.keys, from.type, from.where, from.sizes, from.strides, from.inference));
  tensor_record& made = record_of(alias);
  made.how = from.how;
  made.offset = from.offset;
  made.data = from.data;
  return alias;
}

tensor make_wrapper(const shape& sizes, const shape& strides, dtype type, device where, key_set keys,
                    intrusive_ptr<wrapper_extension> e) {
  tensor t = detail::tensor_access::adopt(
      detail::new_record(keys, type, where, sizes, strides, detail::this_thread_in_inference_mode));
  attach(t, std::move(e));
  return t;
}

tensor make_opaque(const shape& sizes, dtype type, device where, key_set keys, intrusive_ptr<tensor_extension> payload,
                   layout how) {
  if (how == layout::strided) {
    throw layout_error("make_opaque: found layout strided, wanted another one; make_tensor() makes strided tensors");
  }
  shape strides = sizes;
  lay_out(sizes, strides);
  intrusive_ptr<storage> data(new detail::opaque_storage(where, std::move(payload)));
  tensor t = detail::tensor_access::adopt(
      detail::new_record(keys, type, where, sizes, strides, detail::this_thread_in_inference_mode));
  tensor_record& made = record_of(t);
  made.how = how;
  made.data = std::move(data);
  return t;
}

}  // namespace author

tensor detail::borrow(void* data, const shape& sizes, dtype type, std::function<void(void*)> release) {
  shape strides = sizes;  // same rank; overwritten by lay_out()
  const std::int64_t elements = lay_out(sizes, strides);
  if (data == nullptr && elements != 0) {
    throw shape_error("from_blob: found a null pointer for " + std::to_string(elements) + " elements of sizes " +
                      to_string(sizes) + ", wanted their address");
  }
  tensor t = tensor_access::adopt(new_record(strided_keys[static_cast<std::size_t>(backend::CPU)], type, cpu, sizes,
                                             strides, this_thread_in_inference_mode));
  author::record_of(t).data = intrusive_ptr<storage>(
      new borrowed_storage(data, static_cast<std::size_t>(elements) * size_of(type), std::move(release)));
  return t;
}

void detail::check_count(std::size_t found, const shape& sizes) {
  check_sizes(sizes);
  if (static_cast<std::int64_t>(found) != numel(sizes)) {
    throw shape_error("from_values: found " + std::to_string(found) + " values, the sizes " + to_string(sizes) +
                      " want " + std::to_string(numel(sizes)));
  }
}

}  // namespace topbit
