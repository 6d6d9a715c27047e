module topbit.backend_test;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :session;

namespace topbit::backend_test {

namespace {

tensor random_elements(session& s, std::int64_t count, dtype type) {
  const tensor all = author::make_tensor({count}, dtype::float64, cpu);
  auto* const at = static_cast<double*>(all.data());
  for (std::int64_t i = 0; i < count; ++i) {
    at[i] = is_floating(type) ? s.any_number() : static_cast<double>(s.any(type == dtype::uint8 ? 6 : 11)) - 5;
    if (type == dtype::uint8) at[i] += 5;
  }
  return to(type == dtype::boolean ? gt(all, 0) : all, type);
}

}  // namespace

std::string name_of_arrangement(int way) {
  constexpr std::array<std::string_view, arrangements> names{"dense", "transposed", "every other element", "broadcast",
                                                             "at an offset"};
  return std::string(names[static_cast<std::size_t>(way)]);
}

tensor arranged(session& s, const shape& sizes, dtype type, int way) {
  const std::int64_t count = numel(sizes);
  shape strides = sizes;
  std::int64_t step = way == 2 ? 2 : 1;
  const auto lay_out = [&](std::size_t d) {
    strides[d] = step;
    step *= std::max<std::int64_t>(sizes[d], 1);
  };
  for (std::size_t i = 0; i < sizes.size(); ++i) lay_out(way == 1 ? i : sizes.size() - 1 - i);
  if (way == 3 && !sizes.empty()) strides[0] = 0;
  const std::int64_t offset = way == 4 ? 3 : 0;
  return author::make_view(random_elements(s, 2 * count + offset + 1, type), sizes, strides, offset);
}

}  // namespace topbit::backend_test
