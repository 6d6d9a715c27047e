// Counts elements that are not zero and writes their coordinates, in parts of the row-major order.
#include "elementwise/convert.h"
#include "elementwise/for_each_row.h"
#include "layout.h"
#include "threads/row_parts.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

constexpr int64_t block = 512;

// Calls visit(flags, count, index) for blocks of the elements first to last - 1 in row-major order; dimension 0 varies
// fastest, and index[0] is that of the first flag.
template <typename Visit>
void each_block(const tb_plan& plan, int64_t first, int64_t last, const Visit& visit) {
  const tb_operand& in = plan.operand[0];
  const convert_fn load = conversion(TB_BOOL, in.dtype);
  const int64_t bytes = element_bytes[in.dtype];
  int64_t index[TB_MAX_DIMS] = {};
  for (int64_t d = 0, rest = first; d < plan.ndim && rest > 0; rest /= plan.sizes[d++]) index[d] = rest % plan.sizes[d];
  uint8_t flags[block];
  while (first < last) {
    int64_t offset = 0;
    for (int d = 0; d < plan.ndim; ++d) offset += index[d] * in.strides[d];
    const int64_t row = plan.sizes[0] - index[0], left = last - first < row ? last - first : row;
    const int64_t some = left < block ? left : block;
    load(flags, 1, static_cast<const char*>(in.data) + offset * bytes, in.strides[0], some);
    visit(static_cast<const uint8_t*>(flags), some, static_cast<const int64_t*>(index));
    first += some;
    index[0] += some;
    for (int d = 0; d + 1 < plan.ndim && index[d] == plan.sizes[d]; ++d) {
      index[d] = 0;
      ++index[d + 1];
    }
  }
}

int64_t count_of(const uint8_t* flags, int64_t count) {
  int64_t found = 0;
  for (int64_t i = 0; i < count; ++i) found += flags[i];
  return found;
}

// Writes the coordinates of the elements of a block, and returns their end.
int64_t* write(const uint8_t* flags, int64_t count, const int64_t* index, int32_t coordinates, int64_t* out) {
  int64_t place[block];
  int64_t found = 0;
  for (int64_t i = 0; i < count; ++i) {
    place[found] = index[0] + i;
    found += flags[i];
  }
  if (coordinates == 1) {
    __builtin_memcpy(out, place, size_t(found) * sizeof(int64_t));
    return out + found;
  }
  for (int64_t i = 0; i < found; ++i, out += coordinates) {
    for (int32_t d = 1; d < coordinates; ++d) out[coordinates - 1 - d] = index[d];
    if (coordinates > 0) out[coordinates - 1] = place[i];
  }
  return out;
}

}  // namespace

tb_status nonzero(tb_nonzero* call, const tb_call*) {
  const tb_plan& plan = call->plan;
  int64_t total = 1;
  for (int d = 0; d < plan.ndim; ++d) total *= plan.sizes[d] > 0 ? plan.sizes[d] : 0;
  const int64_t parts = row_parts(total);
  int64_t begin[most_row_parts + 1] = {};
  if (call->out == nullptr || parts > 1 || call->coordinates == 0) {
    each_row_part(total, parts, [&](int64_t part, int64_t first, int64_t last) {
      each_block(plan, first, last, [&](const uint8_t* flags, int64_t count, const int64_t*) {
        begin[part + 1] += count_of(flags, count);
      });
    });
    for (int64_t part = 0; part < parts; ++part) begin[part + 1] += begin[part];
    call->count = begin[parts];
  }
  if (call->out == nullptr) return TB_OK;
  const int32_t coordinates = call->coordinates;
  each_row_part(total, parts, [&](int64_t part, int64_t first, int64_t last) {
    int64_t* out = call->out + begin[part] * coordinates;
    each_block(plan, first, last, [&](const uint8_t* flags, int64_t count, const int64_t* index) {
      out = write(flags, count, index, coordinates, out);
    });
    if (parts == 1 && coordinates > 0) call->count = (out - call->out) / coordinates;
  });
  return TB_OK;
}

}  // namespace tb_cpu::TOPBIT_ARCH
