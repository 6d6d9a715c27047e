// What oneDNN's formats gain on the CPU: topbit's own kernels, the same calls on tensors in oneDNN's formats, and
// oneDNN called by hand, one thread. Microseconds, the best of several rounds in turn, so that other programs disturb
// all alike.
//
//   bench_onednn [--quick]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include "by_hand.h"

import topbit;
import topbit.onednn;

namespace tb = topbit;

namespace {

double thread_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

bool quick = false;

// The least time of each call, in rounds of about a millisecond.
std::vector<double> times_of(const std::vector<std::function<void()>>& calls) {
  std::vector<double> best(calls.size(), std::numeric_limits<double>::infinity());
  std::vector<int> repeats;
  for (const auto& call : calls) {
    call();
    const double begin = thread_time();
    call();
    repeats.push_back(quick ? 1 : std::max(1, static_cast<int>(1000 / std::max(thread_time() - begin, 0.1))));
  }
  for (int round = 0; round < (quick ? 1 : 40); ++round) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const double begin = thread_time();
      for (int n = 0; n < repeats[i]; ++n) calls[i]();
      best[i] = std::min(best[i], (thread_time() - begin) / repeats[i]);
    }
  }
  return best;
}

tb::tensor random(const tb::shape& sizes) { return tb::rand(sizes) - 0.5; }

void convolutions() {
  std::printf(
      "convolution with bias               topbit   strided in and out   in the format   by hand   ratio to it\n");
  const convolution_shape shapes[] = {{8, 32, 64, 28, 3, 1, 1},  {1, 3, 64, 224, 7, 2, 3},   {1, 64, 64, 56, 3, 1, 1},
                                      {1, 64, 256, 56, 1, 1, 0}, {1, 128, 128, 28, 3, 1, 1}, {1, 256, 256, 14, 3, 1, 1},
                                      {1, 512, 512, 7, 3, 1, 1}, {1, 256, 512, 28, 1, 2, 0}};
  for (const convolution_shape& c : shapes) {
    const tb::tensor x = random({c.images, c.channels, c.size, c.size}), b = random({c.outputs}),
                     w = random({c.outputs, c.channels, c.window, c.window});
    const std::int64_t stride[] = {c.stride}, padding[] = {c.padding};
    const tb::tensor packed = tb::pack_weight(w, x.sizes(), stride, padding), bias = tb::to_mkldnn(b);
    // What a layer before would give: the format that this convolution wants.
    const tb::tensor like = tb::conv2d(tb::to_mkldnn(random({c.images, c.channels, c.size, c.size})),
                                       random({c.channels, c.channels, 1, 1}));
    const tb::tensor m = c.channels < 16 ? tb::to_mkldnn(x) : like;
    const std::vector<double> t =
        times_of({[&] { tb::conv2d(x, w, b, stride, padding); },
                  [&] { tb::to_dense(tb::conv2d(tb::to_mkldnn(x), packed, bias, stride, padding)); },
                  [&] { tb::conv2d(m, packed, bias, stride, padding); }, convolution_by_hand(c)});
    std::printf("%lldx%lldx%lldx%lld -> %lld, %lldx%lld / %lld %*s %9.1f %15.1f %17.1f %11.1f %10.2f\n",
                static_cast<long long>(c.images), static_cast<long long>(c.channels), static_cast<long long>(c.size),
                static_cast<long long>(c.size), static_cast<long long>(c.outputs), static_cast<long long>(c.window),
                static_cast<long long>(c.window), static_cast<long long>(c.stride), 4, "", t[0], t[1], t[2], t[3],
                t[2] / t[3]);
  }
}

void small_calls() {
  const tb::tensor x = random({1, 16}), m = tb::to_mkldnn(x), image = random({1, 4, 4, 4}), w = random({4, 4, 3, 3});
  const tb::tensor bias = random({4});
  const tb::tensor packed = tb::pack_weight(w, image.sizes()), b = tb::to_mkldnn(bias), mi = tb::to_mkldnn(image);
  const std::vector<double> t =
      times_of({[&] { tb::relu(x); }, [&] { tb::relu(m); }, relu_by_hand(16), [&] { tb::conv2d(image, w, bias); },
                [&] { tb::conv2d(mi, packed, b); }, convolution_by_hand({1, 4, 4, 4, 3, 1, 0})});
  std::printf("\nsmall calls            topbit   in the format   by hand   difference\n");
  std::printf("relu of 16 %18.2f %15.2f %9.2f %12.2f\n", t[0], t[1], t[2], t[1] - t[2]);
  std::printf("conv2d 4x4x4 %16.2f %15.2f %9.2f %12.2f\n", t[3], t[4], t[5], t[4] - t[5]);
}

