// The host bridge: for an entry that a backend lacks, copies the elements that the entry touches to the host, calls the
// CPU's entry on the copies, and copies back what was written. It is below the operators: shapes, dtypes, overlaps,
// views and gradients are settled before a kernel is called, so none of them is decided here.
module;

#include <string.h>

#include "kernel_abi.h"

module topbit.backend;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :bridge;
import :report;

#include "operands.h"

namespace topbit::detail {

namespace {

constexpr std::size_t most_codes = 256;
static_assert(TB_ELEMENTWISE_COUNT <= most_codes && TB_ROWWISE_COUNT <= most_codes);

struct bridge {
  backend which = backend::none;
  std::string name;
  std::source_location where;
  tb_kernels own{};                                                 // entries are null where it has none
  std::array<std::array<bool, most_codes>, TB_ENTRY_COUNT> runs{};  // by entry and code
  tb_kernels complete{};
};
constinit std::array<bridge*, private_backends> bridges{};  // never freed: tables stay

// The operator whose kernel runs, which tb_kernels::calling tells.
constinit thread_local std::string_view operator_called;

constexpr std::array<std::string_view, TB_ENTRY_COUNT> entry_names{
    "copy",   "arange",  "elementwise", "reduce",   "rowwise", "matmul",    "take",
    "random", "nonzero", "pool",        "convolve", "update",  "attention", "channel_norm"};
constexpr std::array<int, TB_ENTRY_COUNT> code_counts{0,
                                                      0,
                                                      TB_ELEMENTWISE_COUNT,
                                                      TB_REDUCTION_COUNT,
                                                      TB_ROWWISE_COUNT,
                                                      0,
                                                      TB_TAKE_COUNT,
                                                      TB_RANDOM_COUNT,
                                                      0,
                                                      TB_POOL_COUNT,
                                                      0,
                                                      TB_UPDATE_COUNT,
                                                      0,
                                                      0};

template <class T>
std::size_t code_of(const T& call) noexcept {
  if constexpr (requires { call.op; }) return static_cast<std::size_t>(call.op);
  return 0;
}

// The elements of several operands on the host, those that overlap in one copy.
class host_copy {
 public:
  host_copy(device where, std::span<operand> operands) : where_(where), operands_(operands) {
    find_ranges();
    std::size_t bytes = 0;
    for (range& r : ranges()) {
      bytes += r.begin % alignment;  // as aligned as on the device
      r.at = bytes;
      bytes += r.end - r.begin;
      bytes += (alignment - bytes % alignment) % alignment;
    }
    memory_ = author::make_tensor({static_cast<std::int64_t>(bytes)}, dtype::uint8, cpu);
    static_assert(alignment <= 64, "as tensors on the CPU are aligned");
    const memory_hook& hook = memory_of(where_);
    for (const range& r : ranges()) {
      if (!r.copied_out) continue;
      hook.copy_out(where_, here(r), on_device(r), r.end - r.begin);
      bytes_out += r.end - r.begin;
    }
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const range& r = ranges_[range_of_[i]];
      operands_[i].set_address(here(r) + (address_of(operands_[i]) - r.begin));
    }
  }
  void copy_back() {
    const memory_hook& hook = memory_of(where_);
    for (const range& r : ranges()) {
      if (!r.written) continue;
      hook.copy_in(where_, on_device(r), here(r), r.end - r.begin);
      bytes_in += r.end - r.begin;
    }
  }
  std::uint64_t bytes_out = 0, bytes_in = 0;

 private:
  static constexpr std::size_t alignment = 64;
  struct range {
    std::uintptr_t begin, end;
    std::size_t at;  // in memory_
    bool copied_out, written;
  };

  std::span<range> ranges() noexcept { return {ranges_.data(), count_}; }
  std::byte* here(const range& r) const noexcept { return static_cast<std::byte*>(memory_.data()) + r.at; }
  static void* on_device(const range& r) noexcept { return reinterpret_cast<void*>(r.begin); }
  static std::uintptr_t address_of(const operand& o) noexcept { return reinterpret_cast<std::uintptr_t>(o.address()); }

