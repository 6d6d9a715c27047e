module topbit.autograd;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

node::~node() = default;

void node::connect(std::vector<intrusive_ptr<node>> inputs) noexcept {
  inputs_ = std::move(inputs);
  depth_ = 0;
  for (const auto& input : inputs_) {
    if (input) depth_ = std::max(depth_, input->depth_ + 1);
  }
}

void add_reference(node* n) noexcept { n->references_.fetch_add(1, std::memory_order_relaxed); }

void drop_reference(node* n) noexcept {
  if (n->references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  // The inputs of a dying node wait here instead of dying inside its destructor.
  static constinit thread_local std::vector<intrusive_ptr<node>>* waiting = nullptr;
  std::vector<intrusive_ptr<node>> queue;
  const bool outermost = waiting == nullptr;
  if (outermost) waiting = &queue;
  for (auto& input : n->inputs_) {
    if (input) waiting->push_back(std::move(input));
  }
  delete n;
  if (!outermost) return;
  while (!queue.empty()) {
    const intrusive_ptr<node> next = std::move(queue.back());
    queue.pop_back();
  }
  waiting = nullptr;
}

saved_tensor::saved_tensor(const tensor& t) : kept_(t), version_(t.version()) {}

const tensor& saved_tensor::get(std::string_view op) const {
  if (kept_.version() != version_) {
    throw error(std::string(op) + ": a tensor saved for backward, " + std::string(name_of(kept_.dtype())) + " " +
                    to_string(kept_.sizes()) + ", was written in place: found version " +
                    std::to_string(kept_.version()) + ", wanted " + std::to_string(version_) +
                    "; write to a clone instead",
                std::string(op));
  }
  return kept_;
}

}  // namespace topbit
