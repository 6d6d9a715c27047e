// Errors about tensors, as types. Thrown before anything is written.
export module topbit.tensor:tensor_error;

import topbit.std;
import topbit.core;
import :device;

namespace topbit {

/// Shapes that do not match, or an index or dimension out of range.
export class shape_error : public error {
 public:
  using error::error;
  shape_error(const shape_error&);
  ~shape_error() override;
};

/// An element type the operator does not take.
export class dtype_error : public error {
 public:
  using error::error;
  dtype_error(const dtype_error&);
  ~dtype_error() override;
};

/// Tensors on different devices, or a device that is not there.
export class device_error : public error {
 public:
  using error::error;
  device_error(const device_error&);
  ~device_error() override;
};

/// A tensor of a layout that an operator or an accessor does not support.
export class layout_error : public error {
 public:
  using error::error;
  layout_error(const layout_error&);
  ~layout_error() override;
};

export namespace author {

/// Throws layout_error: "WHERE: found WHAT of layout X, wanted Y", and what would help. `what` may be empty; `op` is,
/// where no operator was called.
[[noreturn]] void refuse_layout(std::string_view where, std::string_view what, layout found, layout wanted,
                                std::string_view op = {});
/// The same for an argument of a boxed call, by its index. `help` stands for what would usually be said to help.
[[noreturn]] void refuse_argument(const operator_handle& op, std::size_t index, layout found,
                                  layout wanted = layout::strided, std::string_view help = {});

}  // namespace author

/// Out of memory on a device other than the host: the text says what was requested, in use, cached and free. The host's
/// memory is out_of_memory.
export class out_of_device_memory : public device_error {
 public:
  using device_error::device_error;
  out_of_device_memory(const out_of_device_memory&);
  ~out_of_device_memory() override;
};

/// Out of host memory for the elements of a tensor: the text says which tensor, and how many bytes. Can be caught as
/// error, std::bad_alloc and std::exception, although the latter is a base twice. Other allocations, such as graph
/// nodes, throw a plain std::bad_alloc.
export class out_of_memory : public error, public std::bad_alloc {
 public:
  out_of_memory(std::string message, std::size_t bytes, std::string op = {});
  out_of_memory(const out_of_memory&);
  ~out_of_memory() override;
  const char* what() const noexcept override;
  /// The requested bytes; 0 if a kernel's workspace of unknown size failed.
  std::size_t bytes() const noexcept;

 private:
  std::size_t bytes_;
};

/// For authors of operators and backends.
export namespace author {

/// Throws it so that handlers of std::exception catch it, which a plain throw would not.
[[noreturn]] void raise(const out_of_memory& e);

}  // namespace author

}  // namespace topbit
