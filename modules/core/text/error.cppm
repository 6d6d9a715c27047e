// Errors with data. The text starts with the operator, is lower case, has no final full stop, and says what was
// found, what was wanted, and what would help. Everything topbit throws derives from topbit::error, but for
// std::bad_alloc where the host has no memory left.
export module topbit.core:text.error;

import topbit.std;
import :keys.key_set;

namespace topbit {

/// Base of all errors. what() is the whole sentence; op() the operator it is about, empty if none.
export class error : public std::exception {
 public:
  explicit error(std::string message, std::string op = {});
  error(const error&);
  error& operator=(const error&) = delete;
  ~error() override;
  const char* what() const noexcept override;
  std::string_view op() const noexcept;
  /// For authors of operators that call others: names `op`, which was called, in front of the text, before the operator
  /// that threw; from then on the error is about `op`. Call it where the error passes through.
  void called_by(std::string_view op) noexcept;
  /// For layers: appends " (circumstance)", under which the call failed. Call it where the error passes through.
  void happened(std::string_view circumstance) noexcept;

 private:
  std::string message_, op_;
  bool in_part_ = false;  // the text names the part that threw, behind op_
};

/// No kernel for the selected key (also: operator withdrawn, or declared and never registered).
export class no_kernel : public error {
 public:
  no_kernel(std::string message, std::string op, key_set keys);
  no_kernel(const no_kernel&);
  ~no_kernel() override;
  /// What was left of the call's keys.
  key_set keys() const noexcept;

 private:
  key_set keys_;
};

/// A registration that was refused. Nothing of it remains.
export class bad_registration : public error {
 public:
  using error::error;
  bad_registration(const bad_registration&);
  ~bad_registration() override;
};

/// A value of the wrong kind or count: arguments or results of a boxed call, a handle with another signature.
export class bad_argument : public error {
 public:
  using error::error;
  bad_argument(const bad_argument&);
  ~bad_argument() override;
};

/// A schema text that does not parse; column() counts from 1.
export class bad_schema : public error {
 public:
  bad_schema(std::string message, std::size_t column);
  bad_schema(const bad_schema&);
  ~bad_schema() override;
  std::size_t column() const noexcept;

 private:
  std::size_t column_;
};

/// A name that is not in the registry; the text offers the nearest one.
export class unknown_operator : public error {
 public:
  using error::error;
  unknown_operator(const unknown_operator&);
  ~unknown_operator() override;
};

namespace author {

/// Writes "topbit: " and these parts as one line to the standard error output: for what is worth knowing and no error.
/// Lost if the host has no memory left or standard error is closed. Threads: lines of several do not mix.
export void warn(std::initializer_list<std::string_view> parts) noexcept;

}  // namespace author

}  // namespace topbit
