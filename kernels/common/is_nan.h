// Whether an element is a NaN; false for integers.
#pragma once

#include "function.h"

namespace tb_kernel {
namespace {

template <typename T>
TB_FUNCTION bool is_nan(T x) {
  return x != x;
}

}  // namespace
}  // namespace tb_kernel
