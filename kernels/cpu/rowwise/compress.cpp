// The elements of a row whose mask is not 0.
#include "elementwise/for_each_row.h"
#include "layout.h"
#include "rowwise/rowwise.h"
#include "threads/row_parts.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Elements are only moved, as Bits. Every element is stored, and stays if the next one goes elsewhere.
template <typename Bits>
void compress(const rows_at& r) {
  const Bits* const in = r.as<const Bits>(1);
  const uint8_t* const mask = r.as<const uint8_t>(2);
  Bits* const out = r.as<Bits>(0);
  const int64_t count = r.length[2], step = r.step[1], mask_step = r.step[2], out_step = r.step[0];
  const int64_t parts = row_parts(count);
  int64_t begin[most_row_parts + 1] = {};
  if (parts == 1) {
    begin[1] = r.length[0];
  } else {
    each_row_part(count, parts, [&](int64_t part, int64_t first, int64_t last) {
      int64_t found = 0;
      for (int64_t i = first; i < last; ++i) found += mask[i * mask_step] != 0 ? 1 : 0;
      begin[part + 1] = found;
    });
    for (int64_t part = 0; part < parts; ++part) begin[part + 1] += begin[part];
  }
  each_row_part(count, parts, [&](int64_t part, int64_t first, int64_t last) {
    int64_t to = begin[part];
    const int64_t end = begin[part + 1];
    for (int64_t i = first; i < last && to < end; ++i) {
      out[to * out_step] = in[i * step];
      to += mask[i * mask_step] != 0 ? 1 : 0;
    }
  });
}

}  // namespace

rows_loop compress_rows(const tb_rowwise& call) {
  if (call.op != TB_COMPRESS || call.row[0].dtype != call.row[1].dtype || element_bytes[call.row[2].dtype] != 1) {
    return {};
  }
  constexpr uint32_t all = operand(0) | operand(1) | operand(2);
  return {.run = by_bytes<rows_fn>(call.row[1].dtype, compress<uint8_t>, compress<uint16_t>, compress<uint32_t>,
                                   compress<uint64_t>),
          .as_is = all};
}

}  // namespace tb_cpu::TOPBIT_ARCH
