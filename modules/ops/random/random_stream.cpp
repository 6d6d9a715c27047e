module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

namespace detail {

constinit thread_local const author::random_stream* this_thread_stream [[gnu::tls_model("initial-exec")]] = nullptr;

author::random_position new_position(device target, generator& source, std::uint64_t count) {
  if (const auto recorded = author::random_recorder::ask(target, source, count))
    return {recorded->state, 0, recorded->offset};
  const philox_state state = source.take(count);
  return {nullptr, state.seed, state.offset};
}

}  // namespace detail

namespace author {

void random_positions::restart() noexcept {
  next_ = 0;
  // No call draws no numbers, so none finds these.
  for (draw& d : draws_) {
    if (d.at.state != nullptr) d.count = 0;
  }
}

const random_position* random_positions::known(const generator& source, std::uint64_t count) const noexcept {
  if (next_ >= draws_.size()) return nullptr;
  const draw& d = draws_[next_];
  return d.count == count && d.source == source ? &d.at : nullptr;
}

void random_positions::add(const generator& source, std::uint64_t count, const random_position& at) {
  draw made{source, count, at};
  if (next_ < draws_.size())
    draws_[next_] = std::move(made);
  else
    draws_.push_back(std::move(made));
}

random_stream::random_stream(random_positions& shared, std::optional<std::int64_t> example, std::size_t outside)
    : shared_(shared), around_(topbit::detail::this_thread_stream) {
  std::span<const std::int64_t> before;
  if (around_ != nullptr) before = around_->examples_;
  const std::size_t place = std::min(outside, before.size());
  for (const std::int64_t b : before.first(place)) examples_.push_back(b);
  if (example) examples_.push_back(*example);
  for (const std::int64_t b : before.subspan(place)) examples_.push_back(b);
  for (const std::int64_t b : examples_) subsequence_ = subsequence_of_example(subsequence_, b);
  topbit::detail::this_thread_stream = this;
}

random_stream::~random_stream() { topbit::detail::this_thread_stream = around_; }

std::size_t random_stream::depth() noexcept {
  const random_stream* const innermost = topbit::detail::this_thread_stream;
  return innermost == nullptr ? 0 : innermost->examples_.size();
}

random_position random_stream::next(device target, generator& source, std::uint64_t count) const {
  random_position at;
  if (const random_position* const known = shared_.known(source, count)) {
    at = *known;
  } else {
    at =
        around_ != nullptr ? around_->next(target, source, count) : topbit::detail::new_position(target, source, count);
    shared_.add(source, count, at);
  }
  ++shared_.next_;
  return at;
}

}  // namespace author

}  // namespace topbit
