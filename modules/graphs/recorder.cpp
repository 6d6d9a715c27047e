module topbit.graphs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.training;
import :recording;

namespace topbit {

namespace graphs {

namespace {

constinit thread_local thread_recording mine [[gnu::tls_model("initial-exec")]];

// The gradient rule that runs, as the number of the node it belongs to.
class phase_watch {
 public:
  explicit phase_watch(recording* of) : of_(of) {}

  std::uint64_t begin(const observe::event& e) {
    const std::uint64_t before = static_cast<std::uint64_t>(mine.phase) << 32 | mine.forward;
    if (mine.to != of_) return before;
    if (e.kind() == observe::kind::backward) {
      mine.phase = phase::backward;
      mine.forward = of_->node_of_gradient(e.about());
    } else if (e.kind() == observe::kind::optimizer) {
      mine.phase = phase::update;
      mine.forward = nothing;
    }
    return before;
  }
  void end(const observe::event&, std::uint64_t before) noexcept {
    mine.phase = static_cast<phase>(before >> 32);
    mine.forward = static_cast<number>(before);
  }

 private:
  recording* of_;
};

}  // namespace

thread_recording& this_thread_recording() noexcept { return mine; }

// What a thread records in, for another one, or for itself later.
std::shared_ptr<const void> handed_recording::of_this_thread() {
  if (mine.to == nullptr) return nullptr;
  std::shared_ptr<recording> of = mine.to->share();
  if (of == nullptr) return nullptr;
  return std::make_shared<const handed_recording>(std::move(of), mine.inside, &mine);
}
void handed_recording::install(const void* state) noexcept {
  const auto* const handed = static_cast<const handed_recording*>(state);
  if (handed == nullptr) {
    mine.to = nullptr;
  } else if (!handed->inside_ || handed->from_ == &mine) {
    mine.to = handed->of_.get();
  } else {  // inside a call, which would wait for this thread, while this thread waits for the call
    mine.to = nullptr;
  }
}

namespace {

// Of a recorder that ends on another thread, by mistake: its own keeps its key, and refers to the recording, for good.
void leave_behind(std::shared_ptr<recording> of, std::unique_ptr<include_guard> key) {
  struct left {
    std::shared_ptr<recording> of;
    std::unique_ptr<include_guard> key;
  };
  static std::mutex& mutex = author::hold_at_fork(*new std::mutex, author::fork_order::leaf);
  static std::vector<left>& all = *new std::vector<left>;
  const std::lock_guard lock(mutex);
  all.push_back({std::move(of), std::move(key)});
}

}  // namespace

// While it lives, this thread records.
struct recorder::scope {
  explicit scope(std::shared_ptr<recording> to)
      : of(std::move(to)),
        key(std::make_unique<include_guard>(key::Tracer)),
        ranges(phase_watch(of.get()), {.threads = observe::threads::all, .calls = false, .ranges = true}),
        keys(current_thread_keys()) {
    mine = {.to = of.get()};
    of->begin(of);
  }
  scope(const scope&) = delete;
  ~scope() {
    of->stop();
    if (is_here()) {
      mine = {.inside = mine.inside};
    } else {
      leave_behind(of, std::move(key));
    }
  }
  bool is_here() const noexcept { return mine.to == of.get(); }

  const std::shared_ptr<recording> of;
  std::unique_ptr<include_guard> key;
  observe::observer ranges;
  const thread_key_state keys;
};

recorder::recorder(recorder_options options) {
  if (mine.to != nullptr && mine.to->share() != nullptr)
    refuse_recording("found a recording of this thread, wanted one at a time; finish() the other first");
  scope_ = std::make_unique<scope>(std::make_shared<recording>(std::move(options)));
}
recorder::~recorder() = default;

std::size_t recorder::nodes() const noexcept { return scope_ ? scope_->of->nodes() : 0; }
std::size_t recorder::threw() const noexcept { return scope_ ? scope_->of->threw() : 0; }

graph recorder::finish(std::vector<named_tensor> outputs) {
  if (!scope_) refuse_recording("finish() was called already");
  if (!scope_->is_here()) refuse_recording("finish() was called on another thread than that of the recorder");
  if (mine.inside) refuse_recording("finish() was called inside a call that is recorded");
  const thread_key_state now = current_thread_keys();
  if (now.include != scope_->keys.include || now.exclude != scope_->keys.exclude) {
    refuse_recording(
        "finish() was called in the scope of a guard, such as no_grad, that began after the recorder; call it after "
        "that scope");
  }
  const std::unique_ptr<scope> ended = std::move(scope_);
  return ended->of->finish(std::move(outputs));
}

}  // namespace graphs

namespace detail {

namespace {

struct record_call {
  static constexpr author::kernel_note note{"records the call"};
  void operator()(const operator_handle& op, key_set keys, boxed_stack& stack) const {
    const key_set below = keys.below_highest();
    graphs::recording* const to = graphs::this_thread_recording().to;
    if (to == nullptr) return op.redispatch_boxed(below, stack);
    to->call(op, below, stack);
  }
};

}  // namespace

bool register_recorder() {
  fallback<record_call{}>(key::Tracer).keep();
  // A task with the layers of a thread that records is recorded too.
  author::add_layer_state({.key = key::Tracer,
                           .current = &graphs::handed_recording::of_this_thread,
                           .install = &graphs::handed_recording::install,
                           .in_backward = false});
  return true;
}

}  // namespace detail

}  // namespace topbit
