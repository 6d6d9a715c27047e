// Sparse matrices: who matters in a network, and a graph convolution that learns which side its members are on.
//
// data/karate.mtx has the friendships in a karate club, which split into the sides of its members 1 and 34.
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string_view>

import topbit;
import topbit.sparse;
namespace tb = topbit;

// 1. PageRank: where a walk from friend to friend is in the long run, if it starts anew in 15 of 100 steps.
static tb::tensor page_rank(const tb::tensor& friends) {
  const std::int64_t members = friends.size(0);
  const double anywhere = 1.0 / static_cast<double>(members);
  const tb::tensor degree = tb::mv(friends, tb::ones({members}));
  tb::tensor rank = tb::full({members}, anywhere);
  for (int step = 0; step < 50; ++step) rank = 0.85 * tb::mv(friends, rank / degree) + 0.15 * anywhere;
  return rank;
}

// 2. Two graph convolutions: each averages over a member and its friends, then multiplies with weights. Nothing is
// known of a member but who it is, so the first weights are a row for each.
struct network {
  tb::tensor friends, scale, members, sides;

  network(const tb::tensor& graph, const tb::generator& random)
      : friends(tb::to_sparse_csr(graph + tb::to_sparse(tb::eye(graph.size(0))))),
        scale(tb::rsqrt(tb::mm(friends, tb::ones({graph.size(0), 1})))),
        members(tb::require_grad(tb::randn({graph.size(0), 8}, tb::arg<"generator"> = random))),
        sides(tb::require_grad(tb::randn({8, 2}, tb::arg<"generator"> = random))) {}

  tb::tensor averaged(const tb::tensor& x) const { return scale * tb::mm(friends, scale * x); }
  tb::tensor operator()() const { return averaged(tb::mm(tb::tanh(averaged(members)), sides)); }
};

int main() {
  // 3. The file has each friendship once, the matrix in both directions; only these are stored.
  const tb::tensor graph = tb::sparse::load_matrix_market(TOPBIT_KARATE_FILE, {.type = tb::dtype::float32});
  std::cout << tb::nnz(graph) << " of " << graph.numel() << " elements\n";  // prints: 156 of 1156 elements

  const auto [shares, most] = tb::topk(page_rank(graph), 3);
  // prints: member 34: 10.1 %
  // prints: member 1: 9.7 %
  // prints: member 33: 7.2 %
  for (std::int64_t i = 0; i < 3; ++i) {
    std::printf("member %d: %.1f %%\n", static_cast<int>(tb::item(most[i])) + 1, 100 * tb::item(shares[i]));
  }

  // 4. Members 1 and 34 say what their sides are, and the gradient does the rest.
  const network net(graph, tb::generator(1));
  const tb::tensor known = tb::from_values<std::int64_t>({0, 33}, {2}),
                   side = tb::from_values<std::int64_t>({0, 1}, {2});
  const auto loss = [&] { return tb::cross_entropy_loss(tb::index_select(net(), 0, known), side); };
  tb::adam optimizer({net.members, net.sides}, {.learning_rate = 0.05});
  for (int step = 0; step < 100; ++step) {
    optimizer.zero_grad();
    tb::backward(loss());
    optimizer.step();
  }
  constexpr std::string_view sides = "1111111110111100110101000000000000";
  const tb::tensor found = tb::argmax(net(), 1);
  int right = 0;
  for (std::int64_t i = 0; i < 34; ++i)
    right += (tb::item(found[i]) == 0) == (sides[static_cast<std::size_t>(i)] == '1');
  std::printf("right about %d of 34\n", right);  // prints: right about 33 of 34

  // 5. The gradient of a sparse matrix has its pattern: it says what each friendship contributes, and no more.
  tb::require_grad(net.friends);
  const tb::tensor gradient = tb::grad(loss(), net.friends);
  std::cout << name_of(gradient.layout()) << ", " << tb::nnz(gradient) << '\n';  // prints: sparse_csr, 190
}
