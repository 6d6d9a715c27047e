// bench_cuda: topbit on a GPU, beside what the same card does in the same run without it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ceilings.h"

import topbit;
import topbit.cuda;

namespace tb = topbit;
namespace nn = topbit::nn;
namespace aten = topbit::aten;

namespace {

using clock_type = std::chrono::steady_clock;

// Seconds of the device for one run: the median of rounds, after two to warm up.
double device_seconds(const std::function<void()>& run, int rounds) {
  const tb::stream stream = tb::stream::current(tb::cuda());
  run();
  run();
  std::vector<double> all;
  for (int i = 0; i < rounds; ++i) {
    const tb::event from = stream.record(true);
    run();
    const tb::event to = stream.record(true);
    to.synchronize();
    all.push_back(tb::milliseconds_between(from, to) / 1e3);
  }
  std::nth_element(all.begin(), all.begin() + rounds / 2, all.end());
  return all[static_cast<std::size_t>(rounds / 2)];
}

// Seconds of the host for one call of those that are only started: rounds that do not fill the device's queue.
double host_seconds(const std::function<void()>& call, int calls, int rounds) {
  std::vector<double> all;
  for (int r = 0; r < rounds + 2; ++r) {
    tb::synchronize(tb::cuda());
    const auto from = clock_type::now();
    for (int i = 0; i < calls; ++i) call();
    if (r >= 2) all.push_back(std::chrono::duration<double>(clock_type::now() - from).count() / calls);
  }
  tb::synchronize(tb::cuda());
  std::nth_element(all.begin(), all.begin() + rounds / 2, all.end());
  return all[static_cast<std::size_t>(rounds / 2)];
}

// Seconds of the wall for one of many runs, the last of which is waited for.
double wall_seconds(const std::function<void()>& run, int runs, int rounds) {
  std::vector<double> all;
  for (int r = 0; r < rounds + 1; ++r) {
    tb::synchronize(tb::cuda());
    const auto from = clock_type::now();
    for (int i = 0; i < runs; ++i) run();
    tb::synchronize(tb::cuda());
    if (r >= 1) all.push_back(std::chrono::duration<double>(clock_type::now() - from).count() / runs);
  }
  std::nth_element(all.begin(), all.begin() + rounds / 2, all.end());
  return all[static_cast<std::size_t>(rounds / 2)];
}

tb::tensor random_numbers(const tb::shape& sizes, tb::dtype type = tb::dtype::float32) {
  tb::tensor t = aten::empty_memory_format(sizes, tb::arg<"dtype"> = type, tb::arg<"device"> = tb::cuda());
  aten::uniform_(t, -1, 1);
  return t;
}

// A row of the table; `measured` and `ceiling` are in `unit`.
struct row {
  std::string name, unit;
  double measured, ceiling, ratio, must, aim;
  bool less_is_better;
};

class table {
 public:
  // A rate, beside the card's own.
  void rate(const std::string& name, const std::string& unit, double measured, double ceiling, double must,
            double aim) {
    add({name, unit, measured, ceiling, ceiling > 0 ? measured / ceiling : 0, must, aim, false});
  }
  // A time, beside the least there could be.
  void time(const std::string& name, double seconds, double least, double must, double aim) {
    add({name, "us", seconds * 1e6, least * 1e6, least > 0 ? seconds / least : 0, must, aim, true});
  }

  // Rows that miss what they must reach.
  int misses() const {
    return static_cast<int>(std::ranges::count_if(
        rows_, [](const row& r) { return r.must > 0 && (r.less_is_better ? r.ratio > r.must : r.ratio < r.must); }));
  }

  nlohmann::json json() const {
    nlohmann::json all = nlohmann::json::array();
    for (const row& r : rows_) {
      all.push_back({{"name", r.name},
                     {"unit", r.unit},
                     {"measured", r.measured},
                     {"beside", r.ceiling},
                     {"ratio", r.ratio},
                     {"must", r.must},
                     {"aim", r.aim},
                     {"less_is_better", r.less_is_better}});
    }
    return all;
  }

