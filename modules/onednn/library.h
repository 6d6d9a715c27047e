// What topbit.onednn asks of oneDNN: arrays in that library's formats, and what it computes with them.
//
// A plain header without oneDNN's own, since no module unit sees those. Functions that compute return a new array, or
// null where this version of oneDNN, or this processor, has no such primitive. All throw std::bad_alloc, and
// std::runtime_error with oneDNN's message. Calls may run concurrently; what they write must not be shared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>

namespace topbit::onednn::library {

inline constexpr int most_dims = 6;  // of arrays; a grouped weight of three windows has as many

enum class element : std::uint8_t { f32, bf16, s8, u8 };

struct sizes {
  int count = 0;
  std::int64_t of[most_dims]{};

  friend bool operator==(const sizes&, const sizes&) = default;
};

// Where arrays get their memory, and how many threads a call may use.
struct host {
  void* (*take)(std::size_t bytes);
  void (*give)(void* p, std::size_t bytes) noexcept;
  int (*threads)();
};
void use(const host& h) noexcept;

// "2.6.3, cpu runtime OpenMP"
std::string version();

// Elements in one of oneDNN's formats. Its own memory, or borrowed.
class array;
struct array_deleter {
  void operator()(array* a) const noexcept;
};
using array_ptr = std::unique_ptr<array, array_deleter>;

const sizes& sizes_of(const array& a) noexcept;
element element_of(const array& a) noexcept;
// With the padding of its format.
std::size_t bytes_of(const array& a) noexcept;
void* data_of(const array& a) noexcept;
bool is_row_major(const array& a) noexcept;
// "abcd", "aBcd16b": the dimensions from the outermost, upper case where a block of them is inside; then the blocks.
std::string format_of(const array& a);

// Row-major, uninitialised.
array_ptr make(element e, const sizes& s);
// Row-major elements of somebody else, which outlive the array.
array_ptr borrow(void* data, element e, const sizes& s);
// Of the same format.
array_ptr copied(const array& a);
// Of the elements of a in row-major order, with other sizes; the numbers of elements are equal.
array_ptr reshaped(const array& a, const sizes& s);
// Row-major, with the dimensions in another order.
array_ptr permuted(const array& a, const int* order);
// The elements as another type: integers are kept where they fit, and saturate.
array_ptr converted(const array& a, element e);
// Converts the format, and the type.
void reorder(const array& from, array& to);
void fill_zero(array& a) noexcept;

enum class unary : std::uint8_t { relu, gelu_erf, gelu_tanh, sigmoid, tanh, linear };
// linear: alpha * x + beta.
array_ptr elementwise(unary f, const array& x, float alpha = 0, float beta = 0);
bool elementwise_(unary f, array& x, float alpha = 0, float beta = 0);

enum class binary : std::uint8_t { add, sub, mul };
// b has as many dimensions as a, each of the same size or 1; the result has the sizes of a.
array_ptr combine(binary f, const array& a, const array& b);
bool combine_(binary f, array& a, const array& b);

struct window {
  int dims = 0;  // 1 to 3
  std::int64_t size[3]{}, stride[3]{}, padding[3]{}, dilation[3]{};

  friend bool operator==(const window&, const window&) = default;
};
// Scales of an integer product: one for each output channel, or none.
struct scales {
  const float* of = nullptr;
  std::int64_t count = 0;
};
// A weight in the format that an earlier product wanted, and what this one had to make, for the next. `ready` has the
// elements of the weight.
struct packed_slot {
  std::shared_ptr<const array> ready;
  array_ptr made;
};
// input: [n, c, ..], weight: [out, c / groups, ..], or packed. Of integers the result is float32: scale * sum + bias.
array_ptr convolve(const array& input, const array& weight, const array* bias, const window& w, std::int64_t groups,
                   bool relu, const scales& by = {}, packed_slot* packed = nullptr);
// The weight in the format that convolve() wants for an input of these sizes and this type.
array_ptr packed_for(const array& weight, element input, const sizes& input_sizes, const window& w,
                     std::int64_t groups);
// x: [rows, in], weight: [out, in], or packed -> [rows, out].
array_ptr linear(const array& x, const array& weight, const array* bias, bool relu, const scales& by = {},
                 packed_slot* packed = nullptr);
array_ptr packed_for_linear(const array& weight, element input, std::int64_t rows);
array_ptr matmul(const array& a, const array& b);

enum class pooling : std::uint8_t { max, average, average_without_padding };
// `out` has the two sizes of the result, which may reach beyond the padded image.
array_ptr pool(pooling how, const array& x, const window& w, const std::int64_t* out);
// scale and shift: [c], or null.
array_ptr normalise(const array& x, const array& mean, const array& variance, const array* scale, const array* shift,
                    float epsilon);
array_ptr softmax(const array& x, int dim);
array_ptr concatenate(const array* const* parts, int count, int dim);

// Of this thread.
struct cache_statistics {
  std::uint64_t hits = 0, misses = 0;
  int entries = 0;
};
inline constexpr int cache_capacity = 256;
cache_statistics cache() noexcept;

}  // namespace topbit::onednn::library
