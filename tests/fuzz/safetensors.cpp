// Any bytes are a header of safetensors or an error that a terminal can show; what a header says of tensors is so, and
// is read back from the header that is written for them.
//
// The first byte is how many bytes are behind the header. A unit of the module, built together with the reader, so that
// libFuzzer sees which of its code has run.
module;
#include <cstdint>

#include "require.h"
module topbit.training;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :safetensors_header;

namespace topbit {
namespace {

using fuzz::require;

bool is_same(const detail::file_entry& a, const detail::file_entry& b) {
  return a.name == b.name && a.sizes == b.sizes && a.type == b.type && a.begin == b.begin && a.end == b.end;
}

void check(std::string_view text, std::uint64_t elements) {
  const detail::file_header header = detail::read_header("", text, elements);
  const std::vector<detail::file_entry>& all = header.tensors;
  std::vector<named_tensor> tensors;
  std::uint64_t end = 0;
  for (const detail::file_entry& e : all) {
    tensors.push_back({e.name, author::make_tensor(e.sizes, e.type, cpu)});
    require(e.begin == std::exchange(end, e.end) && e.begin <= e.end, "each tensor's elements follow the one before");
    require(e.end - e.begin == static_cast<std::uint64_t>(tensors.back().value.numel()) * size_of(e.type),
            "a tensor has the bytes that its sizes need");
  }
  require(end == elements, "every byte belongs to a tensor");
  const detail::file_header read_again =
      detail::read_header("", detail::write_header("", tensors, header.metadata), elements);
  const std::vector<detail::file_entry>& again = read_again.tensors;
  require(std::ranges::equal(all, again, is_same), "what is written is read back");
  require(header.metadata == read_again.metadata, "metadata that are written are read back");
}

}  // namespace
}  // namespace topbit

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  try {
    topbit::check({reinterpret_cast<const char*>(data) + 1, size - 1}, data[0]);
  } catch (const topbit::error& e) {
    fuzz::require_shown_safely(e.what(), 10'000);
  }
  return 0;
}
