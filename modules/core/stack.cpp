module topbit.core;

import topbit.std;

namespace topbit {

void stack::grow() {
  const std::size_t capacity = capacity_ < 4 ? 8 : capacity_ * 2;
  auto* bigger = static_cast<value*>(::operator new(capacity * sizeof(value)));
  for (std::size_t i = 0; i < size_; ++i) {
    ::new (static_cast<void*>(bigger + i)) value(std::move(data_[i]));
    std::destroy_at(data_ + i);
  }
  ::operator delete(std::exchange(heap_, bigger));
  data_ = bigger;
  capacity_ = capacity;
}

}  // namespace topbit
