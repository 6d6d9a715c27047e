// What stands in the braces that a tensor is made of: numbers, or braces again.
export module topbit.tensor:literal;

import topbit.std;
import :scalar;

namespace topbit {

/// A number of an arithmetic type or, in braces, a list: an element of `tensor({{1, 2}, {3, 4}})`. It refers to the
/// braces it was made from, and so lives as long as the expression they stand in.
export class literal {
 public:
  /// From a number itself, not from what converts to one: no pointer becomes a bool.
  template <class T>
    requires std::is_arithmetic_v<T>
  constexpr literal(T number) noexcept : number_(number) {}
  constexpr literal(std::initializer_list<literal> list) noexcept : list_(list), is_list_(true) {}

  constexpr bool is_list() const noexcept { return is_list_; }
  constexpr const scalar& number() const noexcept { return number_; }
  constexpr std::initializer_list<literal> list() const noexcept { return list_; }

 private:
  scalar number_;
  std::initializer_list<literal> list_;
  bool is_list_ = false;
};

}  // namespace topbit
