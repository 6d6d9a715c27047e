// The tensor: a value-semantic handle on an intrusive record of keys, sizes, strides and storage.
//
// The record's first word is the key set, so that a call reads one pointer and one word per tensor. An undefined tensor
// points to one static record without keys: the call path never tests for null.
export module topbit.tensor:handle;

import topbit.std;
import topbit.core;
import :device;
import :dtype;
import :literal;
import :scalar;
import :shape;
import :storage;
import :tensor_error;

namespace topbit {

export class tensor;

/// A layer's data on a tensor, see author::layer_extension; topbit.autograd derives from it, and so does the payload of
/// an opaque tensor. Reference-counted, as several tensors may share one.
export struct tensor_extension {
  inline explicit tensor_extension(std::uint8_t is = 0) noexcept : role(is) {}
  tensor_extension(const tensor_extension&) = delete;
  tensor_extension& operator=(const tensor_extension&) = delete;
  virtual ~tensor_extension();
  /// Called when the last reference is dropped; deletes it unless overridden.
  virtual void end() noexcept;

  std::atomic<std::uint32_t> references{1};
  /// A layer's own tag for its extensions.
  const std::uint8_t role;
};
export inline void add_reference(tensor_extension* e) noexcept {
  e->references.fetch_add(1, std::memory_order_relaxed);
}
export inline void drop_reference(tensor_extension* e) noexcept {
  if (e->references.load(std::memory_order_acquire) == 1 ||
      e->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    e->end();
  }
}

namespace detail {

struct tensor_access;

// False; dependent, so that a message is shown where a member is used.
template <class... T>
concept provided = (false && ... && std::same_as<T, void>);

// The storage of a tensor that is not strided: no bytes, but a payload of its layout. Version and last writer are
// counted as those of any storage.
struct opaque_storage : storage {
  opaque_storage(device d, intrusive_ptr<tensor_extension> data) noexcept;
  const intrusive_ptr<tensor_extension> payload;
};

// Caller-owned memory; the destructor calls `release`.
struct borrowed_storage : storage {
  borrowed_storage(void* data, std::size_t bytes, std::function<void(void*)> release) noexcept;
  ~borrowed_storage();
  const std::function<void(void*)> release;
};

}  // namespace detail

/// For authors of operators and layers.
export namespace author {

/// What a tensor is: its keys, its geometry, what it shares and what layers attach to it.
struct tensor_record {
  key_set keys;
  std::atomic<std::uint32_t> references{1};
  dtype type = dtype::float32;
  layout how = layout::strided;
  device where;
  const bool dense = true;       // as is_dense() has it
  const bool inference = false;  // made in inference mode: unknown to autograd
  const std::int64_t elements = 1;
  const shape sizes, strides;
  std::int64_t offset = 0;  // in elements
  intrusive_ptr<storage> data;
  intrusive_ptr<tensor_extension> extension;  // a chain of layer_extension, and autograd's last
  detail::joint_block* block = nullptr;       // null for a separate record: of a view, of an opaque tensor

