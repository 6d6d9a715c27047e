module topbit.tensor;

import topbit.std;
import topbit.core;

namespace topbit {

tensor_extension::~tensor_extension() = default;
void tensor_extension::end() noexcept { delete this; }

namespace detail {

tensor_record::~tensor_record() = default;

constinit tensor_record undefined_tensor{};
constinit thread_local bool this_thread_infers [[gnu::tls_model("initial-exec")]] = false;

}  // namespace detail

std::int64_t tensor::size(std::int64_t dim) const { return sizes()[wrap_dim("size", dim, this->dim())]; }

void tensor::check_access(topbit::dtype wanted) const {
  if (!defined()) throw dtype_error("data of an undefined tensor: wanted " + std::string(name_of(wanted)));
  if (dtype() != wanted) {
    throw dtype_error("data of a tensor: found " + std::string(name_of(dtype())) + ", wanted " +
                      std::string(name_of(wanted)) + "; convert it with to()");
  }
  if (device().type != backend::CPU) {
    throw device_error("data of a tensor: found it on " + to_string(device()) + ", wanted cpu; move it with to()");
  }
}

}  // namespace topbit
