// Operators that topbit_operators() declared, of an installed topbit.
#include <cstdio>

import consumer.operators;
import topbit.core;
import topbit.tables;

const auto registered = topbit::tables::library_from<consumer::table, consumer::kernel_list>("consumer");

int main() {
  const auto sum = consumer::add(40);
  std::printf("%d\n", static_cast<int>(sum));
  return sum == 42 ? 0 : 1;
}
