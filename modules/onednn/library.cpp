// Arrays in oneDNN's formats, conversions between them, threads, and the cache of primitives.
#include "library.h"

#include <dlfcn.h>

#include <algorithm>
#include <new>

#include "adapter.h"

namespace topbit::onednn::library {

using namespace adapter;

namespace {

host used{[](std::size_t bytes) { return ::operator new(bytes, std::align_val_t{64}); },
          [](void* p, std::size_t) noexcept { ::operator delete(p, std::align_val_t{64}); }, [] { return 1; }};

// Found at run time: an oneDNN that was built for other threads has none to set.
struct openmp {
  void (*set_threads)(int) = nullptr;
  int (*most_threads)() = nullptr;
};
const openmp& omp() noexcept {
  static const openmp found = [] {
    openmp f;
    if (dnnl_version()->cpu_runtime != DNNL_RUNTIME_OMP) return f;
    f.set_threads = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
    f.most_threads = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
    return f.set_threads != nullptr && f.most_threads != nullptr ? f : openmp{};
  }();
  return found;
}

std::size_t allocated(const format& f) noexcept { return std::max<std::size_t>(f.bytes, 1); }

}  // namespace

namespace adapter {

const host& from_host() noexcept { return used; }

dnnl::engine& cpu() {
  static dnnl::engine e(dnnl::engine::kind::cpu, 0);
  return e;
}
dnnl::stream& queue() {
  thread_local dnnl::stream s(cpu());
  return s;
}

std::int64_t elements_of(const sizes& s) noexcept {
  std::int64_t n = 1;
  for (int i = 0; i < s.count; ++i) n *= s.of[i];
  return n;
}

thread_scope::thread_scope(std::int64_t work) {
  constexpr std::int64_t least = 32768;  // for each thread, as of topbit's own kernels
  const std::int64_t useful = std::max<std::int64_t>(work / least, 1);
  wanted_ = useful == 1 ? 1 : static_cast<int>(std::min<std::int64_t>(used.threads(), useful));
  if (omp().set_threads == nullptr) return;
  before_ = omp().most_threads();
  if (before_ != wanted_) omp().set_threads(wanted_);
}
thread_scope::~thread_scope() {
  if (omp().set_threads != nullptr && before_ != wanted_) omp().set_threads(before_);
}

desc row_major(element e, const sizes& s) {
  dims strides(static_cast<std::size_t>(s.count), 1);
  for (int i = s.count - 2; i >= 0; --i) {
    const auto d = static_cast<std::size_t>(i);
    strides[d] = strides[d + 1] * std::max<std::int64_t>(s.of[i + 1], 1);
  }
  return {dims_of(s), type_of(e), strides};
}

std::uint64_t hash_of(element e, const sizes& s) noexcept {
  std::uint64_t hash = mixed(static_cast<std::uint64_t>(e), static_cast<std::uint64_t>(s.count));
  for (int i = 0; i < s.count; ++i) hash = mixed(hash, static_cast<std::uint64_t>(s.of[i]));
  return hash;
}

format::format(const desc& of, element e, const sizes& s)
    : d(of), type(e), shape(s), bytes(d.get_size()), is_row_major(d == row_major(e, s)), hash(hash_of(e, s)) {}

format_ptr format_from(const desc& d, element e) {
#if DNNL_VERSION_MAJOR < 3
  const dims of = d.dims();
#else
  const dims of = d.get_dims();
#endif
  sizes s;
  s.count = static_cast<int>(of.size());
  std::ranges::copy(of, s.of);
  return std::make_shared<const format>(d, e, s);
}

format_ptr row_major_format(element e, const sizes& s) {
  thread_local std::array<format_ptr, 64> recent;
  format_ptr& found = recent[hash_of(e, s) % recent.size()];
  if (!found || found->type != e || !(found->shape == s)) {
    found = std::make_shared<const format>(row_major(e, s), e, s);
  }
  return found;
}

std::uint64_t key::hash() const noexcept {
  std::uint64_t h = mixed(static_cast<std::uint64_t>(op), static_cast<std::uint64_t>(threads));
  for (const std::int64_t n : numbers) h = mixed(h, static_cast<std::uint64_t>(n));
  for (const format_ptr& f : operands) h = mixed(h, f ? f->hash : 0);
  return h;
}
bool key::equals(const key& other) const {
  if (op != other.op || threads != other.threads || numbers != other.numbers) return false;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!same(operands[i], other.operands[i])) return false;
  }
  return true;
}

