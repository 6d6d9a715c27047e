// The signatures of functional forms: a new tensor from arguments that are read. Their code is compiled once, in
// sources that CMake makes from this list; tests/rules/binaries.sh says which are missing.
export module topbit.tensor:signatures.functional;

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

extern template struct signature_code<tensor(const tensor&)>;
extern template struct signature_code<tensor(const tensor&, bool)>;
extern template struct signature_code<tensor(std::span<const tensor>)>;
extern template struct signature_code<tensor(const tensor&, double, bool)>;
extern template struct signature_code<tensor(const tensor&, std::int64_t)>;
extern template struct signature_code<tensor(const scalar&, const tensor&)>;
extern template struct signature_code<tensor(const tensor&, const scalar&)>;
extern template struct signature_code<tensor(const tensor&, const tensor&)>;
extern template struct signature_code<tensor(const tensor&, memory_format)>;
extern template struct signature_code<tensor(const tensor&, std::string_view)>;
extern template struct signature_code<tensor(const tensor&, std::int64_t, bool)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, bool)>;
extern template struct signature_code<tensor(const tensor&, std::optional<dtype>)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, double)>;
extern template struct signature_code<tensor(const tensor&, std::optional<double>)>;
extern template struct signature_code<tensor(std::span<const tensor>, std::int64_t)>;
extern template struct signature_code<tensor(const tensor&, bool, std::int64_t, bool)>;
extern template struct signature_code<tensor(const scalar&, const tensor&, bool, bool)>;
extern template struct signature_code<tensor(const tensor&, const scalar&, bool, bool)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, bool, bool)>;
extern template struct signature_code<tensor(const tensor&, std::int64_t, std::int64_t)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, std::int64_t)>;
extern template struct signature_code<tensor(const tensor&, std::int64_t, const tensor&)>;
extern template struct signature_code<tensor(const tensor&, std::optional<std::int64_t>)>;
extern template struct signature_code<tensor(const tensor&, const scalar&, const scalar&)>;
extern template struct signature_code<tensor(const tensor&, const scalar&, const tensor&)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const scalar&)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const tensor&)>;
extern template struct signature_code<tensor(const tensor&, std::optional<memory_format>)>;
extern template struct signature_code<tensor(const tensor&, std::span<const std::int64_t>)>;
extern template struct signature_code<tensor(const tensor&, const std::optional<generator>&)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, std::string_view)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, std::int64_t, bool)>;
extern template struct signature_code<tensor(const tensor&, std::int64_t, const tensor&, bool)>;
extern template struct signature_code<tensor(const tensor&, std::optional<std::int64_t>, bool)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const scalar&, bool)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, std::int64_t, dtype)>;
extern template struct signature_code<tensor(const tensor&, std::int64_t, std::optional<dtype>)>;
extern template struct signature_code<tensor(const tensor&, const std::optional<scalar>&, dtype)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, double, double, bool)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, std::int64_t, double)>;
extern template struct signature_code<tensor(const tensor&, std::span<const std::int64_t>, bool)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const tensor&, double)>;
extern template struct signature_code<tensor(const tensor&, std::span<const std::optional<tensor>>)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, std::int64_t, bool, bool)>;
extern template struct signature_code<tensor(const tensor&, double, const std::optional<generator>&)>;
extern template struct signature_code<tensor(double, const tensor&, const std::optional<generator>&)>;
extern template struct signature_code<tensor(const tensor&, std::int64_t, bool, std::optional<dtype>)>;
extern template struct signature_code<tensor(const tensor&, std::int64_t, std::int64_t, std::int64_t)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, std::int64_t, std::int64_t)>;
extern template struct signature_code<tensor(const tensor&, std::int64_t, const tensor&, std::int64_t)>;
extern template struct signature_code<tensor(const tensor&, std::optional<dtype>, std::optional<bool>)>;
extern template struct signature_code<tensor(const tensor&, const std::optional<tensor>&, std::int64_t)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, std::optional<std::int64_t>)>;
extern template struct signature_code<tensor(const tensor&, std::int64_t, const scalar&, const scalar&)>;
extern template struct signature_code<tensor(const tensor&, std::int64_t, const tensor&, const scalar&)>;
extern template struct signature_code<tensor(const tensor&, std::int64_t, const tensor&, const tensor&)>;
extern template struct signature_code<tensor(const tensor&, const scalar&, const scalar&, const scalar&)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const scalar&, const scalar&)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const std::optional<tensor>&)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const tensor&, const scalar&)>;
extern template struct signature_code<tensor(const tensor&, std::int64_t, std::span<const std::int64_t>)>;
extern template struct signature_code<tensor(const tensor&, std::span<const std::int64_t>, const scalar&)>;
extern template struct signature_code<tensor(const tensor&, const scalar&, std::optional<std::string_view>)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const std::optional<generator>&)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, std::optional<std::string_view>)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, std::int64_t, std::int64_t, bool)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, double, std::optional<std::int64_t>)>;
extern template struct signature_code<tensor(const tensor&, std::int64_t, bool, const std::optional<generator>&)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, std::int64_t, std::int64_t, std::int64_t)>;
extern template struct signature_code<tensor(const tensor&, std::optional<std::span<const std::int64_t>>, bool, bool)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const std::optional<tensor>&, std::int64_t)>;
extern template struct signature_code<tensor(const tensor&, std::int64_t, const tensor&, const tensor&, const scalar&)>;
extern template struct signature_code<tensor(const tensor&, const std::optional<scalar>&,
                                             const std::optional<scalar>&)>;
