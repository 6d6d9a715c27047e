// The entry reduce. The elements of a result are divided into parts: an item reduces one part to a state, and a second
// kernel merges the states of a result in order. So nothing depends on the number of cores.
#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels.h"

namespace ocl {

namespace {

enum class kind { sum, product, choice, index };

// `map` is of an element x, and `last` of the total t, in OpenCL C; n0 is the call's number.
struct reduction {
  kind of;
  const char *map = "x", *last = "t";
  bool greatest = true;
};

// A null map: the host computes. `order` is that of a norm.
reduction reduction_of(std::int32_t op, double order) {
  switch (op) {
    case TB_SUM:
    case TB_COUNT_NONZERO: return {kind::sum};
    case TB_NANSUM: return {kind::sum, "x != x ? ($A)0 : x"};
    case TB_SUM_SQUARES: return {kind::sum, "x * x"};
    case TB_PROD: return {kind::product};
    case TB_MAX:
    case TB_ANY: return {kind::choice};
    case TB_MIN:
    case TB_ALL: return {kind::choice, "x", "t", false};
    case TB_MAX_INDEX: return {kind::index};
    case TB_MIN_INDEX: return {kind::index, "x", "t", false};
    case TB_ARGMAX: return {kind::index, "x", "a.i"};
    case TB_ARGMIN: return {kind::index, "x", "a.i", false};
    case TB_NORM:
      if (order == 0) return {kind::sum, "x == 0 ? ($A)0 : ($A)1"};
      if (order == 1) return {kind::sum, "fabs(x)"};
      if (order == 2) return {kind::sum, "x * x", "sqrt(t)"};
      if (std::isinf(order)) return {kind::choice, "fabs(x)", "t", order > 0};
      return {kind::sum, "pow(fabs(x), ($A)n0)", "pow(t, 1 / n0)"};
    default: return {kind::sum, nullptr};
  }
}
// A digit that tells apart what reduction_of() makes of an order.
int kind_of_order(double order) {
  return std::isinf(order) ? (order > 0 ? 4 : 3) : order == 0 || order == 1 || order == 2 ? static_cast<int>(order) : 5;
}

struct program {
  std::int32_t op, compute, result, out;  // `out`: the dtype of the result in memory, where `code` is one
  double order;
  int operands, code;  // the code of the input; -1 where the call tells it
  char vectors;        // along a row of the input, across neighbouring results, or none: 'l', 'c', '-'

