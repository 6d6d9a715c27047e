// What a kernel did against its operator's schema.
export module topbit.contracts:finding;

import topbit.std;
import topbit.core;

namespace topbit::contracts {

/// What the schema of an operator, or the way all operators behave, promises.
export enum class rule : std::uint8_t {
  unwritten,    // arguments that the schema does not mark as written keep their bytes
  within_view,  // of a written argument, the elements that it has are written, and no others of its memory
  argument,     // a written argument that is returned is returned as the same tensor
  alias,        // results share memory with those arguments alone of which the schema says so, and not with each other
  geometry,     // dtype, offset and memory of arguments stay, but for those that may be resized
  exception,    // a call that throws has written nothing
  thread,       // the thread's keys are after a call as they were before
  placement,    // results are on the device of the arguments, where no argument says another one
  metadata,     // the Meta kernel has the sizes, strides and dtypes of the real one
  repeatable,   // the same call gives the same bits, unless the operator's tags say otherwise
  threads,      // and with every number of threads
  initialised,  // every element of a result is written
  writes,       // an argument that the schema marks as written is written, in some call
  shares,       // a result that may share memory with an argument does, in some call
  alignment,    // the same call gives the same bits wherever the memory of its tensors begins
  finite,       // finite arguments give finite results
  keeps,        // once its results are gone, a call keeps no argument and no memory of one
  keys,         // layers pass a call on with the keys that it has without their own
};
/// One for each rule, operator and argument.
export struct finding {
  rule broken = rule::unwritten;
  std::string op;
  std::string subject;  // "argument 'self'", "result 0"; empty if it is the call
  std::string text;     // what was found, in its first call
  std::string kernel;   // which kernel was selected there, and where it was registered
  std::uint64_t times = 1;
};
/// What a checker throws that is to stop at the first finding.
export class contract_error : public error {
 public:
  explicit contract_error(const finding& f);
  contract_error(const contract_error&);
  ~contract_error() override;
};

}  // namespace topbit::contracts

export namespace topbit {

/// "within_view"
std::string_view name_of(contracts::rule r) noexcept;
/// "aten::f: argument 'x': was written, at byte 12 of 24 (unwritten; CPU kernel, registered at f.cpp:7; 3 times)"
std::string to_string(const contracts::finding& f);

namespace contracts {
using topbit::name_of;
using topbit::operator<<;
using topbit::to_string;
}  // namespace contracts

}  // namespace topbit
