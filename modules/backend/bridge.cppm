// The kernel table of a backend from outside, made complete: entries that it lacks run on the host.
module topbit.backend:bridge;

import topbit.std;
import topbit.core;
import :description;

namespace topbit::detail {

inline constexpr std::size_t private_backends = 8;
constexpr backend private_backend(std::size_t slot) noexcept {
  return static_cast<backend>(static_cast<std::size_t>(backend::PrivateUse1) + slot);
}
constexpr std::size_t slot_of(backend b) noexcept {
  return static_cast<std::size_t>(b) - static_cast<std::size_t>(backend::PrivateUse1);
}

// For a private backend, once; `own` may be null. The table and what it refers to stay. `where`: of its registration.
const tb_kernels& complete_table(backend b, std::string_view name, const tb_kernels* own, std::source_location where);

}  // namespace topbit::detail
