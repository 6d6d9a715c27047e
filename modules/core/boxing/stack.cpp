module topbit.core;

import topbit.std;

namespace topbit {

void boxed_stack::drop_all() noexcept { drop(size()); }

void boxed_stack::push_beyond(value v) {
  const std::size_t used = size(), capacity = used < 4 ? 8 : used * 2;
  auto* bigger = static_cast<value*>(::operator new(capacity * sizeof(value)));
  for (std::size_t i = 0; i < used; ++i) {
    std::construct_at(bigger + i, std::move(begin_[i]));
    std::destroy_at(begin_ + i);
  }
  if (on_heap()) ::operator delete(begin_);
  begin_ = bigger;
  end_ = bigger + used;
  limit_ = address(bigger + capacity) - 1;
  push(std::move(v));
}

}  // namespace topbit
