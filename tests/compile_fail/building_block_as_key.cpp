// expect: error: conversion function from 'const building_block' to 'key_target' invokes a deleted function: it has no slot; name a backend too, as in key::SparseCPU$
// rule: K19
// topic: keys
// A functionality without a backend has no slot, so no kernel can be registered for it.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;

std::int64_t twice_sparse(std::int64_t x);
#ifndef FIXED
const auto kernels = topbit::library("toy").def(twice).impl<&twice_sparse>(twice, topbit::key::Sparse);
#else
const auto kernels = topbit::library("toy").def(twice).impl<&twice_sparse>(twice, topbit::key::SparseCPU);
#endif
