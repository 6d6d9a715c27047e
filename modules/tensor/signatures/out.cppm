// The signatures of out forms: an argument behind the others is written. Their code is compiled once, in sources that
// CMake makes from this list; tests/rules/binaries.sh says which are missing.
export module topbit.tensor:signatures.out;

import topbit.std;
import topbit.core;
import :boxed;
import :device;
import :dtype;
import :generator;
import :handle;
import :scalar;
import :schema_types;
import :shape;

namespace topbit::author {

extern template struct signature_code<tensor&(std::int64_t, tensor&)>;
extern template struct signature_code<tensor&(const scalar&, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, tensor&)>;
extern template struct signature_code<tensor&(std::span<const tensor>, tensor&)>;
extern template struct signature_code<tensor&(std::int64_t, std::int64_t, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::int64_t, tensor&)>;
extern template struct signature_code<tensor&(const scalar&, const scalar&, tensor&)>;
extern template struct signature_code<tensor&(const scalar&, const tensor&, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const scalar&, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const tensor&, tensor&)>;
extern template struct signature_code<tensor&(std::span<const std::int64_t>, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::string_view, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::int64_t, bool, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::optional<dtype>, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::optional<double>, tensor&)>;
extern template struct signature_code<tensor&(std::span<const tensor>, std::int64_t, tensor&)>;
extern template struct signature_code<tensor&(const scalar&, const tensor&, bool, bool, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const scalar&, bool, bool, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const tensor&, bool, bool, tensor&)>;
extern template struct signature_code<tensor&(const scalar&, const scalar&, std::int64_t, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const tensor&, std::int64_t, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::int64_t, const tensor&, tensor&)>;
extern template struct signature_code<tensor&(const scalar&, const scalar&, const scalar&, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const scalar&, const scalar&, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const tensor&, const scalar&, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const tensor&, const tensor&, tensor&)>;
extern template struct signature_code<tensor&(std::int64_t, std::span<const std::int64_t>, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::span<const std::int64_t>, tensor&)>;
extern template struct signature_code<tensor&(std::span<const std::int64_t>, const scalar&, tensor&)>;
extern template struct signature_code<tensor&(std::int64_t, const std::optional<generator>&, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const std::optional<generator>&, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::int64_t, const tensor&, bool, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::optional<std::int64_t>, bool, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const tensor&, std::int64_t, dtype, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::int64_t, std::optional<dtype>, tensor&)>;
extern template struct signature_code<tensor&(const scalar&, const scalar&, std::int64_t, double, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const tensor&, std::int64_t, double, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::span<const std::int64_t>, bool, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::span<const std::optional<tensor>>, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, double, const std::optional<generator>&, tensor&)>;
extern template struct signature_code<tensor&(double, const tensor&, const std::optional<generator>&, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::int64_t, bool, std::optional<dtype>, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const tensor&, std::optional<std::int64_t>, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::int64_t, const scalar&, const scalar&, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::int64_t, const tensor&, const scalar&, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::int64_t, const tensor&, const tensor&, tensor&)>;
extern template struct signature_code<tensor&(std::int64_t, std::int64_t, std::span<const std::int64_t>, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const scalar&, const scalar&, const scalar&, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const tensor&, const std::optional<tensor>&, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const tensor&, const tensor&, const scalar&, tensor&)>;
extern template struct signature_code<tensor&(std::span<const std::int64_t>, std::optional<memory_format>, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const tensor&, const std::optional<generator>&, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const tensor&, std::optional<std::string_view>, tensor&)>;
extern template struct signature_code<tensor&(std::span<const std::int64_t>, const std::optional<generator>&, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::int64_t, bool, const std::optional<generator>&,
                                              tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::optional<std::span<const std::int64_t>>, bool, bool,
                                              tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const tensor&, const std::optional<tensor>&, std::int64_t,
                                              tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::int64_t, const tensor&, const tensor&, const scalar&,
                                              tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const std::optional<scalar>&, const std::optional<scalar>&,
                                              tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const std::optional<tensor>&, const std::optional<tensor>&,
                                              tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const tensor&, const tensor&, const scalar&, const scalar&,
                                              tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::int64_t, const tensor&, const scalar&,
                                              std::string_view, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::int64_t, const tensor&, const tensor&,
                                              std::string_view, tensor&)>;
extern template struct signature_code<tensor&(std::int64_t, std::span<const std::int64_t>,
                                              const std::optional<generator>&, tensor&)>;
extern template struct signature_code<tensor&(double, double, std::span<const std::int64_t>,
                                              const std::optional<generator>&, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const tensor&, const tensor&, const scalar&, const scalar&,
                                              bool, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const std::optional<scalar>&,
                                              std::span<const std::int64_t>, bool, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::int64_t, const tensor&, const tensor&,
                                              std::string_view, bool, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::optional<double>, std::optional<double>,
                                              std::optional<double>, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const tensor&, const std::optional<tensor>&, std::int64_t,
                                              std::int64_t, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const std::optional<scalar>&,
                                              std::span<const std::int64_t>, bool, dtype, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::optional<std::span<const std::int64_t>>, bool,
                                              std::optional<dtype>, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const tensor&, std::span<const std::int64_t>,
                                              std::span<const std::int64_t>, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::span<const std::int64_t>, std::optional<double>,
                                              std::optional<double>, tensor&)>;
extern template struct signature_code<tensor&(std::int64_t, std::int64_t, std::span<const std::int64_t>,
                                              const std::optional<generator>&, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::optional<std::span<const std::int64_t>>,
                                              std::optional<std::int64_t>, bool, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::int64_t, std::int64_t, const std::optional<tensor>&,
                                              const std::optional<tensor>&, tensor&)>;
extern template struct signature_code<tensor&(
    const tensor&, const scalar&, std::optional<std::span<const std::int64_t>>, bool, std::optional<dtype>, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const tensor&, bool, bool, std::optional<std::string_view>,
                                              const std::optional<tensor>&, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const tensor&, const tensor&, const std::optional<tensor>&,
                                              std::int64_t, std::int64_t, const tensor&, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, std::span<const std::int64_t>,
                                              std::span<const std::int64_t>, std::span<const std::int64_t>, bool, bool,
                                              std::optional<std::int64_t>, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const tensor&, std::span<const std::int64_t>,
                                              std::span<const std::int64_t>, std::span<const std::int64_t>, bool, bool,
                                              std::optional<std::int64_t>, tensor&)>;
extern template struct signature_code<tensor&(const tensor&, const tensor&, std::span<const std::int64_t>,
                                              std::span<const std::int64_t>, std::span<const std::int64_t>,
                                              std::span<const std::int64_t>, bool, const tensor&, tensor&)>;

}  // namespace topbit::author
