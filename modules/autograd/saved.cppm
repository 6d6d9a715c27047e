// Saved tensors, with their version, and saved results, which do not own their own node.
//
// A saved result is another tensor than the result, so what layers attached to the result is not with it; a layer that
// needs it there sets a saved_result_reader.
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

export namespace author {

/// Called with each result that a rule reads on this thread: `saved` stands for result number `result` of the call that
/// made the node `of`. A layer attaches to it what it attached to the result.
using saved_result_reader = void (*)(const node& of, std::uint32_t result, const tensor& saved);
/// Sets this thread's reader, null at first, and returns the one before. To be set while a layer has such data: without
/// a reader a rule that is not recorded reads its results without an allocation.
saved_result_reader set_saved_result_reader(saved_result_reader r) noexcept;

/// The recorded call that made a tensor, or wrote it last, and which of its results it is; of a base, it may have
/// written a view of it. Empty if there is none.
struct recorded_result {
  intrusive_ptr<node> of;
  std::uint32_t result = 0;
};
recorded_result recorded_result_of(const tensor& t);

}  // namespace author

namespace detail {

extern constinit thread_local author::saved_result_reader this_thread_reader [[gnu::tls_model("initial-exec")]];

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
    return kept_.defined() && (grad_enabled() || detail::this_thread_reader != nullptr) ? with_history() : kept_;
  }
  inline bool defined() const noexcept { return kept_.defined(); }

 private:
  tensor with_history() const;
  tensor kept_;
  std::uint32_t version_ = 0, of_ = 0;
};

}  // namespace topbit
