// Common code of the kernel tests: backend kernel tables, guarded memory, and naive models.
//
// A test body is instantiated for each CPU table and for CUDA; tables that this machine or build lacks are skipped.
// Operands lie next to inaccessible pages and guard bytes. Models are plain loops in the widest type, independent of
// the kernels.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "cuda_abi.h"
#include "kernel_abi.h"

namespace kernel_tests {

// One type per table; its name ends the test's name.
struct scalar {
  static constexpr const char* isa = "scalar";
};
struct sse2 {
  static constexpr const char* isa = "sse2";
};
struct avx2 {
  static constexpr const char* isa = "avx2";
};
struct avx512 {
  static constexpr const char* isa = "avx512";
};
struct cuda {};

// A macro, since Catch2 puts a type's name in the test's name only if the types are listed one by one.
#define EVERY_TABLE scalar, sse2, avx2, avx512, cuda

struct backend {
  const tb_kernels* kernels;
  const tb_memory* memory;  // null for the host
};

template <typename Table>
backend need() {
  if constexpr (std::is_same_v<Table, cuda>) {
    if (tb_cuda_memory()->device_count() == 0) SKIP("no CUDA device");
    return {tb_cuda_kernels(), tb_cuda_memory()};
  } else {
    const tb_kernels* table = tb_cpu_kernels_for(Table::isa);
    if (table == nullptr) SKIP("no " << Table::isa << " table on this processor or in this build");
    return {table, nullptr};
  }
}

// As need(), for a test of one entry, which a table may lack.
template <typename Table, typename Kernel>
backend need(Kernel tb_kernels::* entry) {
  const backend here = need<Table>();
  if (here.kernels->*entry == nullptr) SKIP("no such kernel in the table " << here.kernels->name);
  return here;
}

// Sets the number of threads for a scope.
struct with_threads {
  const std::int32_t before = tb_cpu_threads();
  explicit with_threads(std::int32_t count) { tb_cpu_set_threads(count); }
  ~with_threads() { tb_cpu_set_threads(before); }
};

using byte = std::uint8_t;  // a BOOL element

template <typename T>
constexpr std::int32_t dtype_of = std::is_same_v<T, byte>           ? TB_BOOL
                                  : std::is_same_v<T, std::int64_t> ? TB_I64
                                  : std::is_same_v<T, float>        ? TB_F32
                                                                    : TB_F64;

inline const std::vector<std::int64_t> awkward_sizes = {0,  1,  2,  3,  7,  8,  9,   15,  16,  17,
                                                        31, 32, 33, 63, 64, 65, 127, 128, 129, 1000};

// Memory of one operand, adjacent to an inaccessible page at its end or, for every second operand, at its start. The
// rest of its pages is filled with a pattern; a copy on a device has the pattern on both sides.
class block {
 public:
  static constexpr unsigned char pattern = 0xA5;
  static constexpr std::size_t device_guard = 256;

  block(std::size_t bytes, bool at_end, const tb_memory* memory) : bytes_(bytes), memory_(memory) {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    inner_ = (bytes + page) / page * page;
    whole_ = inner_ + 2 * page;
    void* mapped = mmap(nullptr, whole_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(mapped != MAP_FAILED);
    map_ = static_cast<unsigned char*>(mapped);
    first_ = map_ + page;
    REQUIRE(mprotect(first_, inner_, PROT_READ | PROT_WRITE) == 0);
    std::memset(first_, pattern, inner_);
    data_ = at_end ? first_ + inner_ - bytes : first_;
    if (memory_ != nullptr) REQUIRE(memory_->allocate(0, bytes + 2 * device_guard, &device_) == TB_OK);
  }
  block(const block&) = delete;
  block& operator=(const block&) = delete;
  ~block() {
    munmap(map_, whole_);
    if (device_ != nullptr) memory_->release(0, device_);
  }

  void* host() const { return data_; }
  void* seen_by_kernel() const {
    return memory_ == nullptr ? data_ : static_cast<unsigned char*>(device_) + device_guard;
  }

  void push() const {
    if (memory_ == nullptr) return;
    std::vector<unsigned char> image(bytes_ + 2 * device_guard, pattern);
    std::memcpy(image.data() + device_guard, data_, bytes_);
    REQUIRE(memory_->copy_in(0, device_, image.data(), image.size()) == TB_OK);
  }
  // Copies results to the host; true if all guard bytes are unchanged.
  bool pull() {
    const auto clean = [](const unsigned char* from, const unsigned char* to) {
      return std::all_of(from, to, [](unsigned char c) { return c == pattern; });
    };
    if (memory_ != nullptr) {
      std::vector<unsigned char> image(bytes_ + 2 * device_guard);
      REQUIRE(memory_->copy_out(0, image.data(), device_, image.size()) == TB_OK);
      std::memcpy(data_, image.data() + device_guard, bytes_);
      const unsigned char* after = image.data() + device_guard + bytes_;
      if (!clean(image.data(), image.data() + device_guard) || !clean(after, after + device_guard)) return false;
    }
    return clean(first_, data_) && clean(data_ + bytes_, first_ + inner_);
  }

 private:
  std::size_t bytes_;
  const tb_memory* memory_;
  std::size_t inner_ = 0;
  std::size_t whole_ = 0;
  unsigned char* map_ = nullptr;
  unsigned char* first_ = nullptr;
  unsigned char* data_ = nullptr;
  void* device_ = nullptr;
};

template <typename T>
class array {
 public:
  array() = default;
  array(std::shared_ptr<block> memory, std::int64_t size) : memory_(std::move(memory)), size_(size) {}