  // Of one operand. What is written is not read first if that is every byte of the range.
  static range range_of(const operand& o) noexcept {
    std::int64_t low = 0, high = 0, elements = 1;
    for (int d = 0; d < o.dims; ++d) {
      const std::int64_t last = (o.of[d].size - 1) * o.of[d].stride;
      (last < 0 ? low : high) += last;
      if (o.of[d].stride != 0) elements *= o.of[d].size;
    }
    const bool dense = elements == high - low + 1;
    return {address_of(o) + static_cast<std::uintptr_t>(low * o.element_bytes),
            address_of(o) + static_cast<std::uintptr_t>((high + 1) * o.element_bytes), 0, o.reads || !dense, o.writes};
  }
  void find_ranges() {
    std::array<std::size_t, operand_list::most> order;
    std::array<range, operand_list::most> all;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      order[i] = i;
      all[i] = range_of(operands_[i]);
    }
    std::ranges::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(operands_.size()), {},
                      [&](std::size_t i) { return all[i].begin; });
    for (std::size_t n = 0; n < operands_.size(); ++n) {
      const range& r = all[order[n]];
      if (count_ != 0 && r.begin < ranges_[count_ - 1].end) {
        range& last = ranges_[count_ - 1];
        last.copied_out |= r.copied_out || r.end > last.end || r.begin > last.begin;
        last.written |= r.written;
        last.end = std::max(last.end, r.end);
      } else {
        ranges_[count_++] = r;
      }
      range_of_[order[n]] = count_ - 1;
    }
  }

  device where_;
  std::span<operand> operands_;
  std::array<range, operand_list::most> ranges_;
  std::size_t count_ = 0;
  std::array<std::size_t, operand_list::most> range_of_{};
  tensor memory_;
};

// Calls `kernel` with a copy of the struct that refers to the host.
template <class T, class Kernel>
tb_status on_host(const bridge& b, int entry, std::string_view reason, const T& given, const tb_call& call,
                  Kernel kernel) {
  const host_work work{b.which, operator_called, entry_names[static_cast<std::size_t>(entry)], reason};
  ask_policy(work, backends::fallback_policy::allow);
  const device where{b.which, static_cast<std::int8_t>(call.device)};
  // What the device was told before is not the host's work: else the first copy would wait for it.
  stream::current(where).synchronize();
  const std::int64_t began = observe::clock_ns();
  std::remove_const_t<T> here = given;
  operand_list operands;
  list_operands(operands, here);
  host_copy copy(where, operands.used());
  const tb_call on_cpu{nullptr, tb_cpu_kernels()->context, 0, 0};
  const tb_status status = kernel(here, on_cpu);
  if (status == TB_OK) copy.copy_back();
  account_for(work, copy.bytes_out, copy.bytes_in, observe::clock_ns() - began);
  return status;
}

template <class T>
void give_count([[maybe_unused]] const T& from, [[maybe_unused]] T& to) {}
template <>
void give_count<tb_nonzero>(const tb_nonzero& from, tb_nonzero& to) {
  to.count = from.count;
}

// The entry of the complete table of one backend. The arguments of every entry begin with its struct and end with the
// tb_call.
template <std::size_t Slot, int Entry, auto Member>
struct slot_entry;
template <std::size_t Slot, int Entry, class T, class... More, tb_status (*tb_kernels::*Member)(T*, More...)>
struct slot_entry<Slot, Entry, Member> {
  static tb_status run(T* given, More... more) {
    const bridge& b = *bridges[Slot];
    std::string_view reason = "no entry";
    if (const auto own = b.own.*Member; own != nullptr) {
      reason = "no code";
      if (b.runs[Entry][code_of(*given)]) {
        const tb_status status = own(given, more...);
        if (status != TB_UNSUPPORTED_DTYPE) return status;
        reason = "no dtype";
      }
    }
    const tb_call& call = *std::get<sizeof...(More) - 1>(std::tuple<More...>(more...));
    return on_host(b, Entry, reason, *given, call, [&](std::remove_const_t<T>& here, const tb_call& on_cpu) {
      const auto with_call = [&]<class A>(A a) {
        if constexpr (std::is_same_v<A, const tb_call*>) {
          return &on_cpu;
        } else {
          return a;
        }
      };
      const tb_status status = (tb_cpu_kernels()->*Member)(&here, with_call(more)...);
      if constexpr (!std::is_const_v<T>) give_count(here, *given);
      return status;
    });
  }
};

template <std::size_t Slot>
void calling(const char* name, std::uint64_t length) {
  operator_called = {name, length};
  if (const auto own = bridges[Slot]->own.calling; own != nullptr) own(name, length);
}

