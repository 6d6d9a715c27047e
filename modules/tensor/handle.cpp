module topbit.tensor;

import topbit.std;
import topbit.core;

namespace topbit {

tensor_extension::~tensor_extension() = default;
void tensor_extension::end() noexcept { delete this; }

author::tensor_record::~tensor_record() = default;

namespace detail {

opaque_storage::opaque_storage(device d, intrusive_ptr<tensor_extension> data) noexcept
    : storage(storage_kind::opaque, d), payload(std::move(data)) {}

borrowed_storage::borrowed_storage(void* data, std::size_t bytes, std::function<void(void*)> release) noexcept
    : storage(storage_kind::borrowed, cpu, bytes, data), release(std::move(release)) {}
borrowed_storage::~borrowed_storage() {
  if (release) release(data);
}

constinit tensor_record undefined_tensor{};
constinit thread_local bool this_thread_in_inference_mode [[gnu::tls_model("initial-exec")]] = false;

}  // namespace detail

std::int64_t tensor::size(std::int64_t dim) const { return sizes()[wrap_dim("size", dim, this->dim())]; }

std::int64_t tensor::stride(std::int64_t dim) const { return strides()[wrap_dim("stride", dim, this->dim())]; }

tensor_extension* tensor::any_payload() const noexcept {
  const storage* const s = record_->data.get();
  return s != nullptr && s->kind == storage_kind::opaque ? static_cast<const detail::opaque_storage*>(s)->payload.get()
                                                         : nullptr;
}

void tensor::refuse_payload(layout_type wanted) const {
  constexpr std::string_view where = "payload of a tensor";
  if (layout() != wanted) author::refuse_layout(where, {}, layout(), wanted);
  throw layout_error(std::string(where) + ": found " +
                     (any_payload() == nullptr ? "none" : "payload of another class") + " in a tensor of layout " +
                     std::string(name_of(wanted)) + " on " + to_string(device()) + ", wanted the requested class");
}

void tensor::check_access(topbit::dtype wanted) const {
  if (!defined()) throw dtype_error("data of an undefined tensor: wanted " + std::string(name_of(wanted)));
  if (dtype() != wanted) {
    throw dtype_error("data of a tensor: found " + std::string(name_of(dtype())) + ", wanted " +
                      std::string(name_of(wanted)) + "; convert it with to()");
  }
  if (device().type != backend::CPU) {
    throw device_error("data of a tensor: found it on " + to_string(device()) +
                       ", wanted cpu; move it with to(), or take its address with data()");
  }
}

}  // namespace topbit