extern template struct signature_code<tensor(const tensor&, const std::optional<tensor>&,
                                             const std::optional<tensor>&)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const tensor&, const scalar&,
                                             const scalar&)>;
extern template struct signature_code<tensor(const tensor&, std::span<const std::optional<tensor>>, const tensor&,
                                             bool)>;
extern template struct signature_code<tensor(const tensor&, std::int64_t, const tensor&, const scalar&,
                                             std::string_view)>;
extern template struct signature_code<tensor(const tensor&, std::int64_t, const tensor&, const tensor&,
                                             std::string_view)>;
extern template struct signature_code<tensor(const tensor&, std::span<const std::int64_t>,
                                             std::span<const std::int64_t>)>;
extern template struct signature_code<tensor(const tensor&, const scalar&, const scalar&, const scalar&, bool,
                                             const tensor&)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const tensor&, const scalar&, const scalar&,
                                             bool)>;
extern template struct signature_code<tensor(const tensor&, const std::optional<scalar>&, std::span<const std::int64_t>,
                                             bool)>;
extern template struct signature_code<tensor(const tensor&, std::int64_t, const tensor&, const tensor&,
                                             std::string_view, bool)>;
extern template struct signature_code<tensor(const tensor&, std::optional<double>, std::optional<double>,
                                             std::optional<double>)>;
extern template struct signature_code<tensor(const tensor&, std::int64_t, std::optional<std::int64_t>,
                                             std::optional<std::int64_t>)>;
extern template struct signature_code<tensor(const tensor&, std::span<const std::int64_t>, std::string_view,
                                             std::optional<double>)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const std::optional<tensor>&, std::int64_t,
                                             std::int64_t)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, std::optional<std::int64_t>,
                                             std::optional<std::int64_t>)>;
extern template struct signature_code<tensor(const tensor&, const std::optional<scalar>&, std::span<const std::int64_t>,
                                             bool, dtype)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const tensor&, const std::optional<tensor>&,
                                             bool, double)>;
extern template struct signature_code<tensor(const tensor&, std::optional<std::span<const std::int64_t>>, bool,
                                             std::optional<dtype>)>;
extern template struct signature_code<tensor(std::string_view, std::span<const tensor>,
                                             std::optional<std::span<const std::int64_t>>)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, std::span<const std::int64_t>,
                                             std::span<const std::int64_t>)>;
