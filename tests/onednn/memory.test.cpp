// Memory goes back, primitives are kept within bounds, threads have their own, and the library's threads are topbit's.
#include <catch2/catch_test_macros.hpp>
#include <thread>
#include <vector>

#include "onednn_values.h"
#include "support/scale.h"

using namespace onednn_test;

namespace {

void work(std::int64_t size) {
  const std::int64_t one[] = {1}, two[] = {2};
  const tb::tensor x = random({2, 3, size, size}), w = random({4, 3, 3, 3}, tb::dtype::float32, 2);
  tb::require_grad(w);
  const tb::tensor m = tb::to_mkldnn(x), mw = tb::to_mkldnn(tb::detach(w));
  const tb::tensor y = tb::max_pool2d(tb::relu(tb::conv2d(m, w, {}, one, one)), two);
  tb::backward(tb::sum(y * y));
  tb::conv2d(m, mw);
  tb::zero_grad(w);
}

}  // namespace

TEST_CASE("onednn: memory goes back to topbit's cache", "[onednn]") {
  work(6);
  const std::size_t before = tb::host_memory().bytes_in_use;
  for (int i = 0; i < 20; ++i) work(6);
  CHECK(tb::host_memory().bytes_in_use == before);
  {
    const tb::tensor m = tb::to_mkldnn(random({1000}));
    CHECK(tb::host_memory().bytes_in_use >= before + 4000);
    CHECK(tb::onednn::bytes_of(m) == 4000);
  }
  CHECK(tb::host_memory().bytes_in_use == before);
}

TEST_CASE("onednn: a primitive is made once for each kind of call, and 256 are kept", "[onednn]") {
  const tb::tensor m = tb::to_mkldnn(random({3, 4}));
  tb::relu(m);
  const tb::onednn::primitive_statistics before = tb::onednn::primitives();
  for (int i = 0; i < 10; ++i) tb::relu(m);
  const tb::onednn::primitive_statistics after = tb::onednn::primitives();
  CHECK(after.hits == before.hits + 10);
  CHECK(after.misses == before.misses);
  for (std::int64_t n = 1; n <= 600; ++n) tb::relu(tb::to_mkldnn(tb::ones({n})));
  CHECK(tb::onednn::primitives().kept <= 256);
  CHECK(values(tb::relu(m)) == support::values(tb::relu(random({3, 4}))));
}

TEST_CASE("onednn: threads share tensors", "[onednn]") {
  const tb::tensor x = random({2, 3, 8, 8}), w = random({4, 3, 3, 3}, tb::dtype::float32, 2);
  const tb::tensor m = tb::to_mkldnn(x), mw = tb::to_mkldnn(w);
  const std::vector<double> wanted = support::values(tb::conv2d(x, w));
  std::vector<std::string> found(4);
  std::vector<std::thread> all;
  for (std::size_t i = 0; i < found.size(); ++i) {
    all.emplace_back([&, i] {
      for (int n = 0; n < 20; ++n) {
        const std::string text = support::difference(values(tb::conv2d(m, mw)), wanted, 1e-5);
        if (!text.empty()) found[i] = text;
      }
    });
  }
  for (std::thread& t : all) t.join();
  for (const std::string& text : found) CHECK(text == "");
}

TEST_CASE("onednn: results are right for every number of threads", "[onednn]") {
  const tb::tensor x = random({2, 8, 16, 16}), w = random({8, 8, 3, 3}, tb::dtype::float32, 2);
  const int before = tb::num_threads();
  const std::vector<double> wanted = support::values(tb::conv2d(x, w));
  for (const int n : {1, 2, 3}) {
    tb::set_num_threads(n);
    CHECK(support::difference(values(tb::conv2d(tb::to_mkldnn(x), w)), wanted, 1e-5) == "");
  }
  tb::set_num_threads(before);
}

TEST_CASE("onednn: the version and the formats have texts", "[onednn]") {
  CHECK(tb::onednn::version().find('.') != std::string::npos);
  CHECK(tb::onednn::format_of(tb::to_mkldnn(random({2, 3, 4, 4}))) == "abcd");
}
