// Observers: they see the values of an activation, and say with which scale and zero point it is to be quantized.
export module topbit.quantized:observer;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :payload;
import :scales;

export namespace topbit::quantized {

struct observer_options {
  int bits = 8;
  bool is_signed = false;  // codes from -128, or, of 8 bits, from 0
  bool symmetric = false;
};

/// For quantize_per_tensor().
struct tensor_parameters {
  double scale = 1;
  std::int64_t zero_point = 0;
};

/// The minimum and maximum seen. Nothing is read from the device before parameters().
class min_max_observer {
 public:
  /// Throws bad_argument for bits other than 8 and 4.
  explicit min_max_observer(const observer_options& o = {});
  /// x: [..], floating-point. Nothing for an empty tensor.
  void observe(const tensor& x);
  /// Throws error before a tensor was observed, and for NaN and infinity. Waits for the device.
  tensor_parameters parameters() const;
  /// x as one of codes. Throws as parameters().
  tensor quantize(const tensor& x) const;

 private:
  observer_options options_;
  tensor least_, greatest_;  // []
};

/// A moving average of the minima and maxima of the tensors seen: each new one moves it by `rate` of the
/// difference.
class moving_average_observer {
 public:
  explicit moving_average_observer(const observer_options& o = {}, double rate = 0.01);
  /// As those of min_max_observer.
  void observe(const tensor& x);
  tensor_parameters parameters() const;
  tensor quantize(const tensor& x) const;

 private:
  observer_options options_;
  double rate_;
  tensor least_, greatest_;  // []
};

/// The minimum and maximum seen of each index of a dimension, for quantize_per_channel().
class channel_observer {
 public:
  explicit channel_observer(std::int64_t axis = 0, const observer_options& o = {});
  /// As those of min_max_observer. Throws shape_error if the size of the dimension differs from that before.
  void observe(const tensor& x);
  quantized::parameters parameters() const;
  tensor quantize(const tensor& x) const;

 private:
  observer_options options_;
  std::int64_t axis_;
  tensor least_, greatest_;  // [size of the dimension]
};

}  // namespace topbit::quantized
