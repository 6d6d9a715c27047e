// All operators at once, called as their pages show.
export module topbit.contracts:examples;

import topbit.std;
import topbit.core;
import :finding;

namespace topbit::contracts {

/// A call as a page of author::operator_pages() shows it: "aten::sum.dim_IntList", with arguments as call_text() reads
/// them.
export struct shown_call {
  std::string op;
  std::vector<std::string> arguments;
};
/// The calls of a page; those that show an error too.
export std::vector<shown_call> shown_calls(const author::operator_page& page);

export struct unchecked_operator {
  std::string op, why;
};
/// What came out of a check of several operators.
export struct report {
  std::vector<finding> findings;
  std::vector<std::string> checked;           // operators that returned from a call at least
  std::vector<unchecked_operator> unchecked;  // the others
  std::uint64_t calls = 0;                    // of kernels
};

/// Makes one call, with arguments as call_text() reads them, and checks it: kernels with level::repeated, what the
/// caller sees with level::bytes. Throws what the call throws, unless something was found before.
export report check_call(const operator_handle& op, std::span<const std::string_view> arguments);

/// The same with each operator, for all calls that its page in author::operator_pages() shows; where it shows none,
/// with the arguments of other operators of the page, as far as they fit, and with their results for arguments that
/// receive a result.
export report check_examples(std::span<const operator_handle> operators);

}  // namespace topbit::contracts
