// User-defined functions within vmap: forward() and backward() see one example, the graph is one of the tensors with
// all examples.
module topbit.transform;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.ops;
import :places;

namespace topbit::detail {

namespace {

void sort_from_innermost(std::vector<batch_level>& levels) {
  std::ranges::sort(levels, [](const batch_level& a, const batch_level& b) { return a.number > b.number; });
}

// While it lives these levels run on this thread again, beside those that run.
class levels_again {
 public:
  explicit levels_again(std::span<const batch_level> levels)
      : all_(levels.begin(), levels.end()), before_(this_thread_level), mode_(within_vmap()) {
    for (batch_level& l : all_) l.stream_depth = author::random_stream::depth();
    for (const batch_level* l = this_thread_level; l != nullptr; l = l->outer) {
      std::erase_if(all_, [&](const batch_level& again) { return again.number == l->number; });
      all_.push_back(*l);
    }
    sort_from_innermost(all_);
    for (std::size_t i = 0; i < all_.size(); ++i) all_[i].outer = i + 1 < all_.size() ? &all_[i + 1] : nullptr;
    this_thread_level = all_.data();
    birth_before_ = author::set_birth_number(birth_of(all_.front()));
  }
  levels_again(const levels_again&) = delete;
  levels_again& operator=(const levels_again&) = delete;
  ~levels_again() {
    this_thread_level = before_;
    author::set_birth_number(birth_before_);
  }

 private:
  static thread_key_state within_vmap() noexcept {
    thread_key_state keys = current_thread_keys();
    keys.include = keys.include | key_set(key::FuncTorchVmapMode);
    keys.exclude = keys.exclude - key_set(key::FuncTorchVmapMode);
    return keys;
  }
  std::vector<batch_level> all_;  // from the innermost outwards
  const batch_level* before_;
  force_guard mode_;
  std::uint32_t birth_before_ = 0;
};

bool is_batched_within(const tensor& x, const batch_level& l) noexcept {
  const batched_tensor* b = batched_of(x);
  while (b != nullptr && b->level != l.number) b = batched_of(b->wrapped);
  return b != nullptr;
}

// The gradient of an argument of these sizes, summed where backward() left it as broadcasting had it.
tensor of_example(const tensor& gradient, const shape& sizes) {
  if (gradient.sizes() == sizes || gradient.dim() < static_cast<std::int64_t>(sizes.size())) return gradient;
  const std::size_t added = gradient.sizes().size() - sizes.size();
  std::vector<std::int64_t> over;
  for (std::size_t d = 0; d < gradient.sizes().size(); ++d) {
    if (d < added || (sizes[d - added] == 1 && gradient.sizes()[d] != 1)) over.push_back(static_cast<std::int64_t>(d));
  }
  return over.empty() ? gradient : aten::reshape(aten::sum_dim_IntList(gradient, over, true), sizes);
}

class batched_function final : public author::function_view {
 public:
  // Replaces batched arguments by the tensors with all examples.
  explicit batched_function(std::span<tensor> arguments) {
    std::vector<batch_places> found(arguments.size());
    sizes_.resize(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (!arguments[i].defined()) continue;
      sizes_[i] = arguments[i].sizes();
      arguments[i] = plain(arguments[i], found[i]);
      for (const auto& [level, dim] : found[i].all) {
        if (std::ranges::find(levels_, level->number, &batch_level::number) == levels_.end()) levels_.push_back(*level);
      }
    }
    sort_from_innermost(levels_);
    for (batch_level& l : levels_) {
      l.outer = nullptr;
      l.place = {};
    }
    for (const batch_level& l : levels_) all_first_.all.emplace_back(&l, 0);
    for (batch_places& places : found) {
      for (auto& [level, dim] : places.all) level = &*std::ranges::find(levels_, level->number, &batch_level::number);
      arguments_.push_back(std::move(places));
    }
  }

  tensor argument(std::size_t i, const tensor& below) const override { return wrapped_at(below, arguments_[i]); }
  tensor gradient(std::size_t i, const tensor& seen) const override {
    tensor sum = of_example(seen, sizes_[i]);
    for (const batch_level& l : levels_) {
      if (std::ranges::find(arguments_[i].all, &l, &place::first) != arguments_[i].all.end()) continue;
      // What all examples share has the gradients of all.
      if (!is_batched_within(sum, l))
        sum = aten::mul_Scalar(sum, l.size);
      else
        sum = aten::sum_dim_IntList(unwrapped_at(sum, batch_places{{{&l, 0}}}), std::array<std::int64_t, 1>{0});
    }
    return unwrapped_at(sum, arguments_[i]);
  }
  tensor seen(const tensor& below) const override { return wrapped_at(below, all_first_); }
  tensor below(const tensor& seen) const override {
    tensor x = unwrapped_at(seen, all_first_);
    if (batched_of(x) == nullptr) return x;
    throw error(
        "apply: forward() returned, or saved, a tensor that is batched by a vmap of which none of its arguments is; "
        "give it that tensor as an argument, or one that per_example() made");
  }
  void run(const std::function<void()>& backward) const override {
    const levels_again within(levels_);
    backward();
  }

 private:
  using place = decltype(batch_places::all)::value_type;
  std::vector<batch_level> levels_;  // that arguments are batched at, from the innermost outwards
  batch_places all_first_;
  std::vector<batch_places> arguments_;
  std::vector<shape> sizes_;  // of the arguments of one example
};

}  // namespace

bool register_functions() {
  author::set_function_viewer(functionality::FuncTorchBatched, [](std::span<tensor> arguments) {
    return std::shared_ptr<const author::function_view>(std::make_shared<batched_function>(arguments));
  });
  return true;
}

}  // namespace topbit::detail
