module topbit.core;

import topbit.std;

namespace topbit {

error::error(std::string message, std::string op) : message_(std::move(message)), op_(std::move(op)) {}
error::error(const error&) = default;
error::~error() = default;
const char* error::what() const noexcept { return message_.c_str(); }
std::string_view error::op() const noexcept { return op_; }

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

}  // namespace topbit
