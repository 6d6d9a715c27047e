// Group, instance and batch norm and their gradients, on dense arrays [images][channels][inner].
//
// The statistics of a group, or of a channel over the images, are those of blocks that fit in the first cache, merged
// in double. The result is written while the elements are still in a cache. Tasks share groups or channels, so nothing
// depends on their number. Without an inner dimension, channels are columns.
#include <math.h>

#include <initializer_list>
#include <type_traits>

#include "channel_norm_loops.h"
#include "elementwise/for_each_row.h"
#include "elementwise/write_blocks.h"
#include "layout.h"
#include "threads/parallel.h"
#include "threads/scratch.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

constexpr int64_t block = written_block, columns_of_task = 64;

constexpr int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

// Calls visit(item) for each item of `work` elements.
template <typename Visit>
void each_item(int64_t items, int64_t work, const Visit& visit) {
  const auto run = [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) visit(i);
  };
  if (items * work <= parallel_grain || threads() == 1) return run(0, items);
  const int64_t some = (parallel_grain + work - 1) / (work == 0 ? 1 : work);
  each_part((items + some - 1) / some, [&](int64_t part) { run(part * some, least(items, (part + 1) * some)); });
}

// The factors of an element and of its gradient, for one channel.
template <typename T>
struct factors {
  T mean, scale, shift;        // out = (in - mean) * scale + shift
  T by_gradient, by_in, rest;  // gradient * by_gradient + (in - mean) * by_in + rest
};

// Of elements of type E, computed in T.
template <typename T, typename E>
class channel_norm_call {
 public:
  channel_norm_call(const tb_channel_norm& given, gradient_sums* partial)
      : call(given),
        elements(static_cast<const E*>(given.in)),
        gradients(static_cast<const E*>(given.gradient)),
        result(static_cast<E*>(given.out)),
        streams(is_streamed(given)),
        sums(partial),
        inner(given.inner),
        channels(given.channels),
        of_group(given.groups == 0 ? 1 : channels / given.groups),
        weight(static_cast<const T*>(given.weight)),
        bias(static_cast<const T*>(given.bias)),
        mean(static_cast<T*>(given.mean)),
        variance(static_cast<T*>(given.variance)) {}

  void run() const {
    const bool backward = call.gradient != nullptr;
    if (call.groups == 0 && inner == 1) {
      each_item((channels + columns_of_task - 1) / columns_of_task, call.images * columns_of_task, [&](int64_t i) {
        const int64_t first = i * columns_of_task, count = least(columns_of_task, channels - first);
        backward ? columns_backward(first, count) : columns_forward(first, count);
      });
    } else if (call.groups == 0 && call.given == 0) {
      each_item(channels, call.images * inner, [&](int64_t c) { backward ? batch_backward(c) : batch_forward(c); });
    } else {
      const int64_t groups = call.given != 0 ? channels : call.groups;
      each_item(call.images * groups, of_group * inner, [&](int64_t i) {
        const int64_t image = i / groups, group = i % groups;
        backward ? group_backward(image, group) : group_forward(image, group);
      });
      if (backward) add_images();
    }
    if (streams) end_stream();
  }

 private:
  static bool is_streamed(const tb_channel_norm& c) {
    const int64_t arrays = c.gradient != nullptr ? 3 : 2, count = c.images * c.channels * c.inner;
    return c.inner >= written_block && passes_cache(arrays * count * int64_t(sizeof(E)));
  }

  T weight_of(int64_t channel) const { return weight == nullptr ? T(1) : weight[channel]; }
  T bias_of(int64_t channel) const { return bias == nullptr ? T(0) : bias[channel]; }
  double inverse(double of_variance) const { return 1 / sqrt(of_variance + call.epsilon); }

  void keep(int64_t i, const moments& found) const {
    mean[i] = found.count == 0 ? T(NAN) : T(found.mean());
    variance[i] = T(found.variance());
  }

  // The elements of `count` channels of an image.
  void add_moments(moments& all, int64_t image, int64_t channel, int64_t count) const {
    const int64_t first = (image * channels + channel) * inner, length = count * inner;
    for (int64_t i = 0; i < length; i += block) {
      const int64_t some = least(block, length - i);
      all.add(moments_of_run<T>(elements + first + i, some, call.epsilon));
    }
  }

  factors<T> forward_factors(int64_t channel, const moments& found, double rstd) const {
    const double scale = rstd * double(weight_of(channel));
    const T rounded = T(found.mean());
    return {rounded, T(scale), T(found.below(double(rounded)) * scale + double(bias_of(channel))), T(0), T(0), T(0)};
  }
  moments constants(int64_t channel) const { return {1, double(mean[channel]), 0, double(variance[channel])}; }

  void scale_channel(int64_t image, int64_t channel, const factors<T>& f) const {
    const int64_t begin = (image * channels + channel) * inner;
    write_blocks(result + begin, inner, streams, [&](int64_t first, int64_t count, E* out) {
      scale_run(elements + begin + first, out, count, same<T>(f.mean), same<T>(f.scale), same<T>(f.shift));
    });
  }