  std::uint64_t key(std::uint64_t family) const {
    std::uint64_t k = 0;
    for (const int n : {op, compute, result, out, op == TB_NORM ? kind_of_order(order) : 0, vectors & 15, code + 1})
      k = k << 6 | static_cast<std::uint64_t>(n);
    return family | k;
  }
};

// By kind: the fields of the state, its first value, and functions. take() adds one value of type $A, in which sums are
// made; merge() adds a later state; `total` is t. `v` are eight values at once.
struct state_text {
  const char *fields, *first, *take, *merge, *total, *first8, *take8;
};
constexpr state_text float_sum{"double s, r;",
                               "{0, 0}",
                               "{ double t = a->s + x, u = t - a->s; a->r += (a->s - (t - u)) + (x - u); a->s = t; }",
                               "{ a->r += b->r; take(a, b->s, 0); }",
                               "isnan(a.r) ? a.s : a.s + a.r",
                               "(double8)0",
                               "v + $MAP8"};
// Integers wrap, as ulong does.
constexpr state_text integer_sum{"$A s;", "{0}",    "{ a->s += x; }", "{ take(a, b->s, 0); }",
                                 "a.s",   "($A8)0", "v + $MAP8"};
constexpr state_text product{"$A s;", "{1}", "{ a->s *= x; }", "{ take(a, b->s, 0); }", "a.s", "($A8)1", "v * $MAP8"};
constexpr state_text choice{"$A s;", "{$WEAKEST}",    "{ if (BEATS(x, a->s)) a->s = x; }", "{ take(a, b->s, 0); }",
                            "a.s",   "($A8)$WEAKEST", "BEATS($MAP8, v) ? $MAP8 : v"};
constexpr state_text choice_index{"$A s; long i;",
                                  "{$WEAKEST, 0}",
                                  "{ if (BEATS(x, a->s)) { a->s = x; a->i = i; } }",
                                  "{ take(a, b->s, b->i); }",
                                  "a.s",
                                  "($A8)$WEAKEST",
                                  "BEATS($MAP8, v) ? $MAP8 : v"};
const state_text& text_of(kind k, bool real) {
  switch (k) {
    case kind::sum: return real ? float_sum : integer_sum;
    case kind::product: return product;
    case kind::choice: return choice;
    default: return choice_index;
  }
}

// An item of `run` has a part of the elements of one result, or of $L neighbouring ones, and an item of `join` the
// parts of one result. The numbers of the call are n0, the length of a part, and how many there are.
constexpr const char* body = R"(
typedef struct { $FIELDS } state;
state start() { state a = $FIRST; return a; }
void take(state* a, $A x, long i) $TAKE
void merge(state* a, const state* b) $MERGE

long at(const layout k, int j, uint result) {
  long offset = 0;
  for (uint d = k.first_kept; d < k.dims; ++d) {
    uint q = d + 1 < k.dims ? quotient(result, k.multiply[d], k.shift[d]) : 0;
    offset += (result - q * k.size[d]) * k.stride[j][d];
    result = q;
  }
  return offset;
}
void finish(const layout k, state a, uint result, __global void* out, __global long* index) {
  const double n0 = as_double(k.number[0]);
  $A t = $TOTAL;
  store(k.code[0], out, at(k, 0, result), ($R)($LAST));
  $INDEX
}
__kernel void run(const layout k, __global void* out, __global void* index, const __global void* in,
                  __global state* partial) {
  const uint result = get_global_id(0) * $L, part = get_global_id(1), parts = k.number[2], chunk = k.number[1];
  if (result >= k.items || part >= parts) return;
  const double n0 = as_double(k.number[0]);
  const long step = k.stride[$IN][0], base = at(k, $IN, result);
  state all[$L];
  for (int u = 0; u < $L; ++u) all[u] = start();
  uint end = min(part * chunk + chunk, k.row);
  for (uint r = part * chunk; r < end;) {
    uint rest = r, first = 0;
    long from = base;
    for (uint d = 0; d < k.first_kept; ++d) {
      uint q = d + 1 < k.first_kept ? quotient(rest, k.multiply[d], k.shift[d]) : 0, i = rest - q * k.size[d];
      if (d == 0) first = i;
      from += i * k.stride[$IN][d];
      rest = q;
    }
    uint some = min(k.size[0] - first, end - r), j = 0;
    $VECTORS
    r += some;
  }
  for (int u = 0; u < $L; ++u) {
    if (parts == 1) finish(k, all[u], result + u, out, index);
    else partial[part * k.items + result + u] = all[u];
  }
}
__kernel void join(const layout k, __global void* out, __global void* index, const __global void* in,
                   __global state* partial) {
  const uint result = get_global_id(0), parts = k.number[2];
  if (result >= k.items) return;
  state a = partial[result];
  for (uint part = 1; part < parts; ++part) {
    state b = partial[part * k.items + result];
    merge(&a, &b);
  }
  finish(k, a, result, out, index);
}
)";
// Lanes are added up after at most 64 vectors, so that what is rounded away does not grow with the length.
constexpr const char* along = R"(
    while (some - j >= 8) {
      $A8 v = $FIRST8;
      const uint begin = j;
      for (uint last = min(some, j + 512); j + 8 <= last; j += 8) {
        const $A8 x = convert_$A8(load8($CODE, in, from + j));
        v = $TAKE8;
      }
      $A lane[8];
      vstore8(v, 0, lane);
      $FLUSH
    }
)";
constexpr const char* each = R"(
    for (; j < some; ++j) {
      const $A x = load($CODE, in, from + j * step);
      take(all, $MAP, r + j);
    }
)";
constexpr const char* across = R"(
    while (j < some) {
      $A8 v = $FIRST8;
      for (uint last = min(some, j + 64); j < last; ++j) {
        const $A8 x = convert_$A8(load8($CODE, in, from + j * step));
        v = $TAKE8;
      }
      $A lane[8];
      vstore8(v, 0, lane);
      for (int u = 0; u < 8; ++u) take(all + u, lane[u], 0);
    }
)";
constexpr const char* flush_all = "for (int u = 0; u < 8; ++u) take(all, lane[u], 0);";
// Only what beats everything before is looked for.
constexpr const char* flush_index = R"(
      $A best = lane[0];
      for (int u = 1; u < 8; ++u) best = BEATS(lane[u], best) ? lane[u] : best;
      if (BEATS(best, all->s)) {
        uint i = begin;
        for ($A x = load($CODE, in, from + i); x != best && (x == x || best == best);) x = load($CODE, in, from + ++i);
        all->s = best;
        all->i = r + i;
      }
)";

std::string source(const void* of) {
  const program& p = *static_cast<const program*>(of);
  const reduction how = reduction_of(p.op, p.order);
  const bool real = is_real(p.compute), chooses = how.of == kind::choice || how.of == kind::index;
  const state_text& s = text_of(how.of, real);
  const std::string type = chooses ? type_of(p.compute)
                           : real  ? "double"
                                   : "ulong",
                    in = std::to_string(p.operands - 1);
  const std::string weakest = real ? "INFINITY" : p.compute == TB_BOOL ? "255" : "LONG_MAX";
  const std::string strongest = real ? "-INFINITY" : p.compute == TB_BOOL ? "0" : "LONG_MIN";
  const std::string beats =
      std::string("((x) ") + (how.greatest ? ">" : "<") + " (y)" + (real ? " | ((x) != (x)) & ((y) == (y)))\n" : ")\n");
  const unsigned dtypes = p.code < 0 ? 0x3ff : 1U << p.code;
  return prelude(p.compute, p.result, p.vectors == '-' ? 1 : 8, dtypes | (p.code < 0 ? 0 : 1U << p.out)) +
         "#define BEATS(x, y) " + beats +
         replaced(body, "$VECTORS",
                  p.vectors == 'c'   ? across
                  : p.vectors == 'l' ? std::string(along) + each
                                     : each,
                  "$FLUSH", how.of == kind::index ? flush_index : flush_all, "$LAST", how.last, "$L",
                  p.vectors == 'c' ? "8" : "1", "$FIELDS", s.fields, "$FIRST8", s.first8, "$FIRST", s.first, "$TAKE8",
                  s.take8, "$TAKE", s.take, "$MERGE", s.merge, "$TOTAL", s.total, "$INDEX",
                  p.operands == 3 ? "index[at(k, 1, result)] = a.i;" : "", "$MAP8",
                  "(" + replaced(how.map, "$A", "$A8") + ")", "$MAP", how.map, "$WEAKEST",
                  how.greatest ? strongest : weakest, "$CODE",
                  p.code < 0 ? "k.code[" + in + "]" : std::to_string(p.code), "$IN", in, "$A", type, "$R",
                  type_of(p.result));
}

