// The signatures of operators with several results, or with another one than a tensor. Their code is compiled once, in
// sources that CMake makes from this list; tests/rules/binaries.sh says which are missing.
export module topbit.tensor:signatures.several_results;

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

extern template struct signature_code<bool(const tensor&)>;
extern template struct signature_code<scalar(const tensor&)>;
extern template struct signature_code<bool(const tensor&, const tensor&)>;
extern template struct signature_code<std::vector<tensor>(const tensor&)>;
extern template struct signature_code<std::vector<tensor>(std::span<const tensor>)>;
extern template struct signature_code<std::tuple<tensor, tensor>(const tensor&, bool)>;
extern template struct signature_code<std::vector<tensor>(const tensor&, std::int64_t)>;
extern template struct signature_code<std::tuple<tensor, tensor>(const tensor&, bool, bool)>;
extern template struct signature_code<std::tuple<tensor, tensor>(const tensor&, std::int64_t)>;
extern template struct signature_code<bool(const tensor&, const tensor&, double, double, bool)>;
extern template struct signature_code<std::tuple<tensor, tensor>(const tensor&, std::int64_t, bool)>;
extern template struct signature_code<std::vector<tensor>(const tensor&, std::int64_t, std::int64_t)>;
extern template struct signature_code<std::vector<tensor>(std::span<const tensor>, std::string_view)>;
extern template struct signature_code<std::vector<tensor>(const tensor&, const tensor&, std::int64_t)>;
extern template struct signature_code<std::tuple<tensor, tensor, tensor>(const tensor&, bool, bool, bool)>;
extern template struct signature_code<std::tuple<tensor, tensor>(const tensor&, double, std::optional<bool>)>;
extern template struct signature_code<std::tuple<tensor&, tensor&>(const tensor&, std::int64_t, tensor&, tensor&)>;
extern template struct signature_code<std::tuple<tensor, tensor, tensor>(const tensor&, std::int64_t, bool, bool)>;
extern template struct signature_code<std::tuple<tensor, tensor>(const tensor&, std::int64_t, std::int64_t, bool)>;
extern template struct signature_code<std::tuple<tensor, tensor>(const tensor&, std::optional<std::int64_t>, bool)>;
extern template struct signature_code<std::vector<tensor>(const tensor&, std::span<const std::int64_t>, std::int64_t)>;
extern template struct signature_code<std::tuple<tensor&, tensor&>(const tensor&, std::int64_t, bool, tensor&,
                                                                   tensor&)>;
extern template struct signature_code<std::tuple<tensor, tensor, tensor>(const tensor&, std::int64_t, bool, bool,
                                                                         bool)>;
extern template struct signature_code<std::tuple<tensor, tensor>(const tensor&, std::int64_t, std::int64_t, bool,
                                                                 bool)>;
extern template struct signature_code<std::tuple<tensor, tensor>(const tensor&, std::optional<bool>, std::int64_t,
                                                                 bool)>;
extern template struct signature_code<std::tuple<tensor, tensor, tensor>(const tensor&, bool, bool,
                                                                         std::optional<std::int64_t>)>;
extern template struct signature_code<std::tuple<tensor&, tensor&>(const tensor&, std::int64_t, std::int64_t, bool,
                                                                   tensor&, tensor&)>;
extern template struct signature_code<std::tuple<tensor&, tensor&>(const tensor&, std::optional<std::int64_t>, bool,
                                                                   tensor&, tensor&)>;
extern template struct signature_code<std::tuple<tensor, tensor>(
    const tensor&, std::optional<std::span<const std::int64_t>>, bool, bool)>;
extern template struct signature_code<std::tuple<tensor&, tensor&>(const tensor&, std::int64_t, std::int64_t, bool,
                                                                   bool, tensor&, tensor&)>;
extern template struct signature_code<std::tuple<tensor&, tensor&>(const tensor&, std::optional<bool>, std::int64_t,
                                                                   bool, tensor&, tensor&)>;
extern template struct signature_code<std::tuple<tensor, tensor>(
    const tensor&, const tensor&, const std::optional<tensor>&, std::int64_t, std::int64_t)>;
