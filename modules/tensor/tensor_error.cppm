// What can be wrong with tensors, as types. Thrown before anything is written.
export module topbit.tensor:tensor_error;

import topbit.std;
import topbit.core;
import :device;

namespace topbit {

/// Sizes that do not fit together, or an index or dimension out of range.
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

/// A tensor of another layout than an operator or an accessor takes.
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

}  // namespace author

/// No memory left on a device that is not the host: the text says what was wanted, what is in use, kept and free. The
/// host's memory is out_of_memory.
export class out_of_device_memory : public device_error {
 public:
  using device_error::device_error;
  out_of_device_memory(const out_of_device_memory&);
  ~out_of_device_memory() override;
};

/// No memory left on the host for the elements of a tensor: the text says which tensor, and how many bytes. Caught as
/// error, as std::bad_alloc and as std::exception, although the latter is twice a base of it. What is not for elements,
/// as the records of graphs, is a plain std::bad_alloc.
export class out_of_memory : public error, public std::bad_alloc {
 public:
  out_of_memory(std::string message, std::size_t bytes, std::string op = {});
  out_of_memory(const out_of_memory&);
  ~out_of_memory() override;
  const char* what() const noexcept override;
  /// What was wanted; 0 where a kernel wanted memory of its own and did not say how much.
  std::size_t bytes() const noexcept;

 private:
  std::size_t bytes_;
};

/// For authors of operators and backends.
export namespace author {

/// Throws it. Thrown as anything else is, handlers of std::exception would not see it.
[[noreturn]] void raise(const out_of_memory& e);

}  // namespace author

}  // namespace topbit