extern template struct signature_code<tensor(const tensor&, std::span<const std::int64_t>, std::optional<double>,
                                             std::optional<double>)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const std::optional<tensor>&, std::int64_t,
                                             std::int64_t, double)>;
extern template struct signature_code<tensor(const tensor&, std::optional<std::span<const std::int64_t>>,
                                             std::optional<std::int64_t>, bool)>;
extern template struct signature_code<tensor(const tensor&, std::span<const std::int64_t>, const std::optional<tensor>&,
                                             std::optional<double>)>;
extern template struct signature_code<tensor(const tensor&, std::int64_t, std::optional<std::int64_t>,
                                             std::optional<std::int64_t>, std::int64_t)>;
extern template struct signature_code<tensor(const tensor&, std::int64_t, const std::optional<tensor>&,
                                             const std::optional<tensor>&, double, bool)>;
extern template struct signature_code<tensor(const tensor&, std::int64_t, std::int64_t, const std::optional<tensor>&,
                                             const std::optional<tensor>&)>;
extern template struct signature_code<tensor(std::int64_t, std::optional<dtype>, std::optional<layout>,
                                             std::optional<device>, std::optional<bool>)>;
extern template struct signature_code<tensor(const scalar&, std::optional<dtype>, std::optional<layout>,
                                             std::optional<device>, std::optional<bool>)>;
extern template struct signature_code<tensor(const tensor&, const scalar&, std::optional<std::span<const std::int64_t>>,
                                             bool, std::optional<dtype>)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const std::optional<tensor>&,
                                             const std::optional<tensor>&, std::int64_t)>;
extern template struct signature_code<tensor(const tensor&, const scalar&, bool, bool, std::optional<std::string_view>,
                                             const std::optional<tensor>&)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, bool, bool, std::optional<std::string_view>,
                                             const std::optional<tensor>&)>;
extern template struct signature_code<tensor(const tensor&, std::span<const std::int64_t>,
                                             std::span<const std::int64_t>, std::optional<std::int64_t>)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, std::int64_t, std::optional<std::int64_t>,
                                             std::optional<std::int64_t>, std::int64_t)>;
extern template struct signature_code<tensor(std::int64_t, std::int64_t, std::optional<dtype>, std::optional<layout>,
                                             std::optional<device>, std::optional<bool>)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const tensor&, const std::optional<tensor>&,
                                             double, bool, std::optional<double>, bool)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const tensor&, const std::optional<tensor>&,
                                             std::int64_t, std::int64_t, const tensor&)>;
extern template struct signature_code<tensor(const scalar&, const scalar&, std::optional<dtype>, std::optional<layout>,
                                             std::optional<device>, std::optional<bool>)>;
extern template struct signature_code<tensor(const tensor&, std::span<const std::int64_t>, const std::optional<tensor>&,
                                             const std::optional<tensor>&, double, bool)>;
extern template struct signature_code<tensor(const tensor&, std::span<const std::int64_t>,
                                             std::span<const std::int64_t>, std::span<const std::int64_t>, bool, bool)>;
extern template struct signature_code<tensor(std::span<const std::int64_t>, std::optional<dtype>, std::optional<layout>,
                                             std::optional<device>, std::optional<bool>)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, std::span<const std::int64_t>,
                                             std::span<const std::int64_t>, std::optional<std::int64_t>)>;
extern template struct signature_code<tensor(std::int64_t, std::int64_t, std::int64_t, std::optional<dtype>,
                                             std::optional<layout>, std::optional<device>, std::optional<bool>)>;
extern template struct signature_code<tensor(const scalar&, const scalar&, std::int64_t, std::optional<dtype>,
                                             std::optional<layout>, std::optional<device>, std::optional<bool>)>;
extern template struct signature_code<tensor(const scalar&, const scalar&, const scalar&, std::optional<dtype>,
                                             std::optional<layout>, std::optional<device>, std::optional<bool>)>;
