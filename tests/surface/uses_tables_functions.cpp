module;

#include <cstdint>

module consumer.operators;

std::int64_t consumer::kernels::add_anywhere(std::int64_t a, std::int64_t b) { return a + b; }