  void batch_forward(int64_t channel) const {
    moments found;
    for (int64_t image = 0; image < call.images; ++image) add_moments(found, image, channel, 1);
    keep(channel, found);
    const factors<T> f = forward_factors(channel, found, inverse(found.variance()));
    for (int64_t image = 0; image < call.images; ++image) scale_channel(image, channel, f);
  }

  // A group, or a channel of given statistics.
  void group_forward(int64_t image, int64_t group) const {
    moments found;
    if (call.given != 0) {
      found = constants(group);
    } else {
      add_moments(found, image, group * of_group, of_group);
      keep(image * call.groups + group, found);
    }
    const double rstd = inverse(found.variance());
    const int64_t first = group * of_group;
    if (inner != 1) {
      for (int64_t c = first; c < first + of_group; ++c) {
        scale_channel(image, c, forward_factors(c, found, rstd));
      }
      return;
    }
    for (int64_t c = first; c < first + of_group; c += columns_of_task) {
      const int64_t count = least(columns_of_task, first + of_group - c);
      column_factors all;
      for (int64_t k = 0; k < count; ++k) all.set(k, forward_factors(c + k, found, rstd));
      scale_columns(image, c, count, all);
    }
  }

  struct column_factors {
    alignas(64) T mean[columns_of_task], scale[columns_of_task], shift[columns_of_task];
    alignas(64) T by_gradient[columns_of_task], by_in[columns_of_task], rest[columns_of_task];
    void set(int64_t k, const factors<T>& f) {
      mean[k] = f.mean, scale[k] = f.scale, shift[k] = f.shift;
      by_gradient[k] = f.by_gradient, by_in[k] = f.by_in, rest[k] = f.rest;
    }
  };
  void scale_columns(int64_t image, int64_t first, int64_t count, const column_factors& f) const {
    const int64_t i = image * channels + first;
    scale_run(elements + i, result + i, count, each<T>{f.mean}, each<T>{f.scale}, each<T>{f.shift});
  }

  void columns_forward(int64_t first, int64_t count) const {
    moments found[columns_of_task];
    if (call.given != 0) {
      for (int64_t k = 0; k < count; ++k) found[k] = constants(first + k);
    } else {
      if (call.images != 0) {
        moments_of_columns<T>(elements + first, call.images, channels, count, call.epsilon, found);
      }
      for (int64_t k = 0; k < count; ++k) keep(first + k, found[k]);
    }
    column_factors all;
    for (int64_t k = 0; k < count; ++k) {
      all.set(k, forward_factors(first + k, found[k], inverse(found[k].variance())));
    }
    for (int64_t image = 0; image < call.images; ++image) scale_columns(image, first, count, all);
  }

  // With x the normalised input and g = gradient * weight: rstd * (g - mean(g) - x * mean(g * x)). `own` has the sums
  // of g and of g * x over `count` elements.
  factors<T> backward_factors(int64_t channel, T middle, double rstd, const gradient_sums& own, double count) const {
    const double by_gradient = rstd * double(weight_of(channel));
    if (call.given != 0) return {T(0), T(by_gradient), T(0), T(by_gradient), T(0), T(0)};
    return {
        middle, T(0), T(0), T(by_gradient), T(-rstd * rstd * (own.product / count)), T(-rstd * (own.gradient / count))};
  }
  void keep_gradients(int64_t channel, const gradient_sums& of_channel) const {
    if (call.weight_gradient != nullptr) static_cast<T*>(call.weight_gradient)[channel] = T(of_channel.product);
    if (call.bias_gradient != nullptr) static_cast<T*>(call.bias_gradient)[channel] = T(of_channel.gradient);
  }

  void add_sums(gradient_sums& all, int64_t image, int64_t channel, T middle) const {
    const int64_t begin = (image * channels + channel) * inner, end = begin + inner;
    for (int64_t i = begin; i < end; i += block) {
      all.add(sums_of_run<T>(gradients + i, elements + i, least(block, end - i), middle));
    }
  }
  void gradient_of_channel(int64_t image, int64_t channel, const factors<T>& f) const {
    const int64_t begin = (image * channels + channel) * inner;
    write_blocks(result + begin, inner, streams, [&](int64_t first, int64_t count, E* out) {
      const int64_t i = begin + first;
      if (call.given != 0) {
        scale_run(gradients + i, out, count, same<T>(f.mean), same<T>(f.scale), same<T>(f.shift));
      } else {
        gradient_run(gradients + i, elements + i, out, count, same<T>(f.mean), same<T>(f.by_gradient), same<T>(f.by_in),
                     same<T>(f.rest));
      }
    });
  }
  void gradient_of_columns(int64_t image, int64_t first, int64_t count, const column_factors& f) const {
    const int64_t i = image * channels + first;
    if (call.given != 0) {
      scale_run(gradients + i, result + i, count, each<T>{f.mean}, each<T>{f.scale}, each<T>{f.shift});
    } else {
      gradient_run(gradients + i, elements + i, result + i, count, each<T>{f.mean}, each<T>{f.by_gradient},
                   each<T>{f.by_in}, each<T>{f.rest});
    }
  }