extern template struct signature_code<tensor(const tensor&, std::optional<dtype>, std::optional<layout>,
                                             std::optional<device>, std::optional<bool>, std::optional<memory_format>)>;
extern template struct signature_code<tensor(std::int64_t, std::span<const std::int64_t>, std::optional<dtype>,
                                             std::optional<layout>, std::optional<device>, std::optional<bool>)>;
extern template struct signature_code<tensor(const tensor&, std::span<const std::int64_t>, std::optional<dtype>,
                                             std::optional<layout>, std::optional<device>, std::optional<bool>)>;
extern template struct signature_code<tensor(std::span<const std::int64_t>, const scalar&, std::optional<dtype>,
                                             std::optional<layout>, std::optional<device>, std::optional<bool>)>;
extern template struct signature_code<tensor(std::int64_t, const std::optional<generator>&, std::optional<dtype>,
                                             std::optional<layout>, std::optional<device>, std::optional<bool>)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, std::span<const std::int64_t>,
                                             std::span<const std::int64_t>, std::span<const std::int64_t>,
                                             std::int64_t)>;
extern template struct signature_code<tensor(const tensor&, std::optional<dtype>, std::optional<layout>,
                                             std::optional<device>, std::optional<bool>, bool,
                                             std::optional<memory_format>)>;
extern template struct signature_code<tensor(const scalar&, const scalar&, std::int64_t, double, std::optional<dtype>,
                                             std::optional<layout>, std::optional<device>, std::optional<bool>)>;
extern template struct signature_code<tensor(const tensor&, std::span<const std::int64_t>,
                                             std::span<const std::int64_t>, std::span<const std::int64_t>,
                                             std::span<const std::int64_t>, bool)>;
extern template struct signature_code<tensor(const tensor&, std::int64_t, std::optional<dtype>, std::optional<layout>,
                                             std::optional<device>, std::optional<bool>, std::optional<memory_format>)>;
extern template struct signature_code<tensor(std::int64_t, std::int64_t, std::span<const std::int64_t>,
                                             std::optional<dtype>, std::optional<layout>, std::optional<device>,
                                             std::optional<bool>)>;
extern template struct signature_code<tensor(const tensor&, const scalar&, std::optional<dtype>, std::optional<layout>,
                                             std::optional<device>, std::optional<bool>, std::optional<memory_format>)>;
extern template struct signature_code<tensor(const tensor&, std::span<const std::int64_t>,
                                             std::span<const std::int64_t>, std::span<const std::int64_t>, bool, bool,
                                             std::optional<std::int64_t>)>;
extern template struct signature_code<tensor(const tensor&, std::span<const std::int64_t>, const scalar&,
                                             std::optional<dtype>, std::optional<layout>, std::optional<device>,
                                             std::optional<bool>)>;
extern template struct signature_code<tensor(std::span<const std::int64_t>, std::optional<dtype>, std::optional<layout>,
                                             std::optional<device>, std::optional<bool>, std::optional<memory_format>)>;
extern template struct signature_code<tensor(std::span<const std::int64_t>, std::span<const std::int64_t>,
                                             std::optional<dtype>, std::optional<layout>, std::optional<device>,
                                             std::optional<bool>)>;
extern template struct signature_code<tensor(std::span<const std::int64_t>, const std::optional<generator>&,
                                             std::optional<dtype>, std::optional<layout>, std::optional<device>,
                                             std::optional<bool>)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const std::optional<tensor>&,
                                             std::span<const std::int64_t>, std::string_view,
                                             std::span<const std::int64_t>, std::int64_t)>;
extern template struct signature_code<tensor(const tensor&, std::int64_t, std::int64_t, std::optional<dtype>,
                                             std::optional<layout>, std::optional<device>, std::optional<bool>,
                                             std::optional<memory_format>)>;
