module topbit.contracts;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :twin;

namespace topbit::contracts {

namespace {

// Elements stay aligned as their type; those of four bytes and less begin four bytes behind a block's alignment.
tensor make_memory(std::int64_t count, dtype type, twin_memory where) {
  if (where != twin_memory::shifted) return author::make_tensor({count}, type, where == twin_memory::meta ? meta : cpu);
  const auto size = static_cast<std::int64_t>(size_of(type)), shift = std::max<std::int64_t>(size, 4);
  const tensor block = author::make_tensor({count * size + shift}, dtype::uint8, cpu);
  void* const first = static_cast<std::byte*>(block.data()) + shift;
  return with_element_type(type,
                           [&]<class E>(E) { return from_blob(static_cast<E*>(first), {count}, [block](void*) {}); });
}

}  // namespace

twin::twin(std::span<const value> arguments, twin_memory where) {
  std::size_t count = 0;
  for (const value& v : arguments) author::each_tensor(v, [&](const tensor&) { ++count; });
  tensors_.reserve(count);  // written arguments are referred to
  for (const value& v : arguments) {
    if (v.is<tensor>()) {
      tensors_.push_back(twin_of(v.get<tensor>(), where));
      stack_.push(value::refer(tensors_.back()));
      continue;
    }
    stack_.push(author::map_tensors(v, [&](const tensor& t) {
      tensors_.push_back(twin_of(t, where));
      return tensors_.back();
    }));
  }
}

std::vector<tensor> twin::bases() const {
  std::vector<tensor> all;
  for (const auto& [of, base] : memories_) all.push_back(base);
  return all;
}

tensor twin::twin_of(const tensor& t, twin_memory where) {
  if (!is_known(t)) return t;
  const author::tensor_record& r = author::record_of(t);
  const auto size = static_cast<std::int64_t>(size_of(r.type));
  for (const auto& [of, base] : memories_) {
    if (of == r.data.get() && base.dtype() == r.type) return author::make_view(base, r.sizes, r.strides, r.offset);
  }
  const tensor base = make_memory(static_cast<std::int64_t>(r.data->bytes) / size, r.type, where);
  if (where != twin_memory::meta && base.numel() != 0)
    std::memcpy(base.data(), r.data->data, static_cast<std::size_t>(base.numel() * size));
  memories_.emplace_back(r.data.get(), base);
  return author::make_view(base, r.sizes, r.strides, r.offset);
}

namespace {

// The elements in row-major order of the indices.
std::vector<std::byte> elements_of(const tensor& t) {
  std::vector<std::byte> all;
  const std::size_t size = size_of(t.dtype());
  all.reserve(static_cast<std::size_t>(t.numel()) * size);
  const std::byte* const first = static_cast<const std::byte*>(t.data());
  each_element(t.sizes(), t.strides(), 0, [&](std::int64_t at) {
    const std::byte* const element = first + at * static_cast<std::int64_t>(size);
    all.insert(all.end(), element, element + size);
  });
  return all;
}

}  // namespace

std::optional<different_element> difference(std::span<const tensor> a, std::span<const tensor> b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (!is_known(a[i]) || a[i].device() != cpu || !is_known(b[i]) || b[i].device() != cpu) continue;
    if (a[i].sizes() != b[i].sizes() || a[i].dtype() != b[i].dtype()) return different_element{i, std::nullopt, {}, {}};
    const std::vector<std::byte> x = elements_of(a[i]), y = elements_of(b[i]);
    if (x == y) continue;
    std::size_t at = 0;
    while (x[at] == y[at]) ++at;
    const std::size_t size = size_of(a[i].dtype()), element = at / size;
    const auto bytes_at = [&](const std::vector<std::byte>& of) {
      return std::vector<std::byte>(of.begin() + static_cast<std::ptrdiff_t>(element * size),
                                    of.begin() + static_cast<std::ptrdiff_t>((element + 1) * size));
    };
    return different_element{i, element, bytes_at(x), bytes_at(y)};
  }
  return std::nullopt;
}

}  // namespace topbit::contracts
