// Calling an operator as a person types it: by name, with texts for arguments. For tools and tests.
export module topbit.core:operators.text_call;

import topbit.std;
import :dispatch.handle;

namespace topbit {

/// Calls with arguments read from text and gives the results as text. Positional arguments first, `[1, 2]` or `3` or
/// `"a string"`, then those by name, `alpha=2`; what is not given is read from the schema's default. An argument that
/// is written to is made from its text too. Where the schema says `int[2]`, one element stands for two, and for a list
/// of one where it says `int[]`. Throws bad_argument, before anything is called, for a wrong count, for a name that is
/// unknown or comes twice, for a text that is no such value and for a type that is not read from text, naming operator
/// and argument; and whatever the call throws.
export std::vector<std::string> call_text(const operator_handle& op, std::span<const std::string_view> arguments);
export inline std::vector<std::string> call_text(const operator_handle& op,
                                                 std::initializer_list<std::string_view> arguments) {
  return call_text(op, std::span(arguments.begin(), arguments.size()));
}

export namespace author {

/// The value of one argument of an operator, read from a text as call_text() reads it: `[1, 2]`, `3`, `float32`, `None`
/// where the argument is optional. Owned. Throws bad_argument, naming operator and argument.
value read_argument(const operator_handle& op, std::size_t index, std::string_view text);
/// Pushes all arguments of a call, read as call_text() reads them, with its errors; nothing is pushed if one is thrown.
void push_arguments(boxed_stack& s, const operator_handle& op, std::span<const std::string_view> arguments);

}  // namespace author

}  // namespace topbit
