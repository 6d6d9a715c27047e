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

std::size_t node::argument_of(std::size_t input) const noexcept { return input; }

namespace detail {

void drop_node(node* n) noexcept {
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

void raise_wrong_gradient(const node& n, std::size_t input, const tensor& found) {
  const node::target& wanted = *n.inputs()[input]->target_;
  const bool moved = found.device() != wanted.where;
  const auto describe = [&](dtype type, const dims& sizes, device where) {
    return std::string(name_of(type)) + " " + to_string(sizes) + (moved ? " on " + to_string(where) : std::string());
  };
  throw error(std::string(n.name()) + ": its gradient rule gave " +
                  describe(found.dtype(), found.sizes(), found.device()) + " for argument " +
                  std::to_string(n.argument_of(input) + 1) + ", wanted " +
                  describe(wanted.type, wanted.sizes, wanted.where),
              std::string(n.name()));
}

}  // namespace detail

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