primitive_cache& primitives() {
  thread_local primitive_cache all;
  return all;
}

entry_ptr primitive_cache::look_up(std::size_t row, const key& k) {
  for (std::size_t i = row; i < row + 4; ++i) {
    if (!slots_[i].made || !slots_[i].k.equals(k)) continue;
    ++statistics_.hits;
    return slots_[i].made;
  }
  ++statistics_.misses;
  return {};
}

void primitive_cache::keep(std::size_t row, key&& k, entry_ptr made) {
  slot& oldest = *std::ranges::min_element(std::span(slots_).subspan(row, 4), {}, &slot::born);
  if (!oldest.made) ++statistics_.entries;
  oldest = {std::move(k), std::move(made), ++clock_};
}

void execute(const entry& e, std::span<const argument> arguments) {
  std::array<dnnl_exec_arg_t, 8> few;
  std::vector<dnnl_exec_arg_t> many;
  if (arguments.size() + 1 > few.size()) many.resize(arguments.size() + 1);
  dnnl_exec_arg_t* const all = many.empty() ? few.data() : many.data();
  std::size_t count = 0;
  for (const argument& a : arguments) all[count++] = {a.name, a.value->get()};
  void* const room = e.scratch_bytes == 0 ? nullptr : used.take(e.scratch_bytes);
  if (room != nullptr) {
    e.scratch.set_data_handle(room);
    all[count++] = {DNNL_ARG_SCRATCHPAD, e.scratch.get()};
  }
  dnnl_status_t status = dnnl_primitive_execute(e.run.get(), queue().get(), static_cast<int>(count), all);
  if (status == dnnl_success) status = dnnl_stream_wait(queue().get());
  if (room != nullptr) used.give(room, e.scratch_bytes);
  if (status == dnnl_out_of_memory) throw std::bad_alloc();
  if (status != dnnl_success) throw std::runtime_error("oneDNN: a primitive failed, status " + std::to_string(status));
}

array_ptr make_array(format_ptr f) {
  const std::size_t bytes = allocated(*f);
  void* const p = used.take(bytes);
  try {
    return array_ptr(new array(std::move(f), p, true));
  } catch (...) {
    used.give(p, bytes);
    throw;
  }
}

void reorder_in(const thread_scope& scope, const array& from, const array& to) {
  if (from.form->bytes == 0) return;
  const entry_ptr e = primitives().find(
      {.op = operation::reorder, .threads = scope.threads(), .operands = {from.form, to.form, nullptr, nullptr}},
      [&](entry& made) {
        const dnnl::reorder::primitive_desc pd(cpu(), from.form->d, cpu(), to.form->d, own_scratch());
        made.run = dnnl::reorder(pd);
        made.use_scratch(pd);
      });
  if (!e->run) throw std::runtime_error("oneDNN: found no conversion from " + format_of(from) + " to " + format_of(to));
  execute(*e, std::array{argument{DNNL_ARG_FROM, &from.m}, argument{DNNL_ARG_TO, &to.m}});
}

}  // namespace adapter

array::array(format_ptr f, void* data, bool owner)
    : form(std::move(f)), bytes(data), owns(owner), m(form->d, cpu(), data) {}
array::~array() {
  if (owns) used.give(bytes, allocated(*form));
}
void array_deleter::operator()(array* a) const noexcept { delete a; }

void use(const host& h) noexcept { used = h; }

