module;

#include <cxxabi.h>

#include <new>
#include <typeinfo>

module topbit.tensor;

import topbit.std;
import topbit.core;

namespace topbit {

shape_error::shape_error(const shape_error&) = default;
shape_error::~shape_error() = default;
dtype_error::dtype_error(const dtype_error&) = default;
dtype_error::~dtype_error() = default;
device_error::device_error(const device_error&) = default;
device_error::~device_error() = default;
layout_error::layout_error(const layout_error&) = default;
layout_error::~layout_error() = default;

namespace {

// What turns a tensor of this layout into one that any operator takes.
std::string_view help_with(layout found) noexcept {
  switch (found) {
    case layout::sparse_coo:
    case layout::sparse_csr:
    case layout::sparse_csc:
    case layout::sparse_bsr:
    case layout::sparse_bsc:
    case layout::mkldnn: return "; to_dense(x) makes one";
    case layout::quantized: return "; dequantize(x) makes one";
    case layout::opaque: return "; its backend needs its own kernel for the operator";
    case layout::strided: break;
  }
  return {};
}

[[noreturn]] void refuse(std::string_view where, std::string_view what, layout found, layout wanted,
                         std::string_view help, std::string_view op) {
  throw layout_error(std::string(where) + ": found " + std::string(what) + (what.empty() ? "" : " of ") + "layout " +
                         std::string(name_of(found)) + ", wanted " + std::string(name_of(wanted)) + std::string(help),
                     std::string(op));
}

}  // namespace

void author::refuse_layout(std::string_view where, std::string_view what, layout found, layout wanted,
                           std::string_view op) {
  refuse(where, what, found, wanted, help_with(found), op);
}

void author::refuse_argument(const operator_handle& op, std::size_t index, layout found, layout wanted,
                             std::string_view help) {
  refuse(op.name(), op.argument_label(index), found, wanted, help.empty() ? help_with(found) : help, op.name());
}

out_of_device_memory::out_of_device_memory(const out_of_device_memory&) = default;
out_of_device_memory::~out_of_device_memory() = default;

out_of_memory::out_of_memory(std::string message, std::size_t bytes, std::string op)
    : error(std::move(message), std::move(op)), bytes_(bytes) {}
out_of_memory::out_of_memory(const out_of_memory&) = default;
out_of_memory::~out_of_memory() = default;
const char* out_of_memory::what() const noexcept { return error::what(); }
std::size_t out_of_memory::bytes() const noexcept { return bytes_; }

namespace {

// An ambiguous base class does not match a handler, so `catch (const std::exception&)` would miss an exception derived
// from both error and std::bad_alloc. The runtime asks the type_info of the thrown object for the base: this type_info
// resolves std::exception to the base of error.
class thrown_type final : public abi::__class_type_info {
 public:
  thrown_type() : abi::__class_type_info(typeid(out_of_memory).name()) {}

 protected:
  bool __do_upcast(const abi::__class_type_info* wanted, void** object) const override {
    auto* const thrown = static_cast<out_of_memory*>(*object);
    if (*wanted == typeid(error))
      *object = static_cast<error*>(thrown);
    else if (*wanted == typeid(std::bad_alloc))
      *object = static_cast<std::bad_alloc*>(thrown);
    else if (*wanted == typeid(std::exception))
      *object = static_cast<std::exception*>(static_cast<error*>(thrown));
    else
      return false;
    return true;
  }
};

}  // namespace

void author::raise(const out_of_memory& e) {
  static thrown_type& type = *new thrown_type;  // never destroyed: exceptions thrown during exit refer to it
  void* const place = abi::__cxa_allocate_exception(sizeof e);
  try {
    ::new (place) out_of_memory(e);
  } catch (...) {
    abi::__cxa_free_exception(place);
    throw;
  }
  abi::__cxa_throw(place, &type, [](void* thrown) { static_cast<out_of_memory*>(thrown)->~out_of_memory(); });
}

}  // namespace topbit
