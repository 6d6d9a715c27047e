// Loss scaling: gradients of float16 results, which would round to zero, are computed for a multiple of the loss.
export module topbit.training:loss_scaler;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :named_tensor;
import :optimizer;

namespace topbit {

export struct loss_scaler_options {
  /// The first factor. A power of two changes no digit of a gradient.
  double scale = 65536;
  /// The factor grows by this, above 1, after growth_interval updates in a row without an infinite or NaN gradient.
  double growth = 2;
  std::int64_t growth_interval = 2000;
  /// The factor shrinks by this, between 0 and 1, after an update with one.
  double backoff = 0.5;
  /// False makes a scaler that only calls step(): one program for scaled and unscaled training.
  bool enabled = true;
};

/// What loss_scaler::step() did.
export enum class step_result : std::uint8_t {
  stepped,
  skipped,            // a gradient was not finite; parameters and the optimizer's state are unchanged
  decided_on_device,  // one of both; the host does not know, since it did not wait
  nothing_to_do       // no parameter has a gradient; was scale(loss) used for backward()?
};

/// Multiplies losses by a factor, divides gradients by it before a step, skips steps whose gradients are not finite,
/// and adjusts the factor to that. The parameters are float32, and autocast casts them:
///
///   tb::loss_scaler scaler;
///   tb::backward(scaler.scale(loss));
///   scaler.unscale(optimizer);  // only to read or clip gradients before the step
///   tb::clip_gradient_norm(tb::parameters(net), 1);
///   scaler.step(optimizer);
///   scaler.update();
///
/// With several optimizers, each steps once, then update() is called once. The state is on the device of the first loss
/// that is scaled. An optimizer that counts its steps on that device (capturable) is skipped there: nothing waits, and
/// all of it can be captured in a graph. With other optimizers step() waits for the gradients.
///
/// Cost: scale(), one product. step(), one pass over the gradients, then the optimizer's own, which divides them too;
/// optimizers that do not take a scale, see optimizer::takes_scaling(), need one more. update(), operations on numbers.
export class loss_scaler {
 public:
  /// Throws error for an option out of its range.
  explicit loss_scaler(const loss_scaler_options& options = {});

  /// The loss times the factor, in float32 at least; recorded. Throws dtype_error for a loss that is not floating.
  tensor scale(const tensor& loss);

  /// Divides the gradients of the optimizer's parameters by the factor, in place, once between two update().
  ///
  /// Errors   dtype_error for a float16 gradient; error if it was called already, step() was, or scale() never was
  void unscale(optimizer& o);

  /// A step of the optimizer, unless a gradient is not finite. Divides the gradients by the factor if unscale() was not
  /// called; of a skipped step it may leave them scaled.
  ///
  /// Errors   those of unscale(), if it was not called, and of optimizer::step(); error for a second step before
  ///          update(), and, if step() waits, in place of the 40th skipped step in a row. Nothing has changed then, but
  ///          gradients may be unscaled
  step_result step(optimizer& o);

  /// Ends a step: adjusts the factor. Throws error if there was no step().
  void update();

  /// The factor; waits for the device. 1 if disabled.
  double factor() const;
  /// Throws error unless above 0 and finite.
  void set_factor(double scale);

  /// "state": the factor, the updates in a row without and those with a gradient that is not finite; float64 [3].
  std::vector<named_tensor> state() const;
  /// Restores such a state. Throws error, shape_error or dtype_error for any other, and changes nothing then.
  void load_state(std::span<const named_tensor> state);

 private:
  // An optimizer between two update().
  struct visit {
    const optimizer* of;
    tensor found;  // 1 if a gradient is not finite, else 0; float64
    bool unscaled = false, stepped = false;
  };

  visit& visit_of(const optimizer& o);
  void check_scaled(std::string_view function) const;
  [[noreturn]] void raise_skipped(const optimizer& o) const;

  loss_scaler_options options_;
  tensor state_;
  bool placed_ = false;  // on the device of a loss
  std::vector<visit> visits_;
};

}  // namespace topbit
