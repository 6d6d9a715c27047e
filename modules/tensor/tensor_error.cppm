// What can be wrong with tensors, as types. Thrown before anything is written.
export module topbit.tensor:tensor_error;

import topbit.std;
import topbit.core;

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

/// No memory left on a device that is not the host: the text says what was wanted, what is in use, kept and free. The
/// host's memory is std::bad_alloc.
export class out_of_device_memory : public device_error {
 public:
  using device_error::device_error;
  out_of_device_memory(const out_of_device_memory&);
  ~out_of_device_memory() override;
};

}  // namespace topbit