  constexpr tensor_record() noexcept = default;
  inline tensor_record(key_set k, dtype t, device d, const shape& s, const shape& st, bool is_dense, std::int64_t count,
                       bool in_inference) noexcept
      : keys(k), type(t), where(d), dense(is_dense), inference(in_inference), elements(count), sizes(s), strides(st) {}
  tensor_record(const tensor_record&) = delete;
  ~tensor_record();
};

}  // namespace author

namespace detail {

using author::tensor_record;

// Throws what the tensor's wrapper_extension throws; returns if it has none.
void refuse_elements(const tensor& t, std::string_view what);
std::uint32_t version_of_wrapped(const tensor& t) noexcept;

// Shared by every undefined tensor, on every thread, and therefore not reference-counted.
extern tensor_record undefined_tensor;

// Whether tensors that this thread makes are made in inference mode. Defined in the tensor module, since it is read for
// each new tensor.
extern constinit thread_local bool this_thread_in_inference_mode [[gnu::tls_model("initial-exec")]];

// Records are allocated in blocks of :memory. The second form makes a dense tensor with its storage. Both throw
// std::bad_alloc, the second also what the device's memory hook throws.
tensor_record* new_record(key_set keys, dtype type, device where, const shape& sizes, const shape& strides,
                          bool inference);
tensor_record* new_dense_record(key_set keys, dtype type, device where, const shape& sizes, const shape& strides,
                                std::int64_t elements);
void end(tensor_record* r) noexcept;

inline void add_reference(tensor_record* r) noexcept {
  if (r != &undefined_tensor) r->references.fetch_add(1, std::memory_order_relaxed);
}
inline void drop_reference(tensor_record* r) noexcept {
  if (r == &undefined_tensor) return;
  // The only reference is dropped without a locked instruction, as a storage's.
  if (r->references.load(std::memory_order_acquire) == 1 ||
      r->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    end(r);
  }
}

}  // namespace detail

/// A strided array of one element type on one device. Copying a tensor copies a reference; the elements are shared.
/// Distinct tensors may be used from distinct threads; the reference count is atomic.
export class tensor {
 public:
  /// Undefined: no sizes, no elements, no keys.
  inline tensor() noexcept : record_(&detail::undefined_tensor) {}
  /// The values in braces, as an array on the host: `tensor({{1, 2}, {3, 4}})`, at most max_dims deep. Integers make
  /// int64, floating-point numbers float32, also among integers, bools make bool, and no values float32. `type` says
  /// another element type: a floating one rounds; an integer one takes whole numbers in its range. Throws shape_error
  /// for rows of different lengths, dtype_error for bools among numbers and for what the type does not take.
  explicit tensor(std::initializer_list<literal> values, std::optional<topbit::dtype> type = std::nullopt);
  /// The same with `arg<"dtype"> = type`.
  template <std::convertible_to<std::optional<topbit::dtype>> T>
  explicit tensor(std::initializer_list<literal> values, author::named_argument<"dtype", T> type)
      : tensor(values, std::optional<topbit::dtype>(type.given)) {}
  template <class N, std::convertible_to<std::optional<topbit::dtype>> T>
    requires std::is_arithmetic_v<N>
  explicit tensor(N number, author::named_argument<"dtype", T> type)
      : tensor(number, std::optional<topbit::dtype>(type.given)) {}
  /// One number, without dimensions: `tensor(3.5)` is of float32, `tensor(2)` of int64.
  template <class T>
    requires std::is_arithmetic_v<T>
  explicit tensor(T number, std::optional<topbit::dtype> type = std::nullopt) : tensor(of_number(number, type)) {}
  /// One dimension, a copy of the elements of a vector, a span or an array. Their type gives the dtype, unlike that of
  /// numbers in braces: a vector of double makes float64.
  template <class Range>
    requires(!std::same_as<Range, tensor> && std::ranges::contiguous_range<const Range> &&
             tensor_element<std::ranges::range_value_t<Range>>)
  explicit tensor(const Range& elements)
      : tensor(of_elements(std::span<const std::ranges::range_value_t<Range>>(elements))) {}
  inline tensor(const tensor& other) noexcept : record_(other.record_) { detail::add_reference(record_); }
  inline tensor(tensor&& other) noexcept : record_(std::exchange(other.record_, &detail::undefined_tensor)) {}
  inline tensor& operator=(tensor other) & noexcept {
    std::swap(record_, other.record_);
    return *this;
  }
  /// `x[0] = y` would change no element.
  template <class T>
  void operator=(const T&) && {
    static_assert(detail::provided<T>, "an assignment to a temporary changes no element: write assign(x, value, i)");
  }
  inline ~tensor() { detail::drop_reference(record_); }

  inline bool defined() const noexcept { return record_ != &detail::undefined_tensor; }
  inline key_set keys() const noexcept { return record_->keys; }
  inline topbit::dtype dtype() const noexcept { return record_->type; }
  inline topbit::device device() const noexcept { return record_->where; }
  inline topbit::layout layout() const noexcept { return record_->how; }
  inline const shape& sizes() const noexcept { return record_->sizes; }
  /// In elements. Throws layout_error for a tensor that is not strided, as do is_contiguous() and data().
  inline const shape& strides() const {
    check_strided("strides of a tensor");
    return record_->strides;
  }
  inline std::int64_t dim() const noexcept { return static_cast<std::int64_t>(record_->sizes.size()); }
  /// The size or the stride of a dimension; negative counts from the end. Throws shape_error, always for a
  /// zero-dimensional tensor.
  std::int64_t size(std::int64_t dim) const;
  std::int64_t stride(std::int64_t dim) const;
  inline std::int64_t numel() const noexcept { return record_->elements; }
  inline bool is_contiguous() const {
    check_strided("is_contiguous of a tensor");
    return record_->dense;
  }
  inline bool same_as(const tensor& other) const noexcept { return record_ == other.record_; }
  /// In-place writes to the storage so far; of a wrapper, to that of what it wraps.
  inline std::uint32_t version() const noexcept {
    if (!record_->data) [[unlikely]]
      return record_->extension ? detail::version_of_wrapped(*this) : 0;
    return record_->data->version.load(std::memory_order_relaxed);
  }

  /// The first element; a device address for a tensor that is not on the host; null on the meta device.
  inline void* data() const {
    check_strided("data of a tensor");
    const storage* s = record_->data.get();
    if (s == nullptr || s->data == nullptr) {
      if (s == nullptr && record_->extension) [[unlikely]]
        detail::refuse_elements(*this, "data of a tensor");
      return nullptr;
    }
    return static_cast<std::byte*>(s->data) + record_->offset * static_cast<std::int64_t>(size_of(record_->type));
  }
  /// The same, typed. Throws dtype_error if T is not the element type, device_error if the tensor is not on the host.
  template <class T>
  T* data_ptr() const {
    check_access(dtype_of<T>);
    return static_cast<T*>(data());
  }

  /// The part of the tensor that one item of an index selects: index(x, i) of topbit.ops, which several take.
  template <class Item>
  decltype(auto) operator[](const Item& i) const {
    return select_item(*this, i);
  }

