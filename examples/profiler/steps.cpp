// Some steps of a long program in a profile, and what an operator of one's own costs.
#include <array>
#include <cstdio>
#include <optional>
#include <span>
#include <string>

import topbit;
import topbit.profiler;
namespace tb = topbit;

constexpr tb::op<"my::attend(Tensor query, Tensor key) -> Tensor"> attend;
tb::tensor attend_kernel(const tb::tensor& query, const tb::tensor& key) {
  return tb::softmax(tb::mm(query, tb::t(key)), 1);
}
const auto library = tb::library("my").def(attend).impl<&attend_kernel>(attend, tb::key::CPU);

std::optional<tb::profile::cost> cost_of_attend(std::span<const tb::value> arguments) {
  const auto &query = arguments[0].get<tb::tensor>(), &key = arguments[1].get<tb::tensor>();
  const double products = 2.0 * static_cast<double>(query.numel()) * static_cast<double>(key.size(0));
  return tb::profile::cost{.products = products, .operations = products};
}

void train() { attend(tb::ones({8, 4}), tb::ones({16, 4})); }

int main() {
  tb::author::register_cost("my::attend", cost_of_attend);
  tb::profile::session p({.schedule = {.wait = 10, .warmup = 1, .active = 3, .repeat = 2}});
  for (int i = 0; i < 40; ++i) {
    train();
    if (p.step()) std::printf("after step %d\n", i + 1);  // or write_trace()
  }
  for (const tb::profile::row& r : p.table().grouped().rows) {
    if (r.name == "my::attend") std::printf("%d calls of %s\n", static_cast<int>(r.calls), r.name.c_str());
  }
  const tb::tensor x = tb::ones({8, 4}), y = tb::ones({16, 4});
  std::printf("%.0f operations\n",
              tb::profile::cost_of(attend.handle(), std::array{tb::value(x), tb::value(y)})->products);
}

// prints: after step 14
// prints: after step 28
// prints: 3 calls of my::attend
// prints: 1024 operations
