import topbit.core;

#include "problem.h"

int problem::sum_elsewhere(const item& a, const item& b) { return sum(a, b); }