extern template struct signature_code<std::tuple<tensor, tensor>(
    const tensor&, std::optional<std::span<const std::int64_t>>, std::optional<std::int64_t>, bool)>;
extern template struct signature_code<std::tuple<tensor&, tensor&>(
    const tensor&, const tensor&, const std::optional<tensor>&, std::int64_t, std::int64_t, tensor&, tensor&)>;
extern template struct signature_code<std::tuple<tensor, tensor, tensor>(
    const tensor&, std::span<const std::int64_t>, const std::optional<tensor>&, const std::optional<tensor>&, double)>;
extern template struct signature_code<std::tuple<tensor, tensor>(
    const tensor&, const tensor&, std::span<const std::int64_t>, const std::optional<tensor>&, double,
    std::span<const bool>)>;
extern template struct signature_code<std::tuple<tensor, tensor, tensor, tensor>(
    const tensor&, const tensor&, const tensor&, bool, std::int64_t, bool, const std::optional<tensor>&, bool)>;
extern template struct signature_code<std::tuple<tensor, tensor, tensor, tensor>(
    const tensor&, const tensor&, const tensor&, bool, std::int64_t, bool, const std::optional<tensor>&, bool,
    std::int64_t)>;
extern template struct signature_code<std::tuple<tensor, tensor>(
    const tensor&, std::span<const std::int64_t>, std::span<const std::int64_t>, std::span<const std::int64_t>,
    std::span<const std::int64_t>, bool)>;
extern template struct signature_code<std::tuple<tensor, tensor, tensor>(
    const tensor&, const tensor&, const tensor&, const tensor&, const std::optional<tensor>&, std::int64_t, double,
    bool, std::span<const bool>)>;
extern template struct signature_code<std::tuple<tensor, tensor, tensor, tensor>(
    const tensor&, const tensor&, const tensor&, bool, std::int64_t, bool, const std::optional<tensor>&, bool,
    std::optional<std::int64_t>)>;
extern template struct signature_code<void(std::vector<tensor>&, std::vector<tensor>&, std::vector<tensor>&, double,
                                           double, double, double, bool, bool, bool, const std::optional<tensor>&,
                                           const std::optional<tensor>&)>;
extern template struct signature_code<std::tuple<tensor&, tensor&>(
    const tensor&, std::span<const std::int64_t>, std::span<const std::int64_t>, std::span<const std::int64_t>,
    std::span<const std::int64_t>, bool, tensor&, tensor&)>;
extern template struct signature_code<std::tuple<tensor, tensor, tensor>(
    const tensor&, const std::optional<tensor>&, const std::optional<tensor>&, const std::optional<tensor>&,
    const std::optional<tensor>&, bool, double, double)>;
extern template struct signature_code<std::tuple<tensor, tensor, tensor>(
    const tensor&, const std::optional<tensor>&, const std::optional<tensor>&, const std::optional<tensor>&,
    const std::optional<tensor>&, std::int64_t, double)>;
extern template struct signature_code<std::tuple<tensor, tensor, tensor>(
    const tensor&, const tensor&, std::span<const std::int64_t>, const tensor&, const tensor&,
    const std::optional<tensor>&, const std::optional<tensor>&, std::span<const bool>)>;
extern template struct signature_code<void(std::vector<tensor>&, std::vector<tensor>&, std::vector<tensor>&,
                                           std::vector<tensor>&, std::vector<tensor>&, std::span<const tensor>, double,
                                           double, double, double, double, bool, bool, const std::optional<tensor>&,
                                           const std::optional<tensor>&)>;
extern template struct signature_code<std::tuple<tensor, tensor, tensor>(
    const tensor&, const tensor&, const tensor&, std::optional<std::span<const std::int64_t>>,
    std::span<const std::int64_t>, std::span<const std::int64_t>, std::span<const std::int64_t>, bool,
    std::span<const std::int64_t>, std::int64_t, std::span<const bool>)>;
extern template struct signature_code<std::tuple<tensor, tensor>(const tensor&, const tensor&, const tensor&,
                                                                 const tensor&, std::string_view)>;
extern template struct signature_code<std::tuple<tensor, tensor, tensor>(
    const tensor&, const tensor&, const tensor&, const tensor&, const tensor&, const tensor&, std::int64_t)>;

}  // namespace topbit::author
