// A step of training without tensors and without a graph: the kernels of topbit's table for products and softmax, plain
// loops around them, memory that was taken before. What a step of operators cannot be faster than.
#include <topbit/kernel_abi.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "data.h"
#include "peers.h"
#include "problems.h"

#if defined(__x86_64__)
#  define BENCH_WIDE [[gnu::target_clones("avx512f", "avx2", "default")]]
#else
#  define BENCH_WIDE
#endif

namespace bench {

namespace {

constexpr std::int64_t no_activation = -1;

// A row-major matrix, or the transposed one.
struct matrix {
  float* data;
  std::int64_t rows, columns;
  bool is_transposed = false;

  matrix transposed() const { return {data, columns, rows, !is_transposed}; }
  std::int64_t row_stride() const { return is_transposed ? 1 : columns; }
  std::int64_t column_stride() const { return is_transposed ? rows : 1; }
};

void check(tb_status status) {
  if (status != TB_OK) throw std::runtime_error("a kernel of the step by hand failed");
}

// out = activation(alpha * a @ b + added), where added is out itself, a row for all, or null.
void multiply(const matrix& out, const matrix& a, const matrix& b, const float* added, double alpha = 1,
              std::int64_t activation = no_activation) {
  tb_matmul m{};
  m.out = out.data;
  m.a = a.data;
  m.b = b.data;
  m.added = added;
  m.m = out.rows;
  m.n = out.columns;
  m.k = a.columns;
  m.out_row = out.columns;
  m.out_col = 1;
  m.a_row = a.row_stride();
  m.a_col = a.column_stride();
  m.b_row = b.row_stride();
  m.b_col = b.column_stride();
  m.added_row = added == out.data ? out.columns : 0;
  m.added_col = 1;
  m.batch = 1;
  m.alpha = {alpha, 1};
  m.beta = {1, 1};
  m.dtype = m.out_dtype = TB_F32;
  m.activation = static_cast<std::int32_t>(activation);
  check(tb_cpu_kernels()->matmul(&m, nullptr));
}

void softmax(const matrix& out, const matrix& of) {
  tb_rowwise r{};
  r.op = TB_SOFTMAX;
  r.compute = TB_F32;
  r.ndim = 1;
  r.operands = 2;
  r.sizes[0] = out.rows;
  const auto operand = [&](const matrix& m, std::int32_t written) {
    return tb_row_operand{m.data, {m.columns}, m.columns, 1, TB_F32, written};
  };
  r.row[0] = operand(out, 1);
  r.row[1] = operand(of, 0);
  check(tb_cpu_kernels()->rowwise(&r, nullptr));
}

// The mean loss of probabilities, which become the gradient by the scores.
float cross_entropy(const matrix& of, const std::int64_t* labels) {
  const float part = 1 / static_cast<float>(of.rows);
  float loss = 0;
  for (std::int64_t r = 0; r < of.rows; ++r) loss -= std::log(of.data[r * of.columns + labels[r]]);
  for (std::int64_t i = 0; i < of.rows * of.columns; ++i) of.data[i] *= part;
  for (std::int64_t r = 0; r < of.rows; ++r) of.data[r * of.columns + labels[r]] -= part;
  return loss * part;
}

// The bias goes by the sum of the rows.
BENCH_WIDE void descend(float* bias, float* sums, const float* gradient, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t c = 0; c < columns; ++c) sums[c] = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) sums[c] += gradient[r * columns + c];
  }
  for (std::int64_t c = 0; c < columns; ++c) bias[c] -= static_cast<float>(learning_rate) * sums[c];
}

// The gradient of relu, whose result is given.
BENCH_WIDE void cut(float* gradient, const float* result, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) gradient[i] = result[i] > 0 ? gradient[i] : 0;
}

class network {
 public:
  explicit network(const problem& p)
      : images_{p.inputs[0].as<float>(), p.inputs[0].sizes[0], p.inputs[0].sizes[1]},
        labels_(p.inputs[1].as<std::int64_t>()) {
    std::int64_t widest = 0;
    for (std::size_t i = 2; i < p.inputs.size(); i += 2) {
      const array &weight = p.inputs[i], &bias = p.inputs[i + 1];
      const std::int64_t outputs = weight.sizes[0], inputs = weight.sizes[1];
      widest = std::max(widest, outputs);
      layer one{{take(weight.count()), outputs, inputs},
                take(outputs),
                {take(images_.rows * outputs), images_.rows, outputs},
                {take(images_.rows * outputs), images_.rows, outputs}};
      std::copy_n(weight.as<float>(), weight.count(), one.weight.data);
      std::copy_n(bias.as<float>(), outputs, one.bias);
      layers_.push_back(one);
    }
    sums_ = take(widest);
  }

  // The loss before it.
  float step() {
    matrix x = images_;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const layer& at = layers_[l];
      const bool last = l + 1 == layers_.size();
      multiply(at.result, x, at.weight.transposed(), at.bias, 1, last ? no_activation : std::int64_t{TB_RELU});
      x = at.result;
    }
    softmax(layers_.back().gradient, x);
    const float loss = cross_entropy(layers_.back().gradient, labels_);
    for (std::size_t l = layers_.size(); l-- > 0;) {
      const layer& at = layers_[l];
      if (l > 0) {
        const layer& below = layers_[l - 1];
        multiply(below.gradient, at.gradient, at.weight, nullptr);
        cut(below.gradient.data, below.result.data, below.result.rows * below.result.columns);
      }
      multiply(at.weight, at.gradient.transposed(), l > 0 ? layers_[l - 1].result : images_, at.weight.data,
               -learning_rate);
      descend(at.bias, sums_, at.gradient.data, at.gradient.rows, at.gradient.columns);
    }
    return loss;
  }

 private:
  struct layer {
    matrix weight;  // [out, in]
    float* bias;
    matrix result, gradient;  // [rows, out]
  };
  float* take(std::int64_t count) {
    memory_.push_back(take_memory(element::float32, count));
    return static_cast<float*>(memory_.back().get());
  }

  matrix images_;
  const std::int64_t* labels_;
  std::vector<std::shared_ptr<void>> memory_;
  std::vector<layer> layers_;
  float* sums_ = nullptr;
};

std::optional<work> prepare(const problem& p) {
  if (p.family != "autograd" || p.operation != "step") return std::nullopt;
  work w;
  w.run = repeat([made = std::make_shared<network>(p)] { made->step(); });
  w.result = [p] {
    network fresh(p);
    for (std::int64_t i = 0; i < p.result.count(); ++i) p.result.as<float>()[i] = fresh.step();
    return p.result;
  };
  return w;
}

}  // namespace

peer step_by_hand() {
  peer p{.name = "step by hand", .yardstick = true};
  p.prepare = prepare;
  return p;
}

}  // namespace bench
