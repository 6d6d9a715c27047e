// The signatures of in-place forms: the first argument is written. Their code is compiled once, in sources that CMake
// makes from this list; tests/rules/binaries.sh says which are missing.
export module topbit.tensor:signatures.in_place;

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

extern template struct signature_code<tensor&(tensor&)>;
extern template struct signature_code<tensor&(tensor&, double, bool)>;
extern template struct signature_code<tensor&(tensor&, std::int64_t)>;
extern template struct signature_code<tensor&(tensor&, const scalar&)>;
extern template struct signature_code<tensor&(tensor&, const tensor&)>;
extern template struct signature_code<tensor&(tensor&, std::string_view)>;
extern template struct signature_code<tensor&(tensor&, const tensor&, bool)>;
extern template struct signature_code<tensor&(tensor&, std::optional<double>)>;
extern template struct signature_code<tensor&(tensor&, const scalar&, const scalar&)>;
extern template struct signature_code<tensor&(tensor&, const tensor&, const scalar&)>;
extern template struct signature_code<tensor&(tensor&, const tensor&, const tensor&)>;
extern template struct signature_code<tensor&(tensor&, const std::optional<generator>&)>;
extern template struct signature_code<tensor&(tensor&, std::int64_t, std::optional<dtype>)>;
extern template struct signature_code<tensor&(tensor&, double, const std::optional<generator>&)>;
extern template struct signature_code<tensor&(tensor&, std::int64_t, const tensor&, const scalar&)>;
extern template struct signature_code<tensor&(tensor&, std::int64_t, const tensor&, const tensor&)>;
extern template struct signature_code<tensor&(tensor&, const scalar&, const scalar&, const scalar&)>;
extern template struct signature_code<tensor&(tensor&, const tensor&, const tensor&, const scalar&)>;
extern template struct signature_code<tensor&(tensor&, std::int64_t, const std::optional<generator>&)>;
extern template struct signature_code<tensor&(tensor&, const scalar&, std::optional<std::string_view>)>;
extern template struct signature_code<tensor&(tensor&, const tensor&, const std::optional<generator>&)>;
extern template struct signature_code<tensor&(tensor&, const tensor&, std::optional<std::string_view>)>;
extern template struct signature_code<tensor&(tensor&, double, double, const std::optional<generator>&)>;
extern template struct signature_code<tensor&(tensor&, std::int64_t, const tensor&, const tensor&, const scalar&)>;
extern template struct signature_code<tensor&(tensor&, const std::optional<scalar>&, const std::optional<scalar>&)>;
extern template struct signature_code<tensor&(tensor&, const std::optional<tensor>&, const std::optional<tensor>&)>;
extern template struct signature_code<tensor&(tensor&, const tensor&, const tensor&, const scalar&, const scalar&)>;
extern template struct signature_code<tensor&(tensor&, std::span<const std::optional<tensor>>, const tensor&, bool)>;
extern template struct signature_code<tensor&(tensor&, std::int64_t, const tensor&, const scalar&, std::string_view)>;
extern template struct signature_code<tensor&(tensor&, std::int64_t, const tensor&, const tensor&, std::string_view)>;
extern template struct signature_code<tensor&(tensor&, std::int64_t, const tensor&, const tensor&, std::string_view,
                                              bool)>;
extern template struct signature_code<tensor&(tensor&, std::optional<double>, std::optional<double>,
                                              std::optional<double>)>;
extern template struct signature_code<tensor&(tensor&, std::int64_t, std::optional<std::int64_t>,
                                              const std::optional<generator>&)>;

}  // namespace topbit::author
