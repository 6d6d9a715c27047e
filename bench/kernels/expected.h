// What a problem's result is, element by element, in the plain loops of tests/oracle, which no peer shares.
#pragma once

#include <string>

#include "problem.h"

namespace bench {

// Empty, or what is wrong with a result: some elements compared with plain loops, first and last among them.
std::string wrong_with(const problem& p, const array& found);

// Empty, or where two results of one problem differ by more than rounding: all elements are compared.
std::string difference(const array& one, const array& other);

// Of the family `autograd`: the gradient at the beginning of a chain, and the losses of the first steps of training.
double gradient_of_chain(const problem& p, std::int64_t place);
std::vector<double> losses_of_steps(const problem& p);

// The exact function, of functions().
double exact(const std::string& function, double x, double y);

// The distance of a result from the exact one, in units in the last place of a float32. What is beyond the greatest
// float counts as the number that would follow it.
double ulps(float found, double exact);

}  // namespace bench