  std::int64_t size() const { return size_; }
  T* begin() const { return static_cast<T*>(memory_->host()) + first_; }
  T* end() const { return begin() + size_; }
  T& operator[](std::int64_t i) const { return begin()[i]; }
  T* seen_by_kernel() const { return static_cast<T*>(memory_->seen_by_kernel()) + first_; }
  // The same memory without the first elements.
  array from(std::int64_t first) const {
    array rest(memory_, size_ - first);
    rest.first_ = first_ + first;
    return rest;
  }

 private:
  std::shared_ptr<block> memory_;
  std::int64_t first_ = 0;
  std::int64_t size_ = 0;
};

// Makes operands and runs a kernel on them.
class stage {
 public:
  explicit stage(backend here) : here_(here) {}

  template <typename T>
  array<T> make(std::int64_t count) {
    const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
    blocks_.push_back(std::make_shared<block>(bytes, blocks_.size() % 2 == 0, here_.memory));
    return {blocks_.back(), count};
  }

  // An error reported by a device kernel becomes the status of the call.
  tb_status run(const std::function<tb_status(const tb_kernels&)>& launch) {
    for (const auto& one : blocks_) one->push();
    tb_status status = launch(*here_.kernels);
    if (here_.memory != nullptr) {
      REQUIRE(here_.memory->synchronize(0) == TB_OK);
      tb_cuda_report report;
      tb_cuda_runtime_functions()->take_report(0, &report);
      reported_ = report.value;
      if (status == TB_OK) status = static_cast<tb_status>(report.status);
    }
    bool untouched = true;
    for (const auto& one : blocks_) untouched = one->pull() && untouched;
    CHECK(untouched);
    return status;
  }

  // The rejected index: reported by the device, or written by the CPU kernel to `told`.
  std::int64_t refused(std::int64_t told) const { return here_.memory != nullptr ? reported_ : told; }

 private:
  backend here_;
  std::int64_t reported_ = 0;
  std::vector<std::shared_ptr<block>> blocks_;
};

// A generator with the same sequence on every platform, unlike the standard distributions.
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed * 2862933555777941757u + 3037000493u) {}

  std::uint64_t bits() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) ^ (state_ << 31);
  }
  double between(double low, double high) { return low + (high - low) * (double(bits() >> 11) * 0x1p-53); }

 private:
  std::uint64_t state_;
};

// Random values mixed with edge values of the type.
template <typename T>
T sample(random_numbers& random) {
  if constexpr (std::is_same_v<T, byte>) {
    return byte(random.bits() >> 7 & 1);
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    const std::int64_t corners[] = {0, 1, -1, INT64_MIN, INT64_MAX, INT64_C(1) << 40};
    const std::uint64_t pick = random.bits() >> 5 & 15;
    return pick < 6 ? corners[pick] : std::int64_t(random.between(-1e6, 1e6));
  } else {
    using limits = std::numeric_limits<T>;
    const T corners[] = {T(0), T(-0.0), limits::infinity(), -limits::infinity(), limits::quiet_NaN(), T(1)};
    const std::uint64_t pick = random.bits() >> 5 & 31;
    return pick < 6 ? corners[pick] : T(random.between(-8, 8));
  }
}

template <typename T>
void fill_with_samples(const array<T>& values, std::uint64_t seed) {
  random_numbers random(seed);
  for (T& x : values) x = sample<T>(random);
}

template <typename T>
void fill_between(const array<T>& values, std::uint64_t seed, double low, double high) {
  random_numbers random(seed);
  for (T& x : values) x = T(random.between(low, high));
}

// The expected value of an element, within `slack`; without slack exactly, including the sign of zero.
template <typename T>
struct expected {
  std::conditional_t<std::is_floating_point_v<T>, long double, T> value;
  long double slack = 0;
};

template <typename T>
bool meets(T got, expected<T> want) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(want.value)) return std::isnan(got);
    const T nearest = T(want.value);
    if (got == nearest) return want.slack > 0 || std::signbit(got) == std::signbit(nearest);
    return std::fabs(static_cast<long double>(got) - want.value) <= want.slack;
  } else {
    return got == want.value;
  }
}

// `count` units in the last place at a magnitude.
template <typename T>
long double ulps(double count, long double magnitude) {
  return count * std::numeric_limits<T>::epsilon() * std::fabs(magnitude) + std::numeric_limits<T>::denorm_min();
}

// Collects mismatches; text() is empty if there are none, and is compared with "" by the check.
template <typename T>
class differences {
 public:
  void add(std::int64_t position, T got, expected<T> want) {
    if (meets(got, want)) return;
    if (count_++ == 0) {
      text_.precision(17);
      text_ << "at " << position << ": got " << +got << ", wanted " << +want.value << " within " << want.slack;
    }
  }
  std::string text() const {
    return count_ < 2 ? text_.str() : text_.str() + " (and " + std::to_string(count_ - 1) + " more)";
  }

 private:
  std::ostringstream text_;
  std::int64_t count_ = 0;
};

}  // namespace kernel_tests
