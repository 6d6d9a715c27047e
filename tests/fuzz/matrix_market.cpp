// Any bytes are a matrix of a Matrix Market file or an error that a terminal can show; a matrix that was read is within
// its sizes, takes memory in proportion to its text, and is read back from the text that is written for it.
//
// The first byte chooses a dtype. A unit of the module, built together with the reader, so that libFuzzer sees which of
// its code has run.
module;
#include <cstdint>

#include "require.h"
module topbit.sparse;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :market_text;

namespace topbit::sparse {
namespace {

using fuzz::require;

bool is_same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (a != a && b != b);
}

void check(std::string_view text, std::optional<dtype> type) {
  const detail::market_matrix m = detail::read_market("", text, type);
  const std::size_t values = is_floating(m.type) ? m.real.size() : m.whole.size();
  require(!type || m.type == *type, "the dtype is the one that was asked for");
  require(values <= text.size() * 2 + 1, "memory is bounded by the text");
  if (m.is_coordinate) {
    require(m.row.size() == values && m.column.size() == values, "each entry has a row and a column");
    for (std::size_t i = 0; i < values; ++i) {
      require(m.row[i] >= 0 && m.row[i] < m.rows && m.column[i] >= 0 && m.column[i] < m.columns,
              "entries are within the sizes");
    }
  } else {
    require(values == static_cast<std::size_t>(m.rows * m.columns), "an array has all its elements");
  }
  const detail::market_matrix again = detail::read_market("", detail::write_market(m, "of\nthe test"), m.type);
  require(again.is_coordinate == m.is_coordinate && again.rows == m.rows && again.columns == m.columns &&
              again.row == m.row && again.column == m.column && again.whole == m.whole &&
              std::ranges::equal(again.real, m.real, is_same),
          "what is written is read back");
}

int run(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr std::optional<dtype> types[] = {std::nullopt, dtype::float32, dtype::float64, dtype::float16,
                                            dtype::int64, dtype::int8,    dtype::uint8,   dtype::boolean};
  try {
    check({reinterpret_cast<const char*>(data) + 1, size - 1}, types[data[0] % std::size(types)]);
  } catch (const error& e) {
    fuzz::require_shown_safely(e.what(), 1000, [](unsigned char c) { return c >= ' ' && c <= '~'; });
  }
  return 0;
}

}  // namespace
}  // namespace topbit::sparse

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  return topbit::sparse::run(data, size);
}
