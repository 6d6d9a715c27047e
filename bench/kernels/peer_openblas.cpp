// OpenBLAS: matrix products of float32 and float64.
#include <cblas.h>

#include "peers.h"

namespace bench {

namespace {

struct shape {
  int m, n, k, lda, ldb;
  CBLAS_TRANSPOSE left, right;
};

shape shape_of(const problem& p) {
  const array &a = p.inputs[0], &b = p.inputs[1];
  const auto rows = [](const array& x) { return static_cast<int>(x.sizes[x.sizes.size() - 2]); };
  const auto columns = [](const array& x) { return static_cast<int>(x.sizes.back()); };
  return {rows(a),
          columns(b),
          columns(a),
          a.transposed ? rows(a) : columns(a),
          b.transposed ? rows(b) : columns(b),
          a.transposed ? CblasTrans : CblasNoTrans,
          b.transposed ? CblasTrans : CblasNoTrans};
}

template <class T>
void gemm(const shape& s, const T* a, const T* b, T* out) {
  if constexpr (sizeof(T) == 4) {
    cblas_sgemm(CblasRowMajor, s.left, s.right, s.m, s.n, s.k, 1, a, s.lda, b, s.ldb, 0, out, s.n);
  } else {
    cblas_dgemm(CblasRowMajor, s.left, s.right, s.m, s.n, s.k, 1, a, s.lda, b, s.ldb, 0, out, s.n);
  }
}

template <class T>
work product(const problem& p) {
  const shape s = shape_of(p);
  const std::int64_t batch = p.result.count() / (std::int64_t{s.m} * s.n);
  const auto call = [=, a = p.inputs[0].as<T>(), b = p.inputs[1].as<T>(), out = p.result.as<T>()] {
    for (std::int64_t i = 0; i < batch; ++i) {
      gemm<T>(s, a + i * s.m * s.k, b + i * s.k * s.n, out + i * s.m * s.n);
    }
  };
  work w;
  w.run = repeat(call);
  w.result = [call, to = p.result] {
    call();
    return to;
  };
  return w;
}

// Without the word that it begins with.
std::string version() {
  const std::string config = openblas_get_config();
  const std::size_t begin = config.find(' '), end = config.find(' ', begin + 1);
  return begin == std::string::npos ? config : config.substr(begin + 1, end - begin - 1);
}

}  // namespace

peer openblas_peer() {
  peer p{.name = "OpenBLAS", .version = version(), .setting = openblas_get_corename()};
  p.has_settings = true;
  p.prepare = [](const problem& wanted) -> std::optional<work> {
    if (!wanted.operation.starts_with("matmul")) return std::nullopt;
    if (wanted.result.type == element::float32) return product<float>(wanted);
    if (wanted.result.type == element::float64) return product<double>(wanted);
    return std::nullopt;
  };
  p.set_threads = [](int threads) { openblas_set_num_threads(threads); };
  return p;
}

}  // namespace bench