  void batch_backward(int64_t channel) const {
    const double rstd = inverse(double(variance[channel])), by = double(weight_of(channel));
    gradient_sums all;
    for (int64_t image = 0; image < call.images; ++image) add_sums(all, image, channel, mean[channel]);
    all.product *= rstd;
    keep_gradients(channel, all);
    if (call.out == nullptr) return;
    const factors<T> f = backward_factors(channel, mean[channel], rstd, {all.gradient * by, all.product * by},
                                          double(call.images * inner));
    for (int64_t image = 0; image < call.images; ++image) gradient_of_channel(image, channel, f);
  }

  // A group, or a channel of given statistics. The sums of the channels are kept, to be added over the images.
  void group_backward(int64_t image, int64_t group) const {
    const int64_t first = group * of_group, end = first + of_group;
    const int64_t i = call.given != 0 ? group : image * call.groups + group;
    const T middle = mean[i];
    const double rstd = inverse(double(variance[i]));
    gradient_sums own;
    const auto take = [&](int64_t c, gradient_sums of_channel) {
      of_channel.product *= rstd;
      if (sums != nullptr) sums[image * channels + c] = of_channel;
      const double by = double(weight_of(c));
      own.add({of_channel.gradient * by, of_channel.product * by});
    };
    for (int64_t c = first; c < end && (sums != nullptr || call.given == 0); ++c) {
      const int64_t at = image * channels + c;
      gradient_sums of_channel;
      if (inner == 1) {
        const double g = number_of(gradients[at]);
        of_channel = {g, g * (number_of(elements[at]) - double(middle))};
      } else {
        add_sums(of_channel, image, c, middle);
      }
      take(c, of_channel);
    }
    if (call.out == nullptr) return;
    const double count = double(of_group * inner);
    for (int64_t c = first; c < end && inner > 1; ++c) {
      gradient_of_channel(image, c, backward_factors(c, middle, rstd, own, count));
    }
    for (int64_t c = first; c < end && inner == 1; c += columns_of_task) {
      const int64_t some = least(columns_of_task, end - c);
      column_factors all;
      for (int64_t k = 0; k < some; ++k) all.set(k, backward_factors(c + k, middle, rstd, own, count));
      gradient_of_columns(image, c, some, all);
    }
  }
  void add_images() const {
    for (int64_t c = 0; c < channels && sums != nullptr; ++c) {
      gradient_sums all;
      for (int64_t image = 0; image < call.images; ++image) all.add(sums[image * channels + c]);
      keep_gradients(c, all);
    }
  }

  void columns_backward(int64_t first, int64_t count) const {
    gradient_sums all[columns_of_task];
    sums_of_columns<T>(gradients + first, elements + first, call.images, channels, count, mean + first, all);
    column_factors f;
    for (int64_t k = 0; k < count; ++k) {
      const int64_t c = first + k;
      const double rstd = inverse(double(variance[c])), by = double(weight_of(c));
      all[k].product *= rstd;
      keep_gradients(c, all[k]);
      f.set(k, backward_factors(c, mean[c], rstd, {all[k].gradient * by, all[k].product * by}, double(call.images)));
    }
    for (int64_t image = 0; image < call.images && call.out != nullptr; ++image) {
      gradient_of_columns(image, first, count, f);
    }
  }

  const tb_channel_norm& call;
  const E *const elements, *const gradients;
  E* const result;
  const bool streams;
  gradient_sums* const sums;  // [images][channels], or null
  const int64_t inner, channels, of_group;
  const T *const weight, *const bias;
  T *const mean, *const variance;
};

template <typename T, typename E>
tb_status norm_of(const tb_channel_norm& call) {
  if (call.gradient != nullptr && call.images * call.channels * call.inner == 0) {
    for (void* const to : {call.weight_gradient, call.bias_gradient}) {
      if (to != nullptr) __builtin_memset(to, 0, static_cast<size_t>(call.channels) * sizeof(T));
    }
    return TB_OK;
  }
  const bool wanted = call.weight_gradient != nullptr || call.bias_gradient != nullptr;
  const bool adds = call.gradient != nullptr && wanted && (call.groups != 0 || (call.given != 0 && call.inner != 1));
  const int64_t bytes = adds ? call.images * call.channels * int64_t(sizeof(gradient_sums)) : 0;
  auto* const sums = bytes == 0 ? nullptr : static_cast<gradient_sums*>(scratch(bytes));
  if (sums == nullptr && bytes != 0) return TB_OUT_OF_MEMORY;
  channel_norm_call<T, E>(call, sums).run();
  return TB_OK;
}

}  // namespace

tb_status channel_norm(const tb_channel_norm* call, const tb_call*) {
  switch (call->dtype) {
    case TB_F16: return norm_of<float, tb_kernel::half>(*call);
    case TB_BF16: return norm_of<float, tb_kernel::bfloat16>(*call);
    case TB_F32: return norm_of<float, float>(*call);
    case TB_F64: return norm_of<double, double>(*call);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cpu::TOPBIT_ARCH