std::string version() {
  const dnnl_version_t& v = *dnnl_version();
  return std::to_string(v.major) + "." + std::to_string(v.minor) + "." + std::to_string(v.patch);
}

const sizes& sizes_of(const array& a) noexcept { return a.form->shape; }
element element_of(const array& a) noexcept { return a.form->type; }
std::size_t bytes_of(const array& a) noexcept { return a.form->bytes; }
void* data_of(const array& a) noexcept { return a.bytes; }
bool is_row_major(const array& a) noexcept { return a.form->is_row_major; }

std::string format_of(const array& a) {
#if DNNL_VERSION_MAJOR < 3
  const dnnl_memory_desc_t& d = a.form->d.data;
  if (d.format_kind != dnnl_blocked) return "opaque";
  const auto& blocking = d.format_desc.blocking;
  const dims strides(blocking.strides, blocking.strides + d.ndims),
      blocks(blocking.inner_blks, blocking.inner_blks + blocking.inner_nblks),
      of(blocking.inner_idxs, blocking.inner_idxs + blocking.inner_nblks);
#else
  const desc& d = a.form->d;
  if (d.get_format_kind() != memory::format_kind::blocked) return "opaque";
  const dims strides = d.get_strides(), blocks = d.get_inner_blks(), of = d.get_inner_idxs();
#endif
  std::vector<std::size_t> order(strides.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(
      order, [&](std::size_t x, std::size_t y) { return strides[x] != strides[y] ? strides[x] > strides[y] : x < y; });
  std::string text;
  for (const std::size_t i : order) {
    const bool blocked = std::ranges::find(of, static_cast<std::int64_t>(i)) != of.end();
    text += static_cast<char>((blocked ? 'A' : 'a') + static_cast<int>(i));
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    text += std::to_string(blocks[i]) + static_cast<char>('a' + static_cast<int>(of[i]));
  }
  return text;
}

array_ptr make(element e, const sizes& s) {
  return translated([&] { return make_array(row_major_format(e, s)); });
}
array_ptr borrow(void* data, element e, const sizes& s) {
  return translated([&] { return array_ptr(new array(row_major_format(e, s), data, false)); });
}
array_ptr copied(const array& a) {
  return translated([&] {
    array_ptr copy = make_array(a.form);
    std::memcpy(copy->bytes, a.bytes, a.form->bytes);
    return copy;
  });
}
array_ptr reshaped(const array& a, const sizes& s) {
  return translated([&] {
    array_ptr result = make_array(row_major_format(a.form->type, s));
    if (a.form->is_row_major) {
      std::memcpy(result->bytes, a.bytes, a.form->bytes);
    } else {
      reorder_in(thread_scope(elements_of(a.form->shape)), a,
                 array(row_major_format(a.form->type, a.form->shape), result->bytes, false));
    }
    return result;
  });
}
array_ptr permuted(const array& a, const int* order) {
  return translated([&] {
    // oneDNN's permutation says where each dimension goes, ours where each comes from.
    std::vector<int> goes(static_cast<std::size_t>(a.form->shape.count));
    for (int i = 0; i < a.form->shape.count; ++i) goes[static_cast<std::size_t>(order[i])] = i;
    const array view(format_from(a.form->d.permute_axes(goes), a.form->type), a.bytes, false);
    array_ptr result = make_array(row_major_format(a.form->type, view.form->shape));
    reorder_in(thread_scope(elements_of(a.form->shape)), view, *result);
    return result;
  });
}
array_ptr converted(const array& a, element e) {
  return translated([&] {
    array_ptr result = make_array(row_major_format(e, a.form->shape));
    reorder_in(thread_scope(elements_of(a.form->shape)), a, *result);
    return result;
  });
}
void reorder(const array& from, array& to) {
  translated([&] { reorder_in(thread_scope(elements_of(from.form->shape)), from, to); });
}
void fill_zero(array& a) noexcept { std::memset(a.bytes, 0, a.form->bytes); }

cache_statistics cache() noexcept { return primitives().statistics(); }

}  // namespace topbit::onednn::library
