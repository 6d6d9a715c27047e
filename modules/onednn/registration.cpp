module;

#include "library.h"

module topbit.onednn;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :dense_calls;
import :registration;
import :rows;

namespace topbit::onednn {

namespace {

struct boxed_copies {
  void operator()(const operator_handle& op, boxed_stack& stack) const { on_strided_copies(op, stack); }
};

}  // namespace

bool register_onednn() {
  library::use({.take = &author::take_memory, .give = &author::give_memory, .threads = [] { return num_threads(); }});
  for (const auto rows :
       {&convert_rows, &shape_rows, &elementwise_rows, &product_rows, &window_rows, &norm_rows, &integer_rows}) {
    author::register_rows(rows());
  }
  topbit::fallback<&on_strided_copies>(key::MkldnnCPU).keep();
  // Composites for every backend would come before the fallback, and read elements.
  for (const std::string& name : inspect::operators_with_kernel(key::CompositeExplicitAutograd)) {
    if (inspect::has_kernel(find(name), key::MkldnnCPU)) continue;
    const std::string_view ns = std::string_view(name).substr(0, name.find(':'));
    implement(ns, key::MkldnnCPU).impl_boxed(name, key::MkldnnCPU, boxed_copies{}).keep();
  }
  return true;
}

}  // namespace topbit::onednn
