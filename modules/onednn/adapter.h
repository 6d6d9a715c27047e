// oneDNN behind library.h: formats, arrays, and a cache of primitives. For the sources that include oneDNN's headers.
//
// The one file that knows both interfaces: 2.x, where a primitive is made from an operation descriptor, and 3.x, which
// has none and takes scales as arguments of a call.
#pragma once

#include <array>
#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>
#include <span>
#include <stdexcept>
#include <vector>

#include "library.h"

namespace topbit::onednn::library {

namespace adapter {

using dnnl::algorithm, dnnl::memory, dnnl::prop_kind;
using desc = memory::desc;
using dims = memory::dims;

dnnl::engine& cpu();
dnnl::stream& queue();
const host& from_host() noexcept;

// Of a call with so many operations on elements: oneDNN's threads, whose number is a setting of each calling thread. It
// would use all of them for any call, which costs a small one more than it takes.
class thread_scope {
 public:
  explicit thread_scope(std::int64_t work);
  thread_scope(const thread_scope&) = delete;
  thread_scope& operator=(const thread_scope&) = delete;
  ~thread_scope();
  int threads() const noexcept { return wanted_; }

 private:
  int wanted_ = 1, before_ = 1;
};

inline memory::data_type type_of(element e) noexcept {
  constexpr std::array types{memory::data_type::f32, memory::data_type::bf16, memory::data_type::s8,
                             memory::data_type::u8};
  return types[static_cast<std::size_t>(e)];
}
inline bool is_integer(element e) noexcept { return e == element::s8 || e == element::u8; }
inline dims dims_of(const sizes& s) { return {s.of, s.of + s.count}; }
inline desc any_format(element e, const sizes& s) { return {dims_of(s), type_of(e), memory::format_tag::any}; }
desc row_major(element e, const sizes& s);

std::int64_t elements_of(const sizes& s) noexcept;

inline std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) noexcept {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
  return hash ^ hash >> 29;
}
std::uint64_t hash_of(element e, const sizes& s) noexcept;

// A memory descriptor, with what calls ask of it.
struct format {
  format(const desc& of, element e, const sizes& s);
  desc d;
  element type;
  sizes shape;
  std::size_t bytes;
  bool is_row_major;
  std::uint64_t hash;  // of type and sizes
};
using format_ptr = std::shared_ptr<const format>;

inline bool same(const format_ptr& a, const format_ptr& b) {
  return a == b || (a && b && a->hash == b->hash && a->type == b->type && a->shape == b->shape && a->d == b->d);
}
format_ptr format_from(const desc& d, element e);
// Those that a thread used last are kept: making one costs more than a small call.
format_ptr row_major_format(element e, const sizes& s);
// What a primitive wants, null where it is what was given.
inline format_ptr wanted(const desc& by_primitive, const format_ptr& given) {
  return by_primitive == given->d ? nullptr : format_from(by_primitive, given->type);
}

// One of the library's own errors as a standard one.
template <class F>
decltype(auto) translated(F f) {
  try {
    return f();
  } catch (const dnnl::error& e) {
    if (e.status == dnnl_out_of_memory) throw std::bad_alloc();
    throw std::runtime_error("oneDNN: " + std::string(e.what()));
  }
}

enum class operation : std::uint8_t {
  reorder,
  elementwise,
  combine,
  convolve,
  linear,
  matmul,
  pool,
  normalise,
  softmax,
  concatenate
};

// What a primitive depends on. The number of threads is part of it: oneDNN divides the work when it makes one.
struct key {
  operation op{};
  int threads = 0;
  std::array<std::int64_t, 16> numbers{};
  std::array<format_ptr, 4> operands{};

  std::uint64_t hash() const noexcept;
  bool equals(const key& other) const;
};

// A primitive, or none where oneDNN has none; what it wants of its operands, and its result.
struct entry {
  dnnl::primitive run;
  std::array<format_ptr, 4> wanted;  // null: as it is
  format_ptr result;
  // Its memory is that of a call: entries belong to a thread.
  memory scratch;
  std::size_t scratch_bytes = 0;

  template <class Description>
  void use_scratch(const Description& d) {
    const desc wanted_scratch = d.scratchpad_desc();
    scratch_bytes = wanted_scratch.get_size();
    if (scratch_bytes != 0) scratch = memory(wanted_scratch, cpu(), nullptr);
  }
};
using entry_ptr = std::shared_ptr<const entry>;

// Four entries for each of 64 hash values; the one that was made first makes room.
class primitive_cache {
 public:
  template <class Make>
  entry_ptr find(key&& k, Make make) {
    const std::size_t row = (k.hash() & 63U) * 4;
    if (entry_ptr found = look_up(row, k)) return found;
    auto made = std::make_shared<entry>();
    try {
      make(*made);
    } catch (const dnnl::error& e) {
      if (e.status != dnnl_unimplemented) throw;
      *made = {};
    }
    keep(row, std::move(k), made);
    return made;
  }
  const cache_statistics& statistics() const noexcept { return statistics_; }

 private:
  struct slot {
    key k;
    entry_ptr made;
    std::uint64_t born = 0;
  };
  entry_ptr look_up(std::size_t row, const key& k);
  void keep(std::size_t row, key&& k, entry_ptr made);

  std::vector<slot> slots_{cache_capacity};
  std::uint64_t clock_ = 0;
  cache_statistics statistics_;
};
primitive_cache& primitives();

struct argument {
  int name;
  const memory* value;
};
void execute(const entry& e, std::span<const argument> arguments);

array_ptr make_array(format_ptr f);
void reorder_in(const thread_scope& scope, const array& from, const array& to);

inline dnnl::primitive_attr own_scratch() {
  dnnl::primitive_attr a;
  a.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return a;
}

#if DNNL_VERSION_MAJOR < 3
template <class Primitive, class... A>
typename Primitive::primitive_desc described(const dnnl::primitive_attr& attr, const A&... a) {
  return {typename Primitive::desc(a...), attr, cpu()};
}
using pooling = dnnl::pooling_v2_forward;
using softmax = dnnl::softmax_v2_forward;
#else
template <class Primitive, class... A>
typename Primitive::primitive_desc described(const dnnl::primitive_attr& attr, const A&... a) {
  return {cpu(), a..., attr};
}
using pooling = dnnl::pooling_forward;
using softmax = dnnl::softmax_forward;
#endif

}  // namespace adapter

// Elements in a format of oneDNN's.
class array {
 public:
  array(adapter::format_ptr f, void* data, bool owner);
  array(const array&) = delete;
  array& operator=(const array&) = delete;
  ~array();

  const adapter::format_ptr form;
  void* const bytes;
  const bool owns;
  const dnnl::memory m;
};

namespace adapter {

// An operand as a primitive wants it: the array itself, or a copy in the wanted format.
class fitting {
 public:
  fitting(const thread_scope& scope, const array& a, const format_ptr& wanted) : used_(&a) {
    if (!wanted || same(a.form, wanted)) return;
    copy_ = make_array(wanted);
    reorder_in(scope, a, *copy_);
    used_ = copy_.get();
  }
  const memory* get() const noexcept { return &used_->m; }

 private:
  array_ptr copy_;
  const array* used_;
};

}  // namespace adapter

}  // namespace topbit::onednn::library