template <std::size_t Slot>
tb_kernels complete(const bridge& b) {
  using k = tb_kernels;
  tb_kernels t = b.own;
  t.size = sizeof t;
  t.version = TB_ABI_VERSION;
  t.name = b.name.c_str();
  t.copy = &slot_entry<Slot, TB_ENTRY_COPY, &k::copy>::run;
  t.arange = &slot_entry<Slot, TB_ENTRY_ARANGE, &k::arange>::run;
  t.elementwise = &slot_entry<Slot, TB_ENTRY_ELEMENTWISE, &k::elementwise>::run;
  t.reduce = &slot_entry<Slot, TB_ENTRY_REDUCE, &k::reduce>::run;
  t.rowwise = &slot_entry<Slot, TB_ENTRY_ROWWISE, &k::rowwise>::run;
  t.matmul = &slot_entry<Slot, TB_ENTRY_MATMUL, &k::matmul>::run;
  t.take = &slot_entry<Slot, TB_ENTRY_TAKE, &k::take>::run;
  t.random = &slot_entry<Slot, TB_ENTRY_RANDOM, &k::random>::run;
  t.nonzero = &slot_entry<Slot, TB_ENTRY_NONZERO, &k::nonzero>::run;
  t.pool = &slot_entry<Slot, TB_ENTRY_POOL, &k::pool>::run;
  t.convolve = &slot_entry<Slot, TB_ENTRY_CONVOLVE, &k::convolve>::run;
  t.update = &slot_entry<Slot, TB_ENTRY_UPDATE, &k::update>::run;
  t.attention = &slot_entry<Slot, TB_ENTRY_ATTENTION, &k::attention>::run;
  t.channel_norm = &slot_entry<Slot, TB_ENTRY_CHANNEL_NORM, &k::channel_norm>::run;
  t.dense_loops = nullptr;
  t.calling = &calling<Slot>;
  // Numbers need not travel to the device and back.
  if (b.own.elementwise == nullptr) t.host_scalars = 1;
  if (b.own.attention == nullptr) t.attention_fp16 = tb_cpu_kernels()->attention_fp16;
  t.runs = nullptr;
  return t;
}

// What inspection says of an operator of which the host computes a part, or all.
template <std::size_t Slot>
author::kernel_remark remark(std::string_view op, const inspect::source_location& place) {
  const std::source_location& ours = bridges[Slot]->where;
  if (place.line != ours.line() || place.file != ours.file_name()) return {};  // implement() for this device
  std::string missing;
  for (const author::table_kernel& k : author::kernels_used_by(op)) {
    if (author::offers(bridges[Slot]->own, k)) continue;
    const auto entry = static_cast<std::size_t>(k.entry);
    const bool is_there = author::offers(bridges[Slot]->own, {k.entry, -1});
    missing += missing.empty() ? "host bridge: " : ", ";
    missing += (is_there ? "no such operation in entry " : "no entry ") + std::string(entry_names[entry]);
  }
  return missing.empty() ? author::kernel_remark{} : author::kernel_remark{"bridge", std::move(missing)};
}

struct slot_functions {
  tb_kernels (*complete)(const bridge&);
  author::kernel_remark (*remark)(std::string_view op, const inspect::source_location& place);
};
constexpr auto functions = []<std::size_t... Slot>(std::index_sequence<Slot...>) {
  return std::array{slot_functions{&complete<Slot>, &remark<Slot>}...};
}(std::make_index_sequence<private_backends>());

}  // namespace

const tb_kernels& complete_table(backend which, std::string_view name, const tb_kernels* own,
                                 std::source_location where) {
  const std::size_t slot = slot_of(which);
  bridge& b = *(bridges[slot] = new bridge{which, std::string(name), where});
  // A table of an earlier build may be shorter.
  if (own != nullptr) std::memcpy(&b.own, own, std::min<std::size_t>(own->size, sizeof b.own));
  for (std::size_t e = 0; e < TB_ENTRY_COUNT; ++e) {
    for (int code = 0; code < std::max(1, code_counts[e]); ++code) {
      const author::table_kernel one{static_cast<std::int32_t>(e), code_counts[e] == 0 ? -1 : code};
      b.runs[e][static_cast<std::size_t>(code)] = author::offers(b.own, one);
    }
  }
  b.complete = functions[slot].complete(b);
  author::remark_on_kernels(key_of(which), functions[slot].remark);
  return b.complete;
}

}  // namespace topbit::detail
