// Kernels of the family `pad` that copy elements of the tensor. Padding that only adds elements copies slices; padding
// that also removes some goes through an index list for each padded dimension.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :convolution.pad_kernels;
import :index.gather_kernels;
import :registration.composite;
import :rowwise.rowwise;

namespace topbit::detail {

namespace {

std::string_view name_of(edge mode) {
  return mode == edge::reflect ? "mirrored" : mode == edge::replicate ? "repeated" : "taken from the other end";
}

// The elements of `size` that negative padding leaves.
std::int64_t left_of(std::int64_t size, both_ends pad) {
  return size + std::min<std::int64_t>(pad.before, 0) + std::min<std::int64_t>(pad.behind, 0);
}

}  // namespace

tensor indices_of(edge mode, std::int64_t size, both_ends pad) {
  std::vector<std::int64_t> indices;
  const std::int64_t left = left_of(size, pad), first = std::max<std::int64_t>(-pad.before, 0);
  for (std::int64_t i = -pad.before; i < size + pad.behind; ++i) {
    switch (mode) {
      case edge::reflect: indices.push_back(size - 1 - std::abs(size - 1 - std::abs(i))); break;
      case edge::replicate: indices.push_back(std::min(std::max<std::int64_t>(i, 0), size - 1)); break;
      case edge::circular: indices.push_back(first + (i - first + left) % left); break;
    }
  }
  return from_values(indices, {static_cast<std::int64_t>(indices.size())});
}

result_meta edge_pad_meta(std::string_view op, edge mode, std::size_t dimensions, const tensor& self, sizes_view pad) {
  const backend_call c{nullptr, op};
  check_defined(c, self);
  const std::size_t padded = dimensions != 0 ? dimensions : pad.size() / 2;
  if (pad.size() != 2 * padded || padded == 0) {
    refuse<error>(c, "found padding " + to_string(sizes_of(c, pad)) + ", wanted " +
                         (dimensions == 0 ? "two numbers for each padded dimension"
                                          : std::to_string(2 * dimensions) + " numbers"));
  }
  const std::size_t rank = self.sizes().size();
  if (rank < padded || rank > padded + 2 || (dimensions != 0 && rank == padded)) {
    refuse<shape_error>(c, "found " + to_string(self.sizes()) + " and padding " + to_string(shape(pad)) +
                               ", wanted channels, or a batch of them, in front of the padded dimensions");
  }
  constexpr std::int64_t most_padding = std::int64_t{1} << 62;
  if (std::ranges::any_of(pad, [](std::int64_t n) { return n > most_padding || n < -most_padding; })) {
    refuse<shape_error>(c, "found padding " + to_string(shape(pad)) + ", wanted numbers that sizes can have");
  }
  shape sizes = self.sizes();
  for (std::size_t i = 0; i < padded; ++i) {
    const both_ends at(pad, i);
    std::int64_t& size = sizes[self.dim() - 1 - i];
    const std::int64_t most = mode == edge::reflect ? size - 1 : std::max<std::int64_t>(left_of(size, at), 0);
    if (mode != edge::replicate && (at.before > most || at.behind > most)) {
      refuse<shape_error>(c, "found padding " + to_string(shape(pad)) + " for " + to_string(self.sizes()) +
                                 ", wanted at most " + std::to_string(most) + " elements " +
                                 std::string(name_of(mode)) + " in dimension " + std::to_string(self.dim() - 1 - i));
    }
    const std::int64_t given = size;
    if (__builtin_add_overflow(size, at.before, &size) || __builtin_add_overflow(size, at.behind, &size) || size < 1 ||
        given < 1) {
      refuse<shape_error>(c, "found padding " + to_string(shape(pad)) + " for " + to_string(self.sizes()) +
                                 ", wanted elements in every padded dimension, before and after");
    }
  }
  return dense_meta(sizes, self.dtype(), self);
}

namespace {

// `count` slices along dimension d, `step` apart.
tensor slices(const tensor& all, std::size_t d, std::int64_t first, std::int64_t count, std::int64_t step = 1) {
  shape sizes = all.sizes(), strides = all.strides();
  sizes[d] = count;
  const std::int64_t offset = author::record_of(all).offset + first * strides[d];
  strides[d] *= step;
  return author::make_view(all, sizes, strides, offset);
}

// Writes both sides of dimension d, whose other slices are written.
void write_sides(backend_call c, edge mode, const tensor& out, std::size_t d, both_ends at) {
  const std::int64_t behind = out.sizes()[d] - at.behind, size = behind - at.before;
  std::array<bool, max_dims> flipped{};
  flipped[d] = mode == edge::reflect;
  const auto write = [&](std::int64_t first, std::int64_t count, std::int64_t mirrored, std::int64_t edge_at,
                         std::int64_t opposite) {
    if (count == 0) return;
    const std::int64_t from = mode == edge::reflect ? mirrored : mode == edge::replicate ? edge_at : opposite;
    copy_flipped(c, slices(out, d, first, count), slices(out, d, from, count, mode == edge::replicate ? 0 : 1),
                 flipped);
  };
  write(0, at.before, at.before + 1, at.before, size);
  write(behind, at.behind, behind - 1 - at.behind, behind - 1, at.before);
}

// Copies the tensor to the middle of the result, and pads there one dimension after another, from the last on.
void pad_by_slices(backend_call c, edge mode, const tensor& self, sizes_view pad, const tensor& out) {
  std::vector<tensor> padded(1, out);
  for (std::size_t i = pad.size() / 2; i-- > 0;) {
    const std::size_t d = self.dim() - 1 - i;
    padded.push_back(slices(padded.back(), d, both_ends(pad, i).before, self.sizes()[d]));
  }
  copy_flipped(c, padded.back(), self, {});
  for (std::size_t i = 0; i < pad.size() / 2; ++i) {
    padded.pop_back();
    write_sides(c, mode, padded.back(), self.dim() - 1 - i, both_ends(pad, i));
  }
}

// Pads as many images at a time as remain in a cache until their sides are written.
void pad_in_blocks(backend_call c, edge mode, const tensor& self, sizes_view pad, const tensor& out) {
  constexpr std::int64_t block = 1 << 17;  // elements
  const std::size_t leading = self.dim() - pad.size() / 2;
  std::size_t d = 0;
  while (d < leading && self.sizes()[d] == 1) ++d;
  if (d == leading || out.numel() <= block || out.device().type != backend::CPU)
    return pad_by_slices(c, mode, self, pad, out);
  const std::int64_t size = self.sizes()[d], together = std::max<std::int64_t>(block / (out.numel() / size), 1);
  for (std::int64_t first = 0; first < size; first += together) {
    const std::int64_t count = std::min(together, size - first);
    pad_in_blocks(c, mode, slices(self, d, first, count), pad, slices(out, d, first, count));
  }
}

}  // namespace

void run_edge_pad(backend_call c, edge mode, const tensor& self, sizes_view pad, const tensor& out) {
  if (out.numel() == 0) return;
  if (std::ranges::all_of(pad, [](std::int64_t n) { return n >= 0; })) return pad_in_blocks(c, mode, self, pad, out);
  tensor now = dense(c, self);
  for (std::size_t i = 0; i < pad.size() / 2; ++i) {
    const both_ends at(pad, i);
    if (!at.any()) continue;
    const std::size_t d = self.dim() - 1 - i;
    const tensor host = indices_of(mode, now.sizes()[d], at);
    tensor indices = author::make_tensor(host.sizes(), dtype::int64, self.device());
    copy(c, indices, host);
    shape sizes = now.sizes();
    sizes[d] = host.numel();
    const tensor next = author::make_tensor(sizes, self.dtype(), self.device());
    run_take_along(c, take_code::take, next, now, d, indices);
    now = next;
  }
  copy_result(out, now);
}

namespace {

tensor pad(const tensor& self, sizes_view pad, std::string_view mode, std::optional<double> value) {
  constexpr backend_call c{nullptr, aten::pad.name()};
  if (mode == "constant") {
    constant_pad_kernel::meta(c.op, self, pad, 0);
    return aten::constant_pad_nd(self, pad, value.value_or(0));
  }
  const bool reflect = mode == "reflect";
  if (!reflect && mode != "replicate" && mode != "circular") {
    refuse<error>(c, "found mode '" + std::string(mode) + "', wanted 'constant', 'reflect', 'replicate' or 'circular'");
  }
  if (value && *value != 0) {
    refuse<error>(c, "found the value " + std::to_string(*value) + " and mode '" + std::string(mode) +
                         "', wanted a value with mode 'constant' only");
  }
  const edge kind = mode == "circular" ? edge::circular : reflect ? edge::reflect : edge::replicate;
  if (kind == edge::circular || pad.size() == 2 || pad.size() == 4 || pad.size() == 6) {
    edge_pad_meta(c.op, kind, kind == edge::circular ? 0 : pad.size() / 2, self, pad);
  }
  if (kind == edge::circular) return aten::_pad_circular(self, pad);
  switch (pad.size()) {
    case 2: return reflect ? aten::reflection_pad1d(self, pad) : aten::replication_pad1d(self, pad);
    case 4: return reflect ? aten::reflection_pad2d(self, pad) : aten::replication_pad2d(self, pad);
    case 6: return reflect ? aten::reflection_pad3d(self, pad) : aten::replication_pad3d(self, pad);
    default: break;
  }
  refuse<error>(c, "found " + std::to_string(pad.size()) + " numbers with mode '" + std::string(mode) +
                       "', wanted 2, 4 or 6, two for each of the last dimensions");
}

}  // namespace

void register_pad() {
  register_forms(pad_forms);
  register_composite<&pad, aten::pad>();
}

}  // namespace topbit::detail
