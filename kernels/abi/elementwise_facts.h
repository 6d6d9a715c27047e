// Properties of each elementwise operation that operators check before a call, from elementwise.def. C++ only.
#pragma once

#include <stdint.h>

namespace tb_kernel {

enum class elementwise : int32_t {
#define TB_ELEMENTWISE(code, function, inputs, types, result, size, note) function,
#include "elementwise.def"
  count
};

// The types that the kernels of an operation compute in.
enum class element_types : uint8_t { everything, numbers_only, floats, bits, integers };

// How the compute type and the result type follow from the promoted type of the operands.
enum class result_rule : uint8_t {
  same,       // the promoted type
  floating,   // the promoted type, float32 for integers and bool
  number,     // the promoted type, int64 for bool
  predicate,  // computes in the promoted type; the result is bool
};

enum class operand_note : uint8_t { plain, number_in_type, condition };

struct elementwise_facts {
  int inputs;
  element_types types;
  result_rule result;
  operand_note note;

  // Whether operands of this promoted type are accepted.
  constexpr bool accepts_bool() const { return converts() || types == element_types::everything || is_bits(); }
  constexpr bool accepts_integers() const { return converts() || types != element_types::floats; }
  constexpr bool accepts_floats() const { return converts() || !(is_bits() || types == element_types::integers); }
  constexpr bool is_predicate() const { return result == result_rule::predicate; }
  // The first operand is a condition, which is not promoted.
  constexpr bool has_condition() const { return note == operand_note::condition; }
  // The first parameter is converted to the compute type and must be representable in it.
  constexpr bool number_in_type() const { return note == operand_note::number_in_type; }

 private:
  constexpr bool converts() const { return result == result_rule::floating || result == result_rule::number; }
  constexpr bool is_bits() const { return types == element_types::bits; }
};

inline constexpr elementwise_facts all_elementwise_facts[] = {
#define TB_ELEMENTWISE(code, function, inputs, types, result, size, note) \
  {inputs, element_types::types, result_rule::result, operand_note::note},
#include "elementwise.def"
};

constexpr const elementwise_facts& facts_of(elementwise code) { return all_elementwise_facts[int32_t(code)]; }

}  // namespace tb_kernel
