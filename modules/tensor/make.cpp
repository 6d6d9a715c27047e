module topbit.tensor;

import topbit.std;
import topbit.core;

namespace topbit {

namespace {

tensor bare(detail::tensor_record* r, const dims& sizes, const dims& strides, dtype type, device where, key_set keys) {
  r->keys = keys;
  r->type = type;
  r->where = where;
  r->sizes = sizes;
  r->strides = strides;
  return tensor(r);
}

void check_sizes(const dims& sizes) {
  for (std::int64_t s : sizes) {
    if (s < 0) throw shape_error("a tensor of sizes " + to_string(sizes) + ": sizes cannot be negative");
  }
  // Sizes of 0 count as 1 here: strides are products too.
  std::int64_t bytes = sizeof(double);
  for (std::int64_t s : sizes) {
    if (s != 0 && __builtin_mul_overflow(bytes, s, &bytes)) {
      throw shape_error("a tensor of sizes " + to_string(sizes) + ": more elements than 64 bits can count");
    }
  }
}

}  // namespace

namespace author {

tensor make_tensor(const dims& sizes, dtype type, device where) {
  check_sizes(sizes);
  const std::size_t bytes = static_cast<std::size_t>(numel(sizes)) * size_of(type);
  return bare(detail::new_record(where, bytes), sizes, dense_strides(sizes), type, where,
              keys_of(layout::strided, where, type));
}

tensor make_view(const tensor& base, const dims& sizes, const dims& strides, std::int64_t offset) {
  check_sizes(sizes);
  std::int64_t first = offset, last = offset;
  bool fits = sizes.size() == strides.size();
  for (std::size_t i = 0; fits && i < sizes.size(); ++i) {
    std::int64_t& end = strides[i] < 0 ? first : last;
    std::int64_t reach = 0;
    fits = !__builtin_mul_overflow(sizes[i] - 1, strides[i], &reach) && !__builtin_add_overflow(end, reach, &end);
  }
  const detail::tensor_record& from = base.record();
  const auto elements = from.data ? static_cast<std::int64_t>(from.data->bytes / size_of(from.type)) : 0;
  if (!fits || (numel(sizes) != 0 && (first < 0 || last >= elements))) {
    throw shape_error("a view of sizes " + to_string(sizes) + ", strides " + to_string(strides) + ", offset " +
                      std::to_string(offset) + " leaves the storage of " + std::to_string(elements) + " elements");
  }
  tensor t = bare(detail::new_record(), sizes, strides, from.type, from.where, from.keys);
  t.record().offset = offset;
  t.record().data = from.data;
  return t;
}

tensor make_opaque(const dims& sizes, dtype type, device where, key_set keys) {
  check_sizes(sizes);
  return bare(detail::new_record(), sizes, dense_strides(sizes), type, where, keys);
}

}  // namespace author

void detail::check_count(std::size_t found, const dims& sizes) {
  check_sizes(sizes);
  if (static_cast<std::int64_t>(found) != numel(sizes)) {
    throw shape_error("from_values: found " + std::to_string(found) + " values, the sizes " + to_string(sizes) +
                      " want " + std::to_string(numel(sizes)));
  }
}

}  // namespace topbit
