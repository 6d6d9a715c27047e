// Devices and layouts, and the keys a tensor on them carries. Total: every backend is a device type.
export module topbit.tensor:device;

import topbit.std;
import topbit.core;
import :dtype;

namespace topbit {

/// A device type is a backend component of the key set.
export using device_type = backend;

export struct device {
  device_type type = backend::CPU;
  std::int8_t index = 0;
  friend constexpr bool operator==(const device&, const device&) = default;
};

namespace detail {
[[noreturn]] void raise_bad_index(int index);
}

export inline constexpr device cpu{backend::CPU};
/// Throws device_error for an index that is not 0 to 127.
export constexpr device cuda(int index = 0) {
  if (index < 0 || index > 127) detail::raise_bad_index(index);
  return {backend::CUDA, static_cast<std::int8_t>(index)};
}
export inline constexpr device meta{backend::Meta};

/// How elements are laid out. topbit itself has tensors of the first; a library brings those of another with
/// author::make_opaque() and the kernels for their keys. An opaque tensor is understood by its backend only.
export enum class layout : std::uint8_t {
  strided,
  sparse_coo,
  sparse_csr,
  sparse_csc,
  sparse_bsr,
  sparse_bsc,
  quantized,
  mkldnn,  // the blocked layouts of oneDNN, on the CPU
  opaque
};
export inline constexpr std::array all_layouts{layout::strided,    layout::sparse_coo, layout::sparse_csr,
                                               layout::sparse_csc, layout::sparse_bsr, layout::sparse_bsc,
                                               layout::quantized,  layout::mkldnn,     layout::opaque};
/// "strided", "sparse_coo"
export constexpr std::string_view name_of(layout l) noexcept {
  switch (l) {
    case layout::strided: return "strided";
    case layout::sparse_coo: return "sparse_coo";
    case layout::sparse_csr: return "sparse_csr";
    case layout::sparse_csc: return "sparse_csc";
    case layout::sparse_bsr: return "sparse_bsr";
    case layout::sparse_bsc: return "sparse_bsc";
    case layout::quantized: return "quantized";
    case layout::mkldnn: return "mkldnn";
    case layout::opaque: break;
  }
  return "opaque";
}
export enum class memory_format : std::uint8_t { contiguous, preserve };
/// "contiguous_format", "preserve_format"
export std::string_view name_of(memory_format f) noexcept;

/// The dense key of a device type.
export constexpr dispatch_key key_of(device_type t) noexcept {
  return t == backend::none ? dispatch_key{} : dispatch_key{functionality::Dense, t};
}

namespace detail {
constexpr functionality functionality_of(layout l) noexcept {
  switch (l) {
    case layout::sparse_coo: return functionality::Sparse;
    case layout::sparse_csr:
    case layout::sparse_csc:
    case layout::sparse_bsr:
    case layout::sparse_bsc: return functionality::SparseCsr;
    case layout::quantized: return functionality::Quantized;
    case layout::mkldnn: return functionality::MkldnnCPU;
    case layout::strided:
    case layout::opaque: break;
  }
  return functionality::Dense;
}
}  // namespace detail

/// The keys of an ordinary tensor: its backend key and the layers that every tensor brings.
/// The mkldnn layout has a key on the CPU alone, so it brings no other backend.
export constexpr key_set keys_of(layout l, device d, dtype) noexcept {
  const backend b = l == layout::mkldnn ? backend::CPU : d.type;
  const dispatch_key own = l == layout::mkldnn ? key::MkldnnCPU : dispatch_key{detail::functionality_of(l), b};
  return key_set{own, key::ADInplaceOrView, author::autograd_key_of(b), key::AutocastFunctionality};
}

namespace detail {
// Of a strided tensor, by device type.
inline constexpr auto strided_keys = [] {
  std::array<key_set, author::backend_count + 1> all;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = keys_of(layout::strided, device{static_cast<device_type>(i)}, dtype::float32);
  }
  return all;
}();
}  // namespace detail

/// Where an operator without tensor arguments runs: what its generated BackendSelect kernel adds to the call.
export constexpr key_set backend_keys_of(const device& d) noexcept { return key_of(d.type); }
export constexpr key_set backend_keys_of(const std::optional<device>& d) noexcept {
  return backend_keys_of(d.value_or(cpu));
}

/// A layout selects its functionality on that device: zeros(size, layout=sparse_coo) calls the kernel for SparseCPU.
export constexpr key_set backend_keys_of(layout l) noexcept {
  const functionality f = detail::functionality_of(l);
  return f == functionality::Dense ? key_set{} : key_set(building_block{f});
}
export constexpr key_set backend_keys_of(const std::optional<layout>& l) noexcept {
  return backend_keys_of(l.value_or(layout::strided));
}

/// "cpu", "cuda:1", "meta", "privateuse1:0"
export std::string to_string(device d);
/// Throws device_error, listing the valid forms, for invalid text.
export device parse_device(std::string_view text);

}  // namespace topbit
