#include "shape.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace bench::operators {

namespace {

std::vector<std::int64_t> numbers_in(const std::string& label) {
  std::vector<std::int64_t> found;
  bool inside = false;
  for (const char c : label) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) {
      inside = false;
      continue;
    }
    if (!inside) found.push_back(0);
    inside = true;
    found.back() = found.back() * 10 + (c - '0');
  }
  return found;
}

// The number behind a letter: "s2"; else what is given.
std::int64_t number_after(const std::string& label, char letter, std::int64_t otherwise) {
  for (std::size_t i = 0; i + 1 < label.size(); ++i) {
    if (label[i] == letter && std::isdigit(static_cast<unsigned char>(label[i + 1])) != 0)
      return numbers_in(label.substr(i + 1)).front();
  }
  return otherwise;
}

// By the engine's bits alone, so that a seed draws the same shapes with every standard library.
std::int64_t between(std::mt19937_64& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}
// Small numbers as often as large ones.
std::int64_t scaled(std::mt19937_64& random, std::int64_t low, std::int64_t high) {
  const double part = static_cast<double>(random() >> 11) * 0x1p-53;
  return std::llround(static_cast<double>(low) * std::pow(static_cast<double>(high) / static_cast<double>(low), part));
}

shape matrix(const std::string& label) {
  if (label == "S") return {32, 32};
  if (label == "M") return {320, 320};
  if (label == "L") return {3200, 3200};
  if (label == "1e6") return {1000, 1000};
  return numbers_in(label);
}

shape any_matrix(std::mt19937_64& random) {
  // The result of glu has half of the columns, topk wants ten.
  const std::int64_t rows = scaled(random, 4, 5000), elements = scaled(random, 1000, 8'000'000);
  return {rows, std::max<std::int64_t>(16, elements / rows / 2 * 2)};
}

shape volume(const std::string& label) {
  if (label == "S") return {2, 8, 64};
  if (label == "M") return {4, 32, 784};
  if (label == "L") return {16, 64, 9216};
  return numbers_in(label);
}

shape sequence(const std::string& label) {
  if (label == "S") return {2, 8, 4, 16};
  if (label == "M") return {4, 50, 8, 64};
  if (label == "L") return {16, 610, 16, 64};
  return numbers_in(label);
}

shape any_image(std::mt19937_64& random) {
  const std::int64_t side = between(random, 8, 64);
  return {between(random, 1, 16), 8 * between(random, 1, 12), side, side};
}

shape convolution(const std::string& label) {
  const std::vector<std::int64_t> n = numbers_in(label);
  const bool all_groups = label.find("dw") != std::string::npos;
  const std::int64_t groups = all_groups ? n[1] : number_after(label, 'g', 1);
  const std::int64_t stride = number_after(label, 's', 1);
  // The groups stand last, the channels before them.
  const std::int64_t results = all_groups ? n[1] : n[n.size() - (groups > 1 ? 2 : 1)];
  return {n[0], n[1], n[2], n[3], results, stride, groups, n[1] / groups};
}

shape any_convolution(std::mt19937_64& random) {
  const std::int64_t kernel = 2 * between(random, 0, 3) + 1, channels = 8 * between(random, 1, 32);
  const std::int64_t side = between(random, 7, 64), stride = between(random, 1, 2);
  const std::int64_t batch = between(random, 1, 4);
  if (between(random, 0, 2) == 0) return {batch, channels, side, kernel, channels, stride, channels, 1};
  return {batch, channels, side, kernel, 8 * between(random, 1, 32), stride, 1, channels};
}

shape product(const std::string& label) {
  const std::vector<std::int64_t> n = numbers_in(label);
  return n.size() == 1 ? shape{n[0], n[0], n[0]} : n;
}

shape any_product(std::mt19937_64& random) {
  return {scaled(random, 1, 1500), scaled(random, 8, 1500), scaled(random, 1, 1500)};
}

shape batch_of_products(const std::string& label) {
  const std::vector<std::int64_t> n = numbers_in(label);
  return n.size() == 2 ? shape{n[0], n[1], n[1], n[1]} : n;
}

shape any_batch(std::mt19937_64& random) {
  return {scaled(random, 2, 100), scaled(random, 4, 200), scaled(random, 4, 200), scaled(random, 4, 200)};
}

shape attention(const std::string& label) {
  std::vector<std::int64_t> n = numbers_in(label);
  if (n.size() == 4) n.push_back(n[2]);
  return n;
}

shape any_attention(std::mt19937_64& random) {
  const std::int64_t length = scaled(random, 8, 700);
  return {between(random, 1, 4), between(random, 1, 12), length, 16 * between(random, 1, 8), length};
}

shape any_lookup(std::mt19937_64& random) {
  return {scaled(random, 100, 30000), scaled(random, 8, 1024), scaled(random, 8, 8192)};
}

}  // namespace

const shape_kind matrices{matrix, any_matrix};
const shape_kind images{numbers_in, any_image};
const shape_kind volumes{volume, [](std::mt19937_64& random) {
                           return shape{between(random, 1, 16), 8 * between(random, 1, 12), scaled(random, 16, 4096)};
                         }};
const shape_kind sequences{sequence, [](std::mt19937_64& random) {
                             return shape{between(random, 1, 8), scaled(random, 8, 512), between(random, 1, 16),
                                          16 * between(random, 1, 8)};
                           }};
const shape_kind convolutions{convolution, any_convolution};
const shape_kind products{product, any_product};
const shape_kind batches{batch_of_products, any_batch};
const shape_kind attentions{attention, any_attention};
const shape_kind lookups{[](const std::string& label) {
                           if (label == "S") return shape{100, 32, 32};
                           if (label == "M") return shape{1000, 320, 320};
                           if (label == "L") return shape{10000, 3200, 3200};
                           return numbers_in(label);
                         },
                         any_lookup};
const shape_kind any_numbers{numbers_in, nullptr};

std::string drawn_label(const shape& numbers) {
  std::string text = "drawn ";
  for (std::size_t i = 0; i < numbers.size(); ++i) text += (i == 0 ? "" : "x") + std::to_string(numbers[i]);
  return text;
}

}  // namespace bench::operators