void run(const tb_reduction& r, std::int32_t result, const tb_call* call) {
  device& d = device_of(call);
  const tb_plan& plan = r.plan;
  const tb_operand& in = plan.operand[plan.operands - 1];
  const tb_operand& out = plan.operand[0];
  program p{r.op, r.compute, result, 0, r.number[0].f, plan.operands, -1, '-'};
  const std::int64_t length = count_of(plan, 0, plan.reduced), results = count_of(plan, plan.reduced, plan.ndim);
  if (length * results >= many()) {
    const reduction how = reduction_of(p.op, p.order);
    const bool has_rows = in.strides[0] == 1 && plan.sizes[0] >= 8;
    const bool has_columns = how.of != kind::index && plan.reduced < plan.ndim && in.strides[plan.reduced] == 1 &&
                             plan.sizes[plan.reduced] % 8 == 0;
    p.code = in.dtype;
    p.out = out.dtype;
    if (d.shares_cores && (has_rows || has_columns)) p.vectors = has_rows ? 'l' : 'c';
  }
  // Enough items for the device, and of columns no more rows than a cache holds.
  const std::int64_t items_wanted = d.shares_cores ? 256 : 4096, parts_wanted = (items_wanted + results - 1) / results;
  const std::int64_t least = p.vectors == 'c' ? (length + 2047) / 2048 : (length + parts_wanted - 1) / parts_wanted;
  const std::int64_t chunk = std::max<std::int64_t>(512, least), parts = (length + chunk - 1) / chunk;
  layout l(plan);
  l.row = static_cast<std::uint32_t>(length);
  l.items = static_cast<std::uint32_t>(results);
  l.first_kept = static_cast<std::uint32_t>(plan.reduced);
  l.number[0] = std::bit_cast<std::int64_t>(p.order);
  l.number[1] = chunk;
  l.number[2] = parts;
  const cl_command_queue q = queue_of(d, call->stream);
  constexpr std::int64_t most_of_state = 16;
  // Released while it is in use: the queue uses it again for what comes later.
  const auto release = [&](void* p) { d.memory.release(p); };
  const std::unique_ptr<void, decltype(release)> partial(
      parts > 1 ? d.memory.allocate(q, static_cast<std::size_t>(parts * results * most_of_state)) : nullptr, release);
  const std::array<const void*, 4> addresses{out.data, plan.operand[plan.operands == 3 ? 1 : 0].data, in.data,
                                             parts > 1 ? partial.get() : out.data};
  const auto n = static_cast<std::size_t>(results), m = static_cast<std::size_t>(parts);
  using grid = std::array<std::size_t, 2>;
  const grid items{p.vectors == 'c' ? n / 8 : n, m}, group = items[0] >= 64 ? grid{64, 1} : grid{1, 64};
  start(kernel_of(d, p.key(of_reduce), "run", source, &p), q, &l, sizeof l, addresses, items, group);
  if (parts == 1) return;
  start(kernel_of(d, p.key(of_join), "join", source, &p), q, &l, sizeof l, addresses, {n, 1}, {64, 1});
}

}  // namespace

std::int32_t runs_reduction(std::int32_t op) { return reduction_of(op, 2).map != nullptr ? 1 : 0; }

tb_status reduce(const tb_reduction* r, const tb_call* call) {
  const reduction how = reduction_of(r->op, r->number[0].f);
  const bool adds = how.of == kind::sum || how.of == kind::product;
  const bool has_index = how.of == kind::index && *how.last == 't';
  if (how.map == nullptr || (r->op == TB_NORM && !is_real(r->compute)) || r->plan.operands != (has_index ? 3 : 2) ||
      (r->compute == TB_BOOL && adds && r->op != TB_COUNT_NONZERO) ||
      count_of(r->plan, 0, r->plan.ndim) > most_elements)
    return TB_UNSUPPORTED_DTYPE;
  const bool counts = r->op == TB_COUNT_NONZERO || *how.last == 'a';
  return guarded([&] { run(*r, counts ? TB_I64 : r->compute, call); });
}

}  // namespace ocl