  // What is a member in PyTorch and a function here; the others are operators, listed in docs/operators.md.
  template <class T = double>
  T item() const {
    static_assert(detail::provided<T>, "item is a function: write item<T>(x)");
  }
  template <class... T>
  tensor to(const T&...) const {
    static_assert(detail::provided<T...>, "to is a function: write to(x, dtype) or to(x, device)");
  }
  template <class... T>
  tensor grad(const T&...) const {
    static_assert(detail::provided<T...>, "grad is a function: write leaf_grad(x)");
  }
  template <class... T>
  bool requires_grad(const T&...) const {
    static_assert(detail::provided<T...>, "requires_grad is a function: write requires_grad(x)");
  }
  template <class... T>
  tensor& requires_grad_(const T&...) const {
    static_assert(detail::provided<T...>, "requires_grad_ is a function: write require_grad(x)");
  }
  template <class... T>
  void backward(const T&...) const {
    static_assert(detail::provided<T...>, "backward is a function: write backward(x)");
  }

  /// The payload of a tensor that is not strided, as given to author::make_opaque(), as an object of class T. Throws
  /// layout_error, also if the payload is of another class. T::of_layout is the layout with such payloads, opaque by
  /// default; a class that serves several layouts has also a `static bool has_layout(layout)`. Cost: a dynamic_cast.
  template <std::derived_from<tensor_extension> T>
  T& payload() const {
    layout_type wanted = layout_type::opaque;
    if constexpr (requires { T::of_layout; }) wanted = T::of_layout;
    bool fits = record_->how == wanted;
    if constexpr (requires { T::has_layout(wanted); }) fits = T::has_layout(record_->how);
    T* const found = fits ? dynamic_cast<T*>(any_payload()) : nullptr;
    if (found == nullptr) refuse_payload(wanted);
    return *found;
  }

 private:
  static tensor of_number(const scalar& number, std::optional<topbit::dtype> type);
  template <class T>
  static tensor of_elements(std::span<const T> elements) {
    return of_bytes(elements.data(), elements.size(), dtype_of<T>);
  }
  static tensor of_bytes(const void* elements, std::size_t count, topbit::dtype type);
  friend struct detail::tensor_access;
  using layout_type = topbit::layout;
  inline void check_strided(std::string_view what) const {
    if (record_->how != layout_type::strided) author::refuse_layout(what, {}, record_->how, layout_type::strided);
  }
  // Null for a strided tensor, and for an opaque one without a payload.
  tensor_extension* any_payload() const noexcept;
  [[noreturn]] void refuse_payload(layout_type wanted) const;
  void check_access(topbit::dtype wanted) const;
  inline explicit tensor(author::tensor_record& adopted) noexcept : record_(&adopted) {}
  author::tensor_record* record_;
};

namespace detail {
struct tensor_access {
  static inline tensor_record& record(const tensor& t) noexcept { return *t.record_; }
  // Takes over one reference.
  static inline tensor adopt(tensor_record* r) noexcept { return tensor(*r); }
  // As tensor::any_payload().
  static inline tensor_extension* payload(const tensor& t) noexcept { return t.any_payload(); }
};
}  // namespace detail

template <>
inline constexpr bool author::copies_share_elements<tensor> = true;

/// Boxed as one pointer, moved by copying its bytes. As text its one line, if that shows every value, also without the
/// description: `[[1, 2], [3, 4]]` is of int64, `[1, 2.5]` of float32, `[True]` of bool, as in PyTorch, `3`
/// has no dimensions. `[1, 2] (float64)` says the type; `(float32 [2, 3])` alone are zeros, and with `on meta` a tensor
/// without elements.
template <>
struct boxed_type<tensor> {
  static constexpr bool one_word = true;
  static tensor read(author::text_reader& in);
  static void write(std::string& out, const tensor& t);
};

/// The keys that a tensor brings to a call.
export inline key_set keys_of(const tensor& t) noexcept { return detail::tensor_access::record(t).keys; }

/// For authors of operators and layers.
export namespace author {

/// The record that a tensor refers to, for layers to read and to write. Undefined tensors share one, which must not be
/// written to.
inline tensor_record& record_of(const tensor& t) noexcept { return topbit::detail::tensor_access::record(t); }

/// Whether tensors that this thread makes are unknown to autograd; the setter returns the previous value.
inline bool in_inference_mode() noexcept { return topbit::detail::this_thread_in_inference_mode; }
inline bool set_inference_mode(bool on) noexcept {
  return std::exchange(topbit::detail::this_thread_in_inference_mode, on);
}

/// Counts an in-place write, so that a layer which saved the old value can notice, and stores the name of the writing
/// operator, which must live as long as the process.
inline void bump_version(const tensor& t, const std::string_view* writer = nullptr) noexcept {
  storage* const data = record_of(t).data.get();
  if (data == nullptr) return;
  // Elements that no other tensor has are written by one thread at a time, without a locked instruction.
  if (data->references.load(std::memory_order_acquire) == 1)
    data->version.store(data->version.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  else
    data->version.fetch_add(1, std::memory_order_relaxed);
  data->writer.store(writer, std::memory_order_relaxed);
}

}  // namespace author

}  // namespace topbit
