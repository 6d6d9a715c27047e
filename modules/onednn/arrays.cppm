// Tensors as oneDNN's arrays, and back. Internal.
module;

#include "library.h"

module topbit.onednn:arrays;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::onednn {

using library::array_ptr;

struct payload final : tensor_extension {
  static constexpr layout of_layout = layout::mkldnn;
  explicit payload(array_ptr a) noexcept : array(std::move(a)) {}

  const array_ptr array;
  // Of a weight: in the format that a product wanted last, since this version of the tensor.
  std::mutex lock;
  std::shared_ptr<const library::array> packed;
  std::uint32_t packed_version = 0;
};

inline bool is_blocked(const tensor& t) noexcept { return t.defined() && t.layout() == layout::mkldnn; }
inline bool is_given(const std::optional<tensor>& t) noexcept { return t.has_value() && t->defined(); }
inline library::array& array_of(const tensor& t) { return *t.payload<payload>().array; }

inline bool has_element(dtype t) noexcept {
  return t == dtype::float32 || t == dtype::bfloat16 || t == dtype::int8 || t == dtype::uint8;
}
library::element element_of(dtype t) noexcept;
dtype dtype_of_element(library::element e) noexcept;

inline constexpr std::int64_t most_dims = 5;
library::sizes sizes_for(const shape& s) noexcept;

// A tensor of these sizes over an array, whose own may be grouped.
tensor wrapped(array_ptr a, const shape& sizes);
tensor wrapped(array_ptr a);
// A strided copy. Not recorded.
tensor strided_copy(const tensor& t);
// Writes the elements of `from`, of the same sizes and any layout, to a tensor in oneDNN's format. Not recorded.
void write(const tensor& to, const tensor& from);

// A tensor as an array for the length of a call: its own, or one over the elements of a strided tensor.
class operand {
 public:
  explicit operand(const tensor& t);
  operand(const tensor& t, const shape& seen_as);  // of a strided tensor
  const library::array& get() const noexcept { return *used_; }

 private:
  tensor kept_;
  array_ptr borrowed_;
  const library::array* used_;
};

// A weight, which is kept in the format that products want, until it is written.
class weight_operand {
 public:
  explicit weight_operand(const tensor& t);
  const library::array& get() const noexcept { return own_.get(); }
  // Null for a strided weight, which has no place to keep anything.
  library::packed_slot* slot() noexcept { return kept_.defined() ? &slot_ : nullptr; }
  // After the product.
  void keep();

 private:
  operand own_;
  tensor kept_;
  std::uint32_t version_ = 0;
  library::packed_slot slot_;
};

// Whether oneDNN is asked at all: one dtype, all sizes positive, few dimensions.
bool is_simple(const tensor& t, dtype type);
inline bool is_simple(const std::optional<tensor>& t, dtype type) { return !is_given(t) || is_simple(*t, type); }
inline bool is_float(dtype t) noexcept { return t == dtype::float32 || t == dtype::bfloat16; }

}  // namespace topbit::onednn
