module topbit.backend_test;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :session;

namespace topbit::backend_test {

namespace {

double special_number(session& s) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr std::array<double, 8> all{
      std::numeric_limits<double>::quiet_NaN(), infinity, -infinity, -0.0, 0.0, 1e-40, -1e4, 6e4};
  return all[static_cast<std::size_t>(s.any(static_cast<int>(all.size())))];
}

tensor random_elements(session& s, std::int64_t count, dtype type, elements which) {
  const tensor all = author::make_tensor({count}, dtype::float64, cpu);
  auto* const at = static_cast<double*>(all.data());
  const bool special = which == elements::special;
  for (std::int64_t i = 0; i < count; ++i) {
    if (is_floating(type)) {
      at[i] = special && s.any(4) == 0 ? special_number(s) : s.any_number();
    } else {
      // Wide enough that float32 does not hold what int64 and int32 do.
      const bool wide = special && (type == dtype::int64 || type == dtype::int32);
      const int most = wide ? 1'000'000'007 : special && type != dtype::boolean ? 100 : 5;
      at[i] = static_cast<double>(s.any(most + 1));
      if (type != dtype::uint8 && s.any(2) == 0) at[i] = -at[i];
    }
  }
  return to(type == dtype::boolean ? gt(all, 0) : all, type);
}

}  // namespace

std::string name_of_arrangement(int way) {
  constexpr std::array<std::string_view, arrangements> names{"dense", "transposed", "every other element", "broadcast",
                                                             "at an offset"};
  return std::string(names[static_cast<std::size_t>(way)]);
}

tensor arranged(session& s, const shape& sizes, dtype type, int way, elements which) {
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
  return author::make_view(random_elements(s, 2 * count + offset + 1, type, which), sizes, strides, offset);
}

}  // namespace topbit::backend_test
