// Types other than tensors that take part in dispatch. Include this after every other header: it imports.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

import topbit.core;

namespace toy {

/// A value type larger than a word, so it is boxed on the heap.
struct image {
  topbit::key_set keys;
  int width = 0, height = 0;
};
constexpr topbit::key_set keys_of(const image& i) noexcept { return i.keys; }

/// A reference-counted handle of one word, so it is boxed in place.
class tensor {
 public:
  struct record {
    topbit::key_set keys;
    int count = 1;
    std::int64_t value = 0;
  };
  static inline thread_local std::int64_t references_taken = 0;

  tensor() noexcept = default;
  explicit tensor(topbit::key_set keys, std::int64_t value = 0) : record_(new record{keys, 1, value}) {}
  tensor(const tensor& other) noexcept : record_(other.record_) {
    if (record_ != nullptr) {
      ++record_->count;
      ++references_taken;
    }
  }
  tensor(tensor&& other) noexcept : record_(std::exchange(other.record_, nullptr)) {}
  tensor& operator=(tensor other) noexcept {
    std::swap(record_, other.record_);
    return *this;
  }
  ~tensor() {
    if (record_ != nullptr && --record_->count == 0) delete record_;
  }

  bool defined() const noexcept { return record_ != nullptr; }
  topbit::key_set keys() const noexcept { return record_ == nullptr ? topbit::key_set{} : record_->keys; }
  int count() const noexcept { return record_ == nullptr ? 0 : record_->count; }
  std::int64_t value() const noexcept { return record_->value; }
  void set(std::int64_t v) const noexcept { record_->value = v; }
  bool is_same(const tensor& other) const noexcept { return record_ == other.record_; }

 private:
  record* record_ = nullptr;
};
inline topbit::key_set keys_of(const tensor& t) noexcept { return t.keys(); }

/// A device argument: selects the backend of an operator without keyed arguments.
struct device {
  topbit::backend where = topbit::backend::CPU;
  friend bool operator==(const device&, const device&) = default;
};
constexpr topbit::key_set backend_keys_of(device d) noexcept {
  return topbit::dispatch_key{topbit::functionality::Dense, d.where};
}

}  // namespace toy

/// Written as the number it holds; read from text, it is on the CPU.
template <>
struct topbit::boxed_type<toy::tensor> {
  static constexpr bool one_word = true;
  static toy::tensor read(topbit::author::text_reader& in) { return toy::tensor(key::CPU, in.number<std::int64_t>()); }
  static void write(std::string& out, const toy::tensor& t) {
    topbit::author::write_text(out, t.defined() ? t.value() : 0);
  }
};
template <>
struct topbit::schema_type<"Tensor"> {
  using value = toy::tensor;
  using argument = const toy::tensor&;
};
template <>
struct topbit::schema_type<"Device"> {
  using value = toy::device;
  using argument = toy::device;
};
