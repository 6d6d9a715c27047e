// k-means: ten groups of handwritten digits, found without their labels. Operators replace loops over points, means and
// pixels; the remaining loops are iterations and printing.
#include <cstdio>
#include <string>
#include <tuple>
#include <vector>

#include "digits/dataset.h"

import topbit;
namespace tb = topbit;

// The pictures side by side, as text. pictures: [count, 8, 8], each 0..1
static void draw(const tb::tensor& pictures) {
  const tb::tensor ink = tb::from_values<std::uint8_t>({'.', ':', '*', '#', '@'}, {5});
  const tb::tensor letters = tb::take(ink, tb::to(pictures * 4.99, tb::dtype::int64));
  const tb::tensor apart = tb::pad(letters, {1, 0}, tb::arg<"value"> = ' ');
  for (const tb::tensor& row : tb::unbind(tb::transpose(apart, 0, 1))) {
    const tb::tensor line = tb::flatten(row);
    std::puts(std::string(line.data_ptr<std::uint8_t>(), line.data_ptr<std::uint8_t>() + line.numel()).c_str());
  }
}

int main() {
  const digits data = read_digits(TOPBIT_DIGITS_FILE);
  const std::int64_t n = data.count(), k = 10;
  const tb::tensor points = tb::to(tb::from_values(data.pixels, {n, 64}), tb::dtype::float64);

  // 1. The first means: ten images drawn at random. A separate generator draws the same ones in every run.
  const tb::tensor order = tb::randperm(n, tb::arg<"generator"> = tb::generator());
  tb::tensor means = tb::index_select(points, 0, tb::index(order, tb::slice(0, k)));

  tb::tensor group;
  int rounds = 0;
  for (;; ++rounds) {
    // 2. Which mean is nearest? |p - m|^2 is |p|^2 - 2 pm + |m|^2, and |p|^2 is the same for all means of a point.
    const tb::tensor nearest = tb::argmin(tb::sum(means * means, {1}) - 2 * tb::mm(points, tb::t(means)), 1);
    if (group.defined() && tb::equal(nearest, group)) break;
    group = nearest;
    // 3. The mean of each group: sums by index, counts, and a division that broadcasts. No group is divided by 0.
    const tb::tensor sums = tb::index_add(tb::zeros_like(means), 0, group, points);
    const tb::tensor counts = tb::bincount(group, tb::arg<"minlength"> = k);
    means = sums / tb::unsqueeze(tb::clamp_min(counts, 1), 1);
  }
  std::printf("%d rounds\n", rounds);  // prints: 13 rounds

  // 4. How good are they? Count pairs of group and label; a group is named after its most frequent digit.
  const tb::tensor labels = tb::from_values(data.labels, {n});
  const tb::tensor pairs = tb::bincount(group * 10 + labels, tb::arg<"minlength"> = k * 10);
  const auto [most, name] = tb::max(tb::view(pairs, {k, 10}), 1);
  std::puts(to_string(name).c_str());  // prints: [5, 7, 0, 8, 9, 6, 2, 4, 3, 1] (int64 [10])
  draw(tb::view(tb::index_select(means, 0, tb::argsort(name)), {k, 8, 8}));
  // prints:  ..:@#... ...*#*.. ..#@*... ..*@@*.. ...*#... ..#@@#:. ...#*... ..:@@#:. ..:##:.. ..:##*..
  // prints:  ..#@##.. ...#@*.. .:@##:.. .:#*##.. ..:@*... .:@#**.. ..*@:... ..####:. ..####.. ..#*##..
  // prints:  .:@:.#:. ..:@@*.. .:*:#:.. ..:.#*.. ..##:::. .:@:.... ..#*.... ..:.*#.. ..#*##.. .:#:*#..
  // prints:  .:#..**. ..*@@*.. ...*#... ...*@:.. .:@:*#:. .:@#*... ..@*:... ..::##:. ..*@@:.. ..###@..
  // prints:  .:#..**. ..*#@:.. ...##... ...:##.. .*@*#@:. ..*##:.. .:@@##.. ..*@@#:. ..*@#... ...::#:.
  // prints:  .:@..#:. ..:#@:.. ..:#*... ....:#*. .:##@#.. ...:#*.. ..@#:#*. ..:##:.. ..###:.. .....#:.
  // prints:  ..@##@.. ..:#@*.. ..#@##*. ..*:*@:. ...*@:.. ..:*#:.. ..##:##. ...#:... ..#*#*.. ..*::#:.
  // prints:  ..:@@:.. ...*@*.. ..#@@#*. ..#@@*.. ...*#... ..#@*... ...#@@:. ..:#.... ..*@#:.. ..:#@#..
  std::printf("%.1f %% are in a group of their name\n", 100 * tb::item(tb::sum(most)) / static_cast<double>(n));
  // prints: 84.2 % are in a group of their name
}