 private:
  void add(const row& r) {
    std::printf("| %-44s | %10.4g %-7s | %10.4g | %7.3f |", r.name.c_str(), r.measured, r.unit.c_str(), r.ceiling,
                r.ratio);
    if (r.must > 0)
      std::printf(" %s %.2f | %.2f |\n", r.less_is_better ? "<=" : ">=", r.must, r.aim);
    else
      std::printf("  |  |\n");
    std::fflush(stdout);
    rows_.push_back(r);
  }
  std::vector<row> rows_;
};

struct mlp {
  nn::linear first, second, scores;
  explicit mlp(const tb::generator& random) : first(64, 128, random), second(128, 64, random), scores(64, 10, random) {}
  tb::tensor operator()(const tb::tensor& x) const { return scores(aten::relu(second(aten::relu(first(x))))); }
  static void each_parameter(auto& self, auto&& visit) {
    visit("first", self.first);
    visit("second", self.second);
    visit("scores", self.scores);
  }
};

void elementwise(table& to, std::int64_t n, double copy, int rounds) {
  const tb::tensor a = random_numbers({n}), b = random_numbers({n}), mask = aten::lt_Tensor(a, b);
  tb::tensor out = aten::empty_like(a);
  const double bytes = 4.0 * static_cast<double>(n);
  const auto rate = [&](const std::string& name, double moved, const std::function<void()>& run) {
    to.rate(name, "GB/s", moved / device_seconds(run, rounds) / 1e9, copy / 1e9, 0.90, 0.97);
  };
  rate("add, 2^28 float32 / copy", 3 * bytes, [&] { aten::add_out(a, b, tb::arg<"out"> = out); });
  rate("exp, 2^28 float32 / copy", 2 * bytes, [&] { aten::exp_out(a, tb::arg<"out"> = out); });
  rate("where, 2^28 float32 / copy", 3.25 * bytes, [&] { aten::where_self_out(mask, a, b, tb::arg<"out"> = out); });
  const tb::tensor c = tb::to(a, tb::dtype::bfloat16), d = tb::to(b, tb::dtype::bfloat16);
  tb::tensor small = aten::empty_like(c);
  rate("add, 2^28 bfloat16 / copy", 1.5 * bytes, [&] { aten::add_out(c, d, tb::arg<"out"> = small); });
}

void reductions(table& to, std::int64_t n, double read, double copy, int rounds) {
  const tb::tensor a = random_numbers({n});
  const double bytes = 4.0 * static_cast<double>(n);
  to.rate("sum of 2^28 float32 / reading", "GB/s", bytes / device_seconds([&] { (void)aten::sum(a); }, rounds) / 1e9,
          read / 1e9, 0.85, 0.95);
  to.rate("max of 2^28 float32 / reading", "GB/s", bytes / device_seconds([&] { (void)aten::amax(a); }, rounds) / 1e9,
          read / 1e9, 0.85, 0.95);
  const tb::tensor rows = aten::view(a, tb::shape{n / 1024, 1024});
  tb::tensor softened;
  to.rate("softmax, rows of 1024 / copy", "GB/s",
          2 * bytes / device_seconds([&] { softened = aten::softmax_int(rows, -1); }, rounds) / 1e9, copy / 1e9, 0.80,
          0.92);
  to.rate("sum over rows of 1024 / reading", "GB/s",
          bytes / device_seconds([&] { (void)tb::sum(rows, {-1}); }, rounds) / 1e9, read / 1e9, 0, 0);
  to.rate("sum over columns / reading", "GB/s", bytes / device_seconds([&] { (void)tb::sum(rows, {0}); }, rounds) / 1e9,
          read / 1e9, 0, 0);
}

void products(table& to, bool quick, int rounds) {
  const std::int64_t n = quick ? 1024 : 8192;
  const tb::tensor a = random_numbers({n, n}, tb::dtype::bfloat16), b = random_numbers({n, n}, tb::dtype::bfloat16);
  const double flops = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  const double library = library_product_rate(n);
  to.rate("matmul, bfloat16 " + std::to_string(n) + " / library", "TFLOP/s",
          flops / device_seconds([&] { (void)aten::mm(a, b); }, rounds) / 1e12, library / 1e12, 0.95, 1.0);
}

// Beside products and a softmax that have all scores in memory, with or without what hides later keys from a query; and
// beside another framework where its figures are given.
void attention(table& to, const nlohmann::json& other, bool quick, int rounds) {
  const std::int64_t n = quick ? 256 : 2048, width = 64;
  const tb::shape sizes{8, 16, n, width};
  const tb::tensor q = random_numbers(sizes, tb::dtype::bfloat16), k = random_numbers(sizes, tb::dtype::bfloat16),
                   v = random_numbers(sizes, tb::dtype::bfloat16);
  const tb::tensor hidden =
      aten::triu(aten::full(tb::shape{n, n}, -std::numeric_limits<double>::infinity(),
                            tb::arg<"dtype"> = tb::dtype::bfloat16, tb::arg<"device"> = tb::cuda()),
                 1);
  for (const bool causal : {false, true}) {
    const double flops =
        (causal ? 2.0 : 4.0) * 8 * 16 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(width);
    const auto in_products = [&] {
      tb::tensor scores =
          aten::matmul(aten::mul_Scalar(q, 1 / std::sqrt(double(width))), aten::transpose_int(k, -2, -1));
      if (causal) scores = aten::add_Tensor(scores, hidden);
      (void)aten::matmul(aten::softmax_int(scores, -1), v);
    };
    const auto in_one_pass = [&] { (void)aten::scaled_dot_product_attention(q, k, v, tb::arg<"is_causal"> = causal); };
    const double rate = flops / device_seconds(in_one_pass, rounds) / 1e12;
    const std::string name = std::string(causal ? "causal " : "") + "attention, bfloat16 " + std::to_string(n);
    to.rate(name + " / products", "TFLOP/s", rate, flops / device_seconds(in_products, rounds) / 1e12, 1.0, 2.0);
    const double theirs = other.value(causal ? "causal_attention_flops_per_second" : "attention_flops_per_second", 0.0);
    if (theirs > 0 && !quick) to.rate(name + " / framework", "TFLOP/s", rate, theirs / 1e12, 0, 0);
  }
}

// The host's speed wanders, so each call is measured between two measurements of a bare launch.
void calls(table& to) {
  const tb::tensor a = random_numbers({8}), b = random_numbers({8});
  tb::tensor out = aten::empty_like(a);
  const auto beside = [&](const std::string& name, const std::function<void()>& call, double must, double aim) {
    const double before = launch_seconds(), seconds = host_seconds(call, 500, 21), after = launch_seconds();
    to.time(name, seconds, (before + after) / 2, must, aim);
  };
  beside("host: add into a given result / bare launch", [&] { aten::add_out(a, b, tb::arg<"out"> = out); }, 1.25, 1.1);
  beside("host: add with a new result / bare launch", [&] { (void)aten::add_Tensor(a, b); }, 0, 0);
  beside("host: add a number / bare launch", [&] { (void)aten::add_Scalar(a, 2); }, 0, 0);
}

void digits(table& to, double eager_seconds, bool quick) {
  tb::manual_seed(1);
  mlp net{tb::generator(1)};
  tb::move_to(net, tb::cuda());
  tb::sgd optimizer(tb::parameters(net), {.learning_rate = 0.1});
  const tb::tensor x = random_numbers({256, 64});
  const tb::tensor y = tb::to(aten::randint(10, tb::shape{256}), tb::cuda());
  const auto step = [&] {
    optimizer.zero_grad();
    tb::backward(aten::cross_entropy_loss(net(x), y));
    optimizer.step();
  };
  const int runs = quick ? 20 : 200;
  to.time("digits step, batch 256 / eager framework", wall_seconds(step, runs, 7), eager_seconds, 0.3, 0.1);
  const tb::cuda_graph graph = tb::cuda_graph::capture(step);
  to.time("digits step, captured / eager framework", wall_seconds([&] { graph.replay(); }, runs, 7), eager_seconds, 0.3,
          0.1);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures topbit on a GPU beside what the same card does in the same run without it.", "bench_cuda");
  std::string json, peers;
  bool quick = false, strict = false;
  app.add_option("--json", json, "write the figures there");
  app.add_option("--peers", peers, "figures of another framework on this machine, as bench/cuda/peers.py writes them")
      ->check(CLI::ExistingFile);
  app.add_flag("--quick", quick, "small sizes and few rounds, to see that it works");
  app.add_flag("--strict", strict, "exit with 3 if a ratio misses what it must reach");
  CLI11_PARSE(app, argc, argv);
  if (!tb::cuda_available()) {
    std::fprintf(stderr, "bench_cuda: %s\n", tb::cuda_unavailable_reason().c_str());
    return 2;
  }
  try {
    nlohmann::json other = nlohmann::json::object();
    if (!peers.empty()) std::ifstream(peers) >> other;
    const tb::cuda_properties card = tb::properties_of(tb::cuda());
    const std::int64_t n = std::int64_t{1} << (quick ? 20 : 28);
    const int rounds = quick ? 3 : 21;
    const double copy = copy_rate(4 * n), read = read_rate(4 * n), bare = launch_seconds();
    std::printf("%s: copies %.0f GB/s, reads %.0f GB/s, launches in %.2f us\n\n", card.name.c_str(), copy / 1e9,
                read / 1e9, bare * 1e6);
    std::printf("| what | measured | beside | ratio | must | aim |\n| --- | --- | --- | --- | --- | --- |\n");
    table rows;
    elementwise(rows, n, copy, rounds);
    reductions(rows, n, read, copy, rounds);
    tb::release_cached_memory(tb::cuda());
    products(rows, quick, rounds);
    attention(rows, other, quick, rounds);
    calls(rows);
    digits(rows, other.value("digits_step_seconds", 0.0), quick);
    if (!json.empty()) {
      std::ofstream(json) << nlohmann::json{{"device", card.name},
                                            {"driver", card.driver_version},
                                            {"runtime", card.runtime_version},
                                            {"quick", quick},
                                            {"copy_bytes_per_second", copy},
                                            {"read_bytes_per_second", read},
                                            {"launch_seconds", bare},
                                            {"peers", other},
                                            {"rows", rows.json()}}
                                 .dump(2)
                          << '\n';
    }
    std::printf("\n%d of these miss what they must reach\n", rows.misses());
    if (strict && rows.misses() != 0) return 3;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_cuda: %s\n", e.what());
    return 1;
  }
}
