// A batched tensor: what the mapped function of a vmap sees as one example, over a tensor with all of them.
export module topbit.transform:batched;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :level;

namespace topbit {

namespace detail {

/// Of a wrapper: the tensor with all examples, where the batch dimension is, and of which level.
struct batched_tensor final : author::wrapper_extension {
  batched_tensor(tensor physical, std::int64_t at, std::uint64_t of) noexcept
      : wrapper_extension(std::move(physical)), dim(at), level(of) {}
  [[noreturn]] void refuse_elements(std::string_view what) const override;
  std::string text(std::string of_wrapped) const override;
  static void* operator new(std::size_t bytes) { return author::take_memory(bytes); }
  static void operator delete(void* p, std::size_t bytes) noexcept { author::give_memory(p, bytes); }

  const std::int64_t dim;
  const std::uint64_t level;
};

// What a tensor is as batched; null if it is not. Only these wrappers bring the key.
inline const batched_tensor* batched_of(const tensor& t) noexcept {
  if (!t.keys().contains(key::FuncTorchBatched)) [[likely]]
    return nullptr;
  return author::extension_of<batched_tensor>(t);
}

// A batched tensor of this level: `physical` without dimension `dim`.
tensor make_batched(tensor physical, std::int64_t dim, const batch_level& l);

// Gives a tensor that was made within the level a copy for each example, of which it becomes the wrapper: its handles
// and the base of a view see it. False if the tensor is older than the level, or if other tensors share its memory.
bool become_batched(const tensor& x, const batch_level& l);

// The tensor with all examples and its batch dimension; the tensor itself and none if it is not batched at the level.
struct batched_view {
  tensor physical;
  batch_dim dim;
};
batched_view look_into(const tensor& t, const batch_level& l);
inline bool is_batched_at(const tensor& t, const batch_level& l) noexcept {
  const batched_tensor* const b = batched_of(t);
  return b != nullptr && b->level == l.number;
}

// The sizes of an example, or its strides.
shape without_dimension(const shape& of, std::int64_t dim);
// The tensor with the batch dimension first. Expands one that is not batched, without a copy.
tensor with_batch_first(const tensor& physical, batch_dim dim, std::int64_t size);
// One example of a tensor; the tensor itself if it has no batch dimension.
tensor example_of(const tensor& physical, batch_dim dim, std::int64_t example);

}  // namespace detail

export namespace author {

/// Whether a running vmap of this thread, or one that has ended, gave the tensor its example's sizes.
inline bool is_batched(const tensor& t) noexcept { return topbit::detail::batched_of(t) != nullptr; }

}  // namespace author

/// Inside a mapped function: a copy of the tensor for each example, which may be written with values that differ among
/// examples. A tensor that is batched at the innermost level is returned as it is, and so is any outside of vmap.
export tensor per_example(const tensor& x);

}  // namespace topbit
