module;
#include "in_fragment.h"
template <>
struct trait<int> {
  static constexpr int value = 7;
};
export module fact.in_fragment;

export constexpr int unrelated = 1;
