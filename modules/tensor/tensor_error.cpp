module topbit.tensor;

import topbit.std;

namespace topbit {

shape_error::shape_error(const shape_error&) = default;
shape_error::~shape_error() = default;
dtype_error::dtype_error(const dtype_error&) = default;
dtype_error::~dtype_error() = default;
device_error::device_error(const device_error&) = default;
device_error::~device_error() = default;

out_of_device_memory::out_of_device_memory(const out_of_device_memory&) = default;
out_of_device_memory::~out_of_device_memory() = default;

}  // namespace topbit
