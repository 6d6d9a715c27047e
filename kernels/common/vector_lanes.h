// Vectors of a fixed number of elements, by the compiler's extension: one source serves every instruction set, and the
// order of a sum does not depend on the width of registers.
#pragma once

#include <stdint.h>

namespace tb_kernel {
namespace {

template <typename T, int Count>
struct lanes_of {
  using type [[gnu::vector_size(sizeof(T) * Count)]] = T;
};
template <typename T>
struct lanes_of<T, 1> {
  using type = T;
};
// One lane is a number.
template <typename T, int Count>
using lanes = typename lanes_of<T, Count>::type;

}  // namespace
}  // namespace tb_kernel
