// Which operations have a form in vectors: a line for each, by the name of the element's function in kernels/common.
// What has no line here runs that function in a loop.
#pragma once

#include "batch_math.h"
#include "float_functions.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

namespace fn = tb_kernel::fn;
template <typename T>
using numbers = tb_kernel::numbers<T>;

template <typename F>
constexpr auto in_vectors = nullptr;

template <>
constexpr auto in_vectors<fn::exp> = []<typename T>(vec<T> x, const numbers<T>&) { return exp<T>(x); };
template <>
constexpr auto in_vectors<fn::log> = []<typename T>(vec<T> x, const numbers<T>&) { return log<T>(x); };

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