// The network of examples/digits.
void digits() {
  const tb::tensor w1 = random({16, 1, 3, 3}), b1 = random({16}), w2 = random({32, 16, 3, 3}), b2 = random({32}),
                   w3 = random({10, 512}), b3 = random({10});
  const std::int64_t one[] = {1}, two[] = {2};
  const auto network = [&](const tb::tensor& input, const std::vector<tb::tensor>& p) {
    tb::tensor x = tb::relu(tb::conv2d(input, p[0], p[1], one, one));
    x = tb::max_pool2d(tb::relu(tb::conv2d(x, p[2], p[3], one, one)), two);
    return tb::linear(tb::flatten(x, 1), p[4], p[5]);
  };
  const auto fused = [&](const tb::tensor& input, const std::vector<tb::tensor>& p) {
    tb::tensor x = tb::convolution_relu(input, p[0], p[1], one, one);
    x = tb::max_pool2d(tb::convolution_relu(x, p[2], p[3], one, one), two);
    return tb::linear(tb::flatten(x, 1), p[4], p[5]);
  };
  std::printf("\ndigits CNN, images     topbit   in the format   with relu fused   training: topbit   in the format\n");
  for (const std::int64_t n : {1, 32, 256}) {
    const tb::tensor x = random({n, 1, 8, 8});
    const std::vector<tb::tensor> plain{w1, b1, w2, b2, w3, b3};
    const std::vector<tb::tensor> packed{tb::pack_weight(w1, x.sizes(), one, one),
                                         tb::to_mkldnn(b1),
                                         tb::pack_weight(w2, tb::shape{n, 16, 8, 8}, one, one),
                                         tb::to_mkldnn(b2),
                                         tb::pack_weight(w3, n),
                                         tb::to_mkldnn(b3)};
    std::vector<tb::tensor> leaves;
    for (const tb::tensor& t : plain) leaves.push_back(tb::require_grad(tb::clone(t)));
    const auto step = [&](const tb::tensor& input) {
      tb::backward(tb::sum(tb::to_dense(network(input, leaves))));
      for (const tb::tensor& t : leaves) tb::zero_grad(t);
    };
    const std::vector<double> t = times_of(
        {[&] { network(x, plain); }, [&] { tb::to_dense(network(tb::to_mkldnn(x), packed)); },
         [&] { tb::to_dense(fused(tb::to_mkldnn(x), packed)); }, [&] { step(x); }, [&] { step(tb::to_mkldnn(x)); }});
    std::printf("%-6lld %22.1f %15.1f %17.1f %18.1f %15.1f\n", static_cast<long long>(n), t[0], t[1], t[2], t[3], t[4]);
  }
}

void integers() {
  std::printf(
      "\nproducts, 64 rows      float32 topbit   float32 in the format   int8 in the format   bfloat16 in the "
      "format\n");
  for (const std::int64_t n : {256, 1024}) {
    const tb::tensor x = random({64, n}), w = random({n, n});
    const tb::tensor codes = tb::to(x * 100, tb::dtype::int8), weights = tb::to(w * 100, tb::dtype::int8);
    const tb::tensor m = tb::to_mkldnn(x), packed = tb::pack_weight(w, 64), mc = tb::to_mkldnn(codes),
                     mw = tb::to_mkldnn(weights), scale = tb::ones({n});
    const tb::tensor h = tb::to_mkldnn(x, tb::dtype::bfloat16),
                     hw = tb::pack_weight(tb::to(w, tb::dtype::bfloat16), 64);
    const std::vector<double> t = times_of({[&] { tb::linear(x, w); }, [&] { tb::linear(m, packed); },
                                            [&] { tb::int8_linear(mc, mw, scale); }, [&] { tb::linear(h, hw); }});
    std::printf("%lldx%lld %24.1f %23.1f %20.1f %24.1f\n", static_cast<long long>(n), static_cast<long long>(n), t[0],
                t[1], t[2], t[3]);
  }
}

}  // namespace

int main(int count, char** words) {
  quick = count > 1 && std::string_view(words[1]) == "--quick";
  tb::set_num_threads(1);
  std::printf("oneDNN %s, one thread, microseconds\n\n", tb::onednn::version().c_str());
  convolutions();
  small_calls();
  digits();
  integers();
}
