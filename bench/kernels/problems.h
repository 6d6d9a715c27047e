// Every row of the report, in its order.
#pragma once

#include <string>
#include <vector>

#include "problem.h"

namespace bench {

// `quick` leaves out what is large: for a look, and for the test that all of it works.
std::vector<problem> problems(bool quick);

void add_small(std::vector<problem>& all);
void add_elementwise(std::vector<problem>& all, bool quick);
void add_functions(std::vector<problem>& all, bool quick);
void add_rows(std::vector<problem>& all, bool quick);
void add_products(std::vector<problem>& all, bool quick);
void add_networks(std::vector<problem>& all, bool quick);
void add_threads(std::vector<problem>& all, bool quick);
void add_autograd(std::vector<problem>& all, bool quick);
void add_limits(std::vector<problem>& all, bool quick);

// A step's result: the losses of so many steps from the parameters it is given.
inline constexpr std::int64_t checked_steps = 3;
inline constexpr double learning_rate = 0.01;

// "1e5" for a power of ten, else digits.
std::string short_number(std::int64_t n);

// The unary functions whose error is measured, and pow.
const std::vector<std::string>& functions();
bool is_function(const std::string& operation);

}  // namespace bench
