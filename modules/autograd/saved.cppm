// Saved tensors, with their version, and saved results, which do not own their own node.
export module topbit.autograd:saved;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :mode;
import :node;
import :variable;

namespace topbit {

namespace detail {

// The node whose rule runs on this thread; null outside.
extern constinit thread_local node* running_node [[gnu::tls_model("initial-exec")]];

[[noreturn]] void raise_written(const tensor& kept, std::uint32_t version);
[[noreturn]] void raise_saved_inference(const tensor& t);
inline void check_can_be_saved(const tensor& t) {
  if (author::record_of(t).inference) raise_saved_inference(t);
}

}  // namespace detail

/// An argument of a recorded call, saved for backward. 16 bytes and a reference to the tensor.
export class saved_tensor {
 public:
  inline saved_tensor() noexcept = default;
  /// Throws error for a tensor made in inference mode, whose writes are not counted.
  inline explicit saved_tensor(const tensor& t) : kept_(t), version_(t.version()) { detail::check_can_be_saved(t); }
  inline explicit saved_tensor(const std::optional<tensor>& t) : saved_tensor(t.has_value() ? *t : tensor()) {}

  /// The tensor; throws error if it was written in place since, naming the operators that saved and wrote it, and in a
  /// detect_anomaly scope the stack trace of the latter. Undefined if nothing was saved.
  inline const tensor& get() const {
    if (kept_.version() != version_) detail::raise_written(kept_, version_);
    return kept_;
  }
  inline bool defined() const noexcept { return kept_.defined(); }

 private:
  tensor kept_;
  std::uint32_t version_ = 0;
};

/// A result of a recorded call, saved for backward. Stores the elements and not the tensor, which owns the node; if
/// backward is recorded, get() returns it as a result of the node again. 24 bytes and a record of sizes.
export class saved_result {
 public:
  inline saved_result() noexcept = default;
  /// The number `of` counts the results of the call from 0, where it has several.
  explicit saved_result(const tensor& result, std::uint32_t of = 0)
      : kept_(result.defined() ? author::make_alias(result) : tensor()), version_(result.version()), of_(of) {}
  /// As saved_tensor::get(). To be called within the rule.
  tensor get() const {
    if (kept_.version() != version_) detail::raise_written(kept_, version_);
    return grad_enabled() && kept_.defined() ? with_history() : kept_;
  }
  inline bool defined() const noexcept { return kept_.defined(); }

 private:
  tensor with_history() const;
  tensor kept_;
  std::uint32_t version_ = 0, of_ = 0;
};

}  // namespace topbit
