// Softmax over the entries of the rows of a sparse matrix, log-softmax, and their gradients.
//
// Rows are read in chunks, converted to the compute type in an array on the stack and padded; a row of one chunk, the
// usual case, is read once. Sums add in 16 lanes, then the lanes in order.
#include <math.h>

#include "arch.h"
#include "exponentials.h"
#include "numbers.h"

namespace tb_sparse::TOPBIT_ARCH {
namespace {

constexpr int width = 16;
constexpr int64_t chunk = 128;

int64_t padded(int64_t count) { return (count + width - 1) / width * width; }

// Up to `chunk` numbers of a row.
template <typename T>
struct part {
  using sum = sum_of<T>;
  alignas(64) sum x[chunk];
  int64_t count;

  void read(const raw_of<T>* from, int64_t wanted, sum rest) {
    count = wanted;
    for (int64_t i = 0; i < count; ++i) x[i] = load<T>(from + i);
    for (int64_t i = count; i < padded(count); ++i) x[i] = rest;
  }
  void write(raw_of<T>* to) const {
    for (int64_t i = 0; i < count; ++i) to[i] = narrowed<T>(x[i]);
  }
};

// Adds in lanes that are kept from one part of a row to the next.
template <typename T>
struct lane_sums {
  using sum = sum_of<T>;
  sum lane[width] = {};

  void add(const sum* x, int64_t count) {
    for (int64_t i = 0; i < count; i += width) {
      for (int64_t l = 0; l < width; ++l) lane[l] += x[i + l];
    }
  }
  void add_products(const sum* x, const sum* y, int64_t count) {
    for (int64_t i = 0; i < count; i += width) {
      for (int64_t l = 0; l < width; ++l) lane[l] += x[i + l] * y[i + l];
    }
  }
  sum total() const {
    sum result = lane[0];
    for (int l = 1; l < width; ++l) result += lane[l];
    return result;
  }
};

// NaN is left to the exponentials, whose sum it reaches.
template <typename S>
S greatest_of(const S* x, int64_t count, S so_far) {
  for (int64_t i = 0; i < count; ++i) so_far = x[i] > so_far ? x[i] : so_far;
  return so_far;
}

template <typename T>
struct softmax_row {
  using sum = sum_of<T>;
  static constexpr sum lowest = -static_cast<sum>(__builtin_inff());

  const raw_of<T>* in;
  raw_of<T>* out;
  int64_t length;
  bool log;

  void read(part<T>& p, int64_t at) const { p.read(in + at, length - at < chunk ? length - at : chunk, lowest); }

  // Turns logits into results.
  void finish(part<T>& p, sum greatest, sum scale, sum log_sum) const {
    if (log) {
      for (int64_t i = 0; i < p.count; ++i) p.x[i] = p.x[i] - greatest - log_sum;
    } else {
      for (int64_t i = 0; i < p.count; ++i) p.x[i] *= scale;
    }
  }

  void run() const {
    part<T> p;
    sum greatest = lowest;
    for (int64_t at = 0; at < length; at += chunk) {
      read(p, at);
      greatest = greatest_of(p.x, p.count, greatest);
    }
    lane_sums<T> total;
    for (int64_t at = 0; at < length; at += chunk) {
      if (length > chunk || log) read(p, at);
      exponentials(p.x, padded(p.count), greatest);
      total.add(p.x, padded(p.count));
    }
    const sum all = total.total(), scale = sum(1) / all, log_sum = log ? ::log(all) : sum(0);
    for (int64_t at = 0; at < length; at += chunk) {
      if (length > chunk || log) read(p, at);
      if (length > chunk && !log) exponentials(p.x, padded(p.count), greatest);
      finish(p, greatest, scale, log_sum);
      p.write(out + at);
    }
  }
};

// With y the softmax: y * (grad - sum(grad * y)). With y its logarithm: grad - exp(y) * sum(grad).
template <typename T>
void backward_row(const raw_of<T>* result, const raw_of<T>* grad, raw_of<T>* out, int64_t length, bool log) {
  using sum = sum_of<T>;
  part<T> y, g;
  const auto read = [&](int64_t at) {
    const int64_t count = length - at < chunk ? length - at : chunk;
    y.read(result + at, count, 0);
    g.read(grad + at, count, 0);
  };
  lane_sums<T> sums;
  for (int64_t at = 0; at < length; at += chunk) {
    read(at);
    if (log) {
      sums.add(g.x, padded(g.count));
    } else {
      sums.add_products(g.x, y.x, padded(g.count));
    }
  }
  const sum total = sums.total();
  for (int64_t at = 0; at < length; at += chunk) {
    if (length > chunk) read(at);
    if (log) {
      exponentials(y.x, padded(y.count), sum(0));
      for (int64_t i = 0; i < y.count; ++i) g.x[i] -= y.x[i] * total;
    } else {
      for (int64_t i = 0; i < y.count; ++i) g.x[i] = y.x[i] * (g.x[i] - total);
    }
    g.write(out + at);
  }
}

template <typename F>
void each_row(const tb_row_softmax& call, int64_t begin, int64_t end, F f) {
  with_float(call.dtype, [&]<typename T>(T) {
    with_index(call.index, [&]<typename I>(I) {
      const I* const offsets = static_cast<const I*>(call.compressed);
      for (int64_t row = begin; row < end; ++row) {
        const int64_t first = offsets[row], length = offsets[row + 1] - first;
        if (length > 0) f(T(), first, length);
      }
    });
  });
}

}  // namespace

void row_softmax(const tb_row_softmax* call, int64_t begin, int64_t end) {
  each_row(*call, begin, end, [&]<typename T>(T, int64_t first, int64_t length) {
    const raw_of<T>* const in = static_cast<const raw_of<T>*>(call->values) + first;
    softmax_row<T>{in, static_cast<raw_of<T>*>(call->out) + first, length, call->log != 0}.run();
  });
}

void row_softmax_backward(const tb_row_softmax* call, int64_t begin, int64_t end) {
  each_row(*call, begin, end, [&]<typename T>(T, int64_t first, int64_t length) {
    backward_row<T>(static_cast<const raw_of<T>*>(call->values) + first,
                    static_cast<const raw_of<T>*>(call->grad) + first, static_cast<raw_of<T>*>(call->out) + first,
                    length, call->log != 0);
  });
}

}  // namespace tb_sparse::TOPBIT_ARCH
