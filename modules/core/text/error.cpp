module;

#include <unistd.h>

module topbit.core;

import topbit.std;

namespace topbit {

error::error(std::string message, std::string op) : message_(std::move(message)), op_(std::move(op)) {}
error::error(const error&) = default;
error::~error() = default;
const char* error::what() const noexcept { return message_.c_str(); }
std::string_view error::op() const noexcept { return op_; }

void error::called_by(std::string_view op) noexcept try {
  if (op_ == op) return;
  std::string text(op), caller(op);
  if (op_.empty() || !message_.starts_with(op_ + ": ")) {
    text += ": " + message_;
  } else if (in_part_) {
    text += message_.substr(op_.size());  // keeps only the outermost and the innermost operator
  } else {
    text += ": in " + message_;
    in_part_ = true;
  }
  std::swap(message_, text);
  std::swap(op_, caller);
} catch (...) {
  // Out of memory: the message stays unchanged.
}

void error::happened(std::string_view circumstance) noexcept try {
  message_ += " (" + std::string(circumstance) + ")";
} catch (...) {
  // As above.
}

no_kernel::no_kernel(std::string message, std::string op, key_set keys)
    : error(std::move(message), std::move(op)), keys_(keys) {}
no_kernel::no_kernel(const no_kernel&) = default;
no_kernel::~no_kernel() = default;
key_set no_kernel::keys() const noexcept { return keys_; }

bad_registration::bad_registration(const bad_registration&) = default;
bad_registration::~bad_registration() = default;

bad_argument::bad_argument(const bad_argument&) = default;
bad_argument::~bad_argument() = default;

bad_schema::bad_schema(std::string message, std::size_t column) : error(std::move(message)), column_(column) {}
bad_schema::bad_schema(const bad_schema&) = default;
bad_schema::~bad_schema() = default;
std::size_t bad_schema::column() const noexcept { return column_; }

unknown_operator::unknown_operator(const unknown_operator&) = default;
unknown_operator::~unknown_operator() = default;

void author::warn(std::initializer_list<std::string_view> parts) noexcept try {
  std::string line = "topbit: ";
  for (std::string_view part : parts) line += part;
  line += '\n';
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) {  // the error cannot be reported
  }
} catch (const std::bad_alloc&) {
}

}  // namespace topbit