extern template struct signature_code<tensor(const tensor&, const std::optional<tensor>&, const std::optional<tensor>&,
                                             const std::optional<tensor>&, const std::optional<tensor>&, bool, double,
                                             double, bool)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, std::span<const std::int64_t>,
                                             std::span<const std::int64_t>, std::span<const std::int64_t>, bool, bool,
                                             std::optional<std::int64_t>)>;
extern template struct signature_code<tensor(const tensor&, std::span<const std::int64_t>,
                                             std::span<const std::int64_t>, std::optional<dtype>, std::optional<layout>,
                                             std::optional<device>, std::optional<bool>)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const std::optional<tensor>&,
                                             std::span<const std::int64_t>, std::span<const std::int64_t>,
                                             std::span<const std::int64_t>, std::int64_t)>;
extern template struct signature_code<tensor(std::int64_t, std::span<const std::int64_t>,
                                             const std::optional<generator>&, std::optional<dtype>,
                                             std::optional<layout>, std::optional<device>, std::optional<bool>)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, std::span<const std::int64_t>,
                                             std::span<const std::int64_t>, std::span<const std::int64_t>,
                                             std::span<const std::int64_t>, std::int64_t)>;
extern template struct signature_code<tensor(double, double, std::span<const std::int64_t>,
                                             const std::optional<generator>&, std::optional<dtype>,
                                             std::optional<layout>, std::optional<device>, std::optional<bool>)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, std::span<const std::int64_t>,
                                             std::span<const std::int64_t>, std::span<const std::int64_t>,
                                             std::span<const std::int64_t>, bool, const tensor&)>;
extern template struct signature_code<tensor(std::int64_t, std::int64_t, std::span<const std::int64_t>,
                                             const std::optional<generator>&, std::optional<dtype>,
                                             std::optional<layout>, std::optional<device>, std::optional<bool>)>;
extern template struct signature_code<tensor(
    const tensor&, const tensor&, const std::optional<tensor>&, std::span<const std::int64_t>,
    std::span<const std::int64_t>, std::span<const std::int64_t>, std::int64_t, std::span<const std::int64_t>)>;
extern template struct signature_code<tensor(
    const tensor&, const tensor&, const std::optional<tensor>&, std::span<const std::int64_t>,
    std::span<const std::int64_t>, std::span<const std::int64_t>, bool, std::span<const std::int64_t>, std::int64_t)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const std::optional<tensor>&, const tensor&,
                                             const tensor&, const std::optional<tensor>&, std::int64_t, std::int64_t,
                                             std::int64_t, std::int64_t, dtype)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const std::optional<tensor>&,
                                             std::span<const std::int64_t>, std::int64_t, std::int64_t, std::int64_t,
                                             dtype)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const std::optional<tensor>&, std::int64_t,
                                             std::int64_t, bool)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const std::optional<tensor>&, std::int64_t,
                                             std::int64_t, std::int64_t, bool)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const tensor&, const std::optional<tensor>&,
                                             const std::optional<tensor>&, std::int64_t, std::int64_t, std::int64_t,
                                             std::int64_t, bool)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const tensor&, const std::optional<tensor>&,
                                             std::int64_t, std::int64_t, std::int64_t, std::int64_t)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const tensor&, const tensor&)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const tensor&, const tensor&, const tensor&,
                                             const tensor&, const tensor&, const tensor&, std::int64_t)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, const tensor&, std::span<const std::int64_t>,
                                             std::optional<dtype>, std::optional<layout>, std::optional<device>,
                                             std::optional<bool>)>;
extern template struct signature_code<tensor(const tensor&, const tensor&, std::span<const std::int64_t>,
                                             std::optional<dtype>, std::optional<layout>, std::optional<device>,
                                             std::optional<bool>, std::optional<bool>)>;
extern template struct signature_code<tensor(const tensor&, double, std::int64_t, std::int64_t, bool)>;
extern template struct signature_code<tensor(const tensor&, std::int64_t, const tensor&,
                                             std::span<const std::int64_t>)>;
extern template struct signature_code<tensor(const tensor&, std::int64_t, std::int64_t, bool)>;

}  // namespace topbit::author
