// The same tensor in other memory: other strides, another first address, another device, or repeated so often that
// vector registers are filled. It copies bytes and knows no dtype. Include this after every other header: it imports.
#pragma once

#include "support/tensor_values.h"

import topbit;

namespace golden {

namespace tb = topbit;

enum class memory { dense, transposed, sliced, unaligned, mixed };
inline constexpr memory memories[] = {memory::dense, memory::transposed, memory::sliced, memory::unaligned,
                                      memory::mixed};

inline const char* name_of(memory m) {
  switch (m) {
    case memory::dense: return "dense";
    case memory::transposed: return "transposed";
    case memory::sliced: return "sliced";
    case memory::unaligned: return "unaligned";
    case memory::mixed: return "mixed";
  }
  return "";
}

/// Whether elements on the device are nothing the host can read.
inline bool has_own_memory(tb::device where) { return where != tb::cpu && where != tb::meta; }

inline tb::shape row_major(const tb::shape& sizes) {
  tb::shape strides(sizes.size(), 1);
  for (std::size_t d = sizes.size(); d-- > 1;) strides[d - 1] = strides[d] * std::max<std::int64_t>(sizes[d], 1);
  return strides;
}

inline tb::tensor room(const tb::shape& sizes, tb::dtype type, memory how, tb::device where) {
  switch (how) {
    case memory::dense: return tb::author::make_tensor(sizes, type, where);
    case memory::transposed: return support::arranged(sizes, type, support::arrangement::transposed, where);
    case memory::sliced: return support::arranged(sizes, type, support::arrangement::sliced, where);
    default: break;
  }
  // One element before it: aligned for that, and for no register.
  const tb::tensor whole = tb::author::make_tensor({tb::numel(sizes) + 1}, type, where);
  return tb::author::make_view(whole, sizes, row_major(sizes), 1);
}

/// A copy of t, arranged so; `ordinal` counts the tensors of a call, for which mixed takes turns.
inline tb::tensor moved(const tb::tensor& t, memory how, std::size_t ordinal, tb::device where) {
  if (!t.defined()) return t;
  if (how == memory::mixed) how = memories[(ordinal + 1) % 4];
  if (has_own_memory(where)) return support::on_device(moved(t, how, ordinal, tb::cpu), where);
  const tb::tensor to = room(t.sizes(), t.dtype(), how, where);
  if (to.data() == nullptr || t.data() == nullptr) return to;
  support::each_index(t.sizes(), [&](const tb::shape& index) {
    std::memcpy(support::address(to, index), support::address(t, index), tb::size_of(t.dtype()));
  });
  return to;
}

/// Room for a result, in memory that has a known pattern wherever nobody wrote.
inline tb::tensor marked_room(const tb::shape& sizes, tb::dtype type, memory how, tb::device where) {
  if (has_own_memory(where)) return support::on_device(marked_room(sizes, type, how, tb::cpu), where);
  const tb::tensor to = room(sizes, type, how, where);
  if (to.data() != nullptr)
    std::memset(tb::author::record_of(to).data->data, 0x55, tb::author::record_of(to).data->bytes);
  return to;
}

/// Room for a result in whose memory an argument of `others` elements can be placed, one element after it or before.
inline tb::tensor shared_room(const tb::shape& sizes, tb::dtype type, std::int64_t others) {
  const tb::tensor whole = tb::author::make_tensor({std::max(tb::numel(sizes), others) + 2}, type, tb::cpu);
  std::memset(whole.data(), 0x55, tb::author::record_of(whole).data->bytes);
  return tb::author::make_view(whole, sizes, row_major(sizes), 1);
}

/// A dense copy of t in the memory of a shared_room(), `shift` elements after its first: -1, 0 or 1.
inline tb::tensor placed(const tb::tensor& t, const tb::tensor& room, std::int64_t shift) {
  const tb::tensor to = tb::author::make_view(room, t.sizes(), row_major(t.sizes()), 1 + shift);
  support::each_index(t.sizes(), [&](const tb::shape& index) {
    std::memcpy(support::address(to, index), support::address(t, index), tb::size_of(t.dtype()));
  });
  return to;
}

/// n copies of t in a further dimension before `rank` others. One without dimensions stays so beside others that have
/// some: it would promote differently.
inline tb::tensor repeated(const tb::tensor& t, std::int64_t n, std::size_t rank) {
  if (!t.defined() || (t.dim() == 0 && rank != 0)) return t;
  tb::shape sizes(rank + 1, 1);
  sizes[0] = n;
  for (std::size_t d = 0; d < t.sizes().size(); ++d) sizes[sizes.size() - t.sizes().size() + d] = t.sizes()[d];
  const tb::tensor to = tb::author::make_tensor(sizes, t.dtype(), t.device());
  const std::size_t bytes = static_cast<std::size_t>(t.numel()) * tb::size_of(t.dtype());
  for (std::int64_t i = 0; i < n && bytes != 0; ++i) {
    std::memcpy(static_cast<std::byte*>(to.data()) + static_cast<std::size_t>(i) * bytes, t.data(), bytes);
  }
  return to;
}

}  // namespace golden
