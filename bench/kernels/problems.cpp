// Families whose arrays are one long row: small tensors, arithmetic, functions, the machine's limits, threads.
#include "problems.h"

#include <algorithm>

namespace bench {

namespace {

std::vector<std::int64_t> sizes(bool quick) {
  if (quick) return {1'000, 100'000};
  return {1'000, 10'000, 100'000, 1'000'000, 10'000'000};
}

array row(std::int64_t n, content filled = content::symmetric) { return {.sizes = {n}, .filled = filled}; }

problem elementwise(std::string family, std::string operation, form how, std::int64_t n, int inputs) {
  problem p;
  p.family = std::move(family);
  p.operation = std::move(operation);
  p.how = how;
  p.label = short_number(n);
  p.size = n;
  p.inputs.assign(static_cast<std::size_t>(inputs), row(n));
  p.result = row(n);
  const auto count = static_cast<double>(n);
  p.bytes = 4 * count * (inputs + 1);
  p.elements = count;
  return p;
}

}  // namespace

std::string short_number(std::int64_t n) {
  int exponent = 0;
  for (std::int64_t rest = n; rest >= 10 && rest % 10 == 0; rest /= 10) {
    ++exponent;
    if (rest == 10 && exponent >= 3) return "1e" + std::to_string(exponent);
  }
  return std::to_string(n);
}

const std::vector<std::string>& functions() {
  static const std::vector<std::string> all{"exp", "log", "tanh", "sigmoid", "erf", "gelu", "sin", "cos", "pow"};
  return all;
}
bool is_function(const std::string& operation) {
  return std::ranges::find(functions(), operation) != functions().end();
}

void add_small(std::vector<problem>& all) {
  const auto add = [&](const char* operation, form how, int inputs) {
    for (const std::int64_t n : {1, 8, 64, 1024}) {
      problem p = elementwise("small", operation, how, n, inputs);
      if (p.operation == "sum") p.result = row(1);
      p.unit = "ns";
      all.push_back(p);
    }
  };
  add("empty", form::fresh, 0);
  add("add", form::fresh, 2);
  add("add", form::given, 2);
  add("add", form::in_place, 2);
  add("mul", form::fresh, 2);
  add("relu", form::fresh, 1);
  add("sum", form::fresh, 1);
  add("exp", form::fresh, 1);
}

void add_elementwise(std::vector<problem>& all, bool quick) {
  const auto add = [&](const char* operation, form how, int inputs, std::int64_t n) {
    problem p = elementwise("elementwise", operation, how, n, inputs);
    if (p.operation != "copy") p.flops = static_cast<double>(n);
    all.push_back(p);
  };
  for (const auto& [operation, inputs] : {std::pair{"add", 2}, {"mul", 2}, {"relu", 1}, {"copy", 1}}) {
    for (const form how : {form::given, form::fresh}) {
      for (const std::int64_t n : sizes(quick)) add(operation, how, inputs, n);
    }
  }
  if (!quick) {
    for (const char* operation : {"add", "mul"}) add(operation, form::unmapped, 2, 10'000'000);
  }
}

void add_functions(std::vector<problem>& all, bool quick) {
  const auto add = [&](const std::string& function, form how, std::int64_t n) {
    problem p = elementwise("functions", function, how, n, function == "pow" ? 2 : 1);
    if (function == "log" || function == "pow") p.inputs[0].filled = content::positive;
    p.unit = "Ge/s";
    all.push_back(p);
  };
  for (const std::string& function : functions()) {
    for (const std::int64_t n : sizes(quick)) add(function, form::given, n);
  }
  if (!quick) {
    add("exp", form::fresh, 10'000'000);
    add("exp", form::unmapped, 10'000'000);
  }
}

void add_threads(std::vector<problem>& all, bool quick) {
  const std::int64_t n = quick ? 100'000 : 10'000'000;
  const auto add = [&](problem p) {
    p.family = "threads";
    p.threads = 2;
    all.push_back(std::move(p));
  };
  problem exp = elementwise("", "exp", form::given, n, 1);
  exp.unit = "Ge/s";
  add(exp);
  add(elementwise("", "add", form::given, n, 2));
  problem sum = elementwise("", "sum", form::fresh, n, 1);
  sum.result = row(1);
  sum.bytes = 4 * static_cast<double>(n);
  add(sum);
  const std::int64_t side = quick ? 64 : 1024;
  problem matmul;
  matmul.operation = "matmul";
  matmul.label = std::to_string(side);
  matmul.size = side;
  matmul.inputs = {{.sizes = {side, side}}, {.sizes = {side, side}}};
  matmul.result = {.sizes = {side, side}};
  matmul.flops = 2.0 * static_cast<double>(side * side * side);
  matmul.bytes = 12.0 * static_cast<double>(side * side);
  matmul.unit = "GF/s";
  add(matmul);
}

// No library does these: they are what the machine can do.
void add_limits(std::vector<problem>& all, bool quick) {
  for (const std::int64_t bytes : {24L << 10, 384L << 10, 6L << 20, 192L << 20}) {
    if (quick && bytes > 1 << 20) continue;
    for (const auto& [operation, arrays] : {std::pair{"triad", 3}, {"read", 1}, {"copy", 2}}) {
      problem p = elementwise("limits", operation, form::given, bytes / 4 / arrays, arrays == 1 ? 1 : arrays - 1);
      if (arrays == 1) p.result = row(1);
      p.bytes = static_cast<double>(p.inputs[0].count()) * 4 * arrays;
      p.label = bytes >= 1 << 20 ? std::to_string(bytes >> 20) + "MiB" : std::to_string(bytes >> 10) + "KiB";
      p.size = bytes;
      p.limit = true;
      all.push_back(p);
    }
  }
  problem peak;
  peak.family = "limits";
  peak.operation = "fma";
  peak.label = "float32";
  peak.result = row(1);
  peak.flops = 1;  // the yardsticks know how many they do
  peak.unit = "GF/s";
  peak.limit = true;
  all.push_back(peak);
}

std::vector<problem> problems(bool quick) {
  std::vector<problem> all;
  add_limits(all, quick);
  add_small(all);
  add_elementwise(all, quick);
  add_functions(all, quick);
  add_rows(all, quick);
  add_products(all, quick);
  add_networks(all, quick);
  add_threads(all, quick);
  add_autograd(all, quick);
  return all;
}

}  // namespace bench
