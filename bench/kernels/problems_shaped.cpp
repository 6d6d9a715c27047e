// Families whose arrays have a shape: reductions and rows, matrix products, layers of networks.
#include "problems.h"

namespace bench {

namespace {

double times(std::initializer_list<std::int64_t> factors) {
  double product = 1;
  for (const std::int64_t f : factors) product *= static_cast<double>(f);
  return product;
}

double bytes(const problem& p) {
  double sum = static_cast<double>(p.result.count()) * static_cast<double>(bytes_of(p.result.type));
  for (const array& a : p.inputs) sum += static_cast<double>(a.count()) * static_cast<double>(bytes_of(a.type));
  return sum;
}

problem shaped(const char* family, const char* operation, form how, std::string label, std::int64_t size) {
  problem p;
  p.family = family;
  p.operation = operation;
  p.how = how;
  p.label = std::move(label);
  p.size = size;
  return p;
}

struct product {
  const char* operation;
  std::vector<std::int64_t> batch = {};
  std::int64_t m, n, k;
  element type = element::float32;
  bool left = false, right = false;  // transposed
};

problem matmul(const product& of, std::string label, std::int64_t size) {
  problem p = shaped("matmul", of.operation, form::given, std::move(label), size);
  const auto matrix = [&](std::int64_t rows, std::int64_t columns, bool transposed) {
    array a{.type = of.type, .transposed = transposed};
    a.sizes = of.batch;
    a.sizes.insert(a.sizes.end(), {rows, columns});
    return a;
  };
  p.inputs = {matrix(of.m, of.k, of.left), matrix(of.k, of.n, of.right)};
  p.result = matrix(of.m, of.n, false);
  p.bytes = bytes(p);
  p.flops = 2 * times({of.batch.empty() ? 1 : of.batch[0], of.m, of.n, of.k});
  p.unit = "GF/s";
  return p;
}

}  // namespace

void add_rows(std::vector<problem>& all, bool quick) {
  for (const char* operation : {"sum", "mean", "max", "var"}) {
    for (const std::int64_t n : {1'000, 10'000, 100'000, 1'000'000, 10'000'000}) {
      if (quick && n != 1'000 && n != 100'000) continue;
      problem p = shaped("reductions", operation, form::fresh, short_number(n), n);
      p.inputs = {{.sizes = {n}}};
      p.result = {.sizes = {1}};
      p.bytes = 4 * static_cast<double>(n);
      p.elements = static_cast<double>(n);
      if (p.operation == "sum") p.flops = static_cast<double>(n);
      all.push_back(p);
    }
  }
  // A hundred thousand elements in all: they lie in the second and third level of cache.
  for (const char* operation : {"softmax", "log_softmax", "layer_norm"}) {
    for (const std::int64_t length : {10, 100, 1'000}) {
      const std::int64_t count = (quick ? 10'000 : 100'000) / length;
      problem p = shaped("rows", operation, form::given, "rows of " + std::to_string(length), length);
      p.inputs = {{.sizes = {count, length}}};
      if (p.operation == "layer_norm") {
        p.how = form::fresh;  // no peer has a form that writes
        p.inputs.push_back({.sizes = {length}});
        p.inputs.push_back({.sizes = {length}});
      }
      p.result = {.sizes = {count, length}};
      p.bytes = 8 * static_cast<double>(p.result.count());
      all.push_back(p);
    }
  }
  for (const std::int64_t classes : {10, 100, 1'000}) {
    const std::int64_t count = (quick ? 10'000 : 100'000) / classes;
    problem p = shaped("rows", "cross_entropy", form::fresh, "rows of " + std::to_string(classes), classes);
    p.inputs = {{.sizes = {count, classes}},
                {.sizes = {count}, .type = element::int64, .filled = content::labels, .below = classes}};
    p.result = {.sizes = {1}};
    p.bytes = 4 * static_cast<double>(count * classes);
    all.push_back(p);
  }
}

void add_products(std::vector<problem>& all, bool quick) {
  const auto square = [&](std::int64_t n, element type, const char* operation) {
    all.push_back(matmul({.operation = operation, .m = n, .n = n, .k = n, .type = type}, std::to_string(n), n));
  };
  for (const std::int64_t n : {16, 32, 64, 128, 256, 512, 1024, 2048}) {
    if (!quick || n <= 128) square(n, element::float32, "matmul");
  }
  for (const std::int64_t n : {32, 256, 1024}) {
    if (!quick || n <= 32) square(n, element::float64, "matmul_float64");
  }
  for (const std::int64_t n : {64, 512}) {
    if (!quick || n <= 64) square(n, element::bfloat16, "matmul_bfloat16");
  }
  const std::int64_t shapes[][3] = {{32, 128, 64}, {64, 64, 128}, {256, 128, 64}, {32, 10, 64}};
  for (const auto& [m, n, k] : shapes) {
    const std::string label = std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
    all.push_back(matmul({.operation = "matmul_shapes", .m = m, .n = n, .k = k}, label, m));
  }
  for (const std::int64_t n : {64, 512}) {
    if (quick && n > 64) continue;
    for (const auto& [kind, left, right] :
         {std::tuple{"left", true, false}, {"right", false, true}, {"both", true, true}}) {
      all.push_back(matmul({.operation = "matmul_transposed", .m = n, .n = n, .k = n, .left = left, .right = right},
                           std::to_string(n) + " " + kind, n));
    }
  }
  for (const auto& [count, n] : {std::pair<std::int64_t, std::int64_t>{256, 8}, {64, 32}, {32, 64}}) {
    all.push_back(matmul({.operation = "matmul_batched", .batch = {count}, .m = n, .n = n, .k = n},
                         std::to_string(count) + " of " + std::to_string(n), n));
  }
}

void add_networks(std::vector<problem>& all, bool quick) {
  struct window {
    std::int64_t n, in, out, side, kernel, stride, padding;
  };
  for (const window& w : {window{8, 16, 32, 28, 3, 1, 1},
                          {1, 64, 64, 56, 3, 1, 1},
                          {1, 256, 64, 28, 1, 1, 0},
                          {1, 3, 64, 112, 7, 2, 3}}) {
    if (quick && w.side > 28) continue;
    const std::int64_t to = (w.side + 2 * w.padding - w.kernel) / w.stride + 1;
    problem p = shaped("networks", "conv2d", form::fresh,
                       std::to_string(w.n) + "x" + std::to_string(w.in) + "x" + std::to_string(w.side) + " to " +
                           std::to_string(w.out) + " by " + std::to_string(w.kernel),
                       w.side);
    p.inputs = {
        {.sizes = {w.n, w.in, w.side, w.side}}, {.sizes = {w.out, w.in, w.kernel, w.kernel}}, {.sizes = {w.out}}};
    p.result = {.sizes = {w.n, w.out, to, to}};
    p.options = {w.stride, w.padding};
    p.bytes = bytes(p);
    p.flops = 2 * times({w.n, w.out, to, to, w.in, w.kernel, w.kernel});
    p.unit = "GF/s";
    all.push_back(p);
  }
  struct heads {
    std::int64_t batch, heads, length, depth;
  };
  for (const heads& h : {heads{1, 4, 64, 32}, {1, 8, 256, 64}, {1, 8, 1024, 64}}) {
    if (quick && h.length > 64) continue;
    problem p = shaped(
        "networks", "attention", form::fresh,
        std::to_string(h.heads) + " heads of " + std::to_string(h.length) + "x" + std::to_string(h.depth), h.length);
    const array one{.sizes = {h.batch, h.heads, h.length, h.depth}};
    p.inputs = {one, one, one};
    p.result = one;
    p.bytes = bytes(p);
    p.flops = 4 * times({h.batch, h.heads, h.length, h.length, h.depth});
    p.unit = "GF/s";
    all.push_back(p);
  }
  for (const auto& [rows, width] : {std::pair<std::int64_t, std::int64_t>{1'000, 64}, {10'000, 512}}) {
    if (quick && width > 64) continue;
    problem p =
        shaped("networks", "embedding", form::fresh, std::to_string(rows) + " rows of " + std::to_string(width), width);
    p.inputs = {{.sizes = {rows, width}},
                {.sizes = {4 * rows / 10}, .type = element::int64, .filled = content::labels, .below = rows}};
    p.result = {.sizes = {4 * rows / 10, width}};
    p.bytes = 8 * static_cast<double>(p.result.count());
    all.push_back(p);
  }
}

}  // namespace bench
