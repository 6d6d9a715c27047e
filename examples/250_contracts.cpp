// 250: the contract checker. It watches calls as a mode, and says which kernel does not do what its schema says.
#include <cstdio>
#include <iostream>

import topbit;
import topbit.contracts;
import topbit.modes;
namespace tb = topbit;

// Scales each row to a sum of one. It forgets that the schema says nothing of a write.
inline constexpr tb::op<"my::normalized(Tensor rows) -> Tensor"> normalized;
tb::tensor normalized_kernel(const tb::tensor& rows) {
  tb::tensor in_place = rows;
  tb::div_(in_place, tb::sum(rows, {1}, true));
  return tb::clone(in_place);
}
const auto kernels = tb::library("my").def(normalized).impl<&normalized_kernel>(normalized, tb::key::CPU);

int main() {
  tb::contracts::checker check;
  {
    const tb::modes::scope on(check, tb::modes::below);
    normalized(tb::tensor({{1.f, 3}, {2, 2}}));
    tb::softmax(tb::tensor({{1.f, 3}, {2, 2}}), 1);
  }
  for (const tb::contracts::finding& f : check.findings())
    std::cout << f.op << ": " << f.subject << ": " << f.text << " (" << name_of(f.broken) << ")\n";
}

// prints: my::normalized: argument 'rows': was written, at byte 3 of 16 (unwritten)
