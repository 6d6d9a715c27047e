// The Game of Life on bool tensors: an operator works on all cells at once.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

import topbit;
namespace tb = topbit;

// 1. alive: bool [height, width], on a torus: edges wrap around.
static tb::tensor next(const tb::tensor& alive) {
  std::vector<tb::tensor> neighbours;
  for (std::int64_t y = -1; y <= 1; ++y) {
    for (std::int64_t x = -1; x <= 1; ++x) {
      if (y != 0 || x != 0) neighbours.push_back(tb::roll(alive, {y, x}, {0, 1}));
    }
  }
  const tb::tensor count = tb::sum(tb::stack(neighbours), {0});  // a sum of bool is int64
  return tb::eq(count, 3) | (alive & tb::eq(count, 2));
}

// 2. Boards side by side. Letters are numbers: where() selects them, pad() separates the boards.
static void print(const std::vector<tb::tensor>& boards) {
  const tb::tensor letters = tb::to(tb::where(tb::stack(boards), '#', '.'), tb::dtype::uint8);
  const tb::tensor apart = tb::pad(letters, {1, 0}, tb::arg<"value"> = ' ');  // [count, height, 1 + width]
  for (const tb::tensor& row : tb::unbind(apart, 1)) {
    const tb::tensor line = tb::flatten(row);
    std::puts(std::string(line.data_ptr<std::uint8_t>(), line.data_ptr<std::uint8_t>() + line.numel()).c_str());
  }
}

int main() {
  // 3. A glider in the upper left corner: written through a view of the empty board.
  tb::tensor board = tb::zeros({8, 12}, tb::arg<"dtype"> = tb::dtype::boolean);
  const tb::tensor glider = tb::from_values<bool>({0, 1, 0, 0, 0, 1, 1, 1, 1}, {3, 3});
  tb::assign(tb::index(board, tb::slice(0, 3), tb::slice(0, 3)), glider);

  // 4. Five generations.
  std::vector<tb::tensor> generations{board};
  while (generations.size() < 5) generations.push_back(next(generations.back()));
  print(generations);
  // prints:  .#.......... ............ ............ ............ ............
  // prints:  ..#......... #.#......... ..#......... .#.......... ..#.........
  // prints:  ###......... .##......... #.#......... ..##........ ...#........
  // prints:  ............ .#.......... .##......... .##......... .###........
  // prints:  ............ ............ ............ ............ ............
  // prints:  ............ ............ ............ ............ ............
  // prints:  ............ ............ ............ ............ ............
  // prints:  ............ ............ ............ ............ ............

  // 5. It is the same glider then, one cell further down and to the right.
  const tb::tensor moved = tb::roll(board, {1, 1}, {0, 1});
  std::puts(tb::equal(generations.back(), moved) ? "moved by one" : "something else");  // prints: moved by one

  // 6. Back at the start, after four generations times the least common multiple of 8 and 12.
  tb::tensor later = board;
  for (int i = 0; i < 4 * 24; ++i) later = next(later);
  std::puts(tb::equal(later, board) ? "home again" : "elsewhere");  // prints: home again
}
