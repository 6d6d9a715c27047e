// Fronts of operators about which different elements there are.
export module topbit.ops:unique_rules;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :backend_call;
import :computed;
import :pointwise;
import :row_rules;
import :structured;
import :unique;

namespace topbit::detail {

// Values, the number of each element's value, and how often each is there; empty where they are not asked for.
using unique_results = std::tuple<tensor, tensor, tensor>;

struct unique_rule {
  static constexpr table_entries needs{.rowwise = true, .take = true, .nonzero = true};
  static unique_results run(backend_call c, const tensor& self, bool sorted, bool inverse, bool counts);
};
struct unique_pair_rule {
  static constexpr table_entries needs{.rowwise = true, .take = true, .nonzero = true};
  static std::tuple<tensor, tensor> run(backend_call c, const tensor& self, bool sorted, bool inverse);
};
struct unique_dim_rule {
  static constexpr table_entries needs{.rowwise = true, .take = true, .nonzero = true};
  static unique_results run(backend_call c, const tensor& self, std::int64_t dim, bool sorted, bool inverse,
                            bool counts);
};
struct unique_dim_consecutive_rule {
  static constexpr table_entries needs{.rowwise = true, .take = true, .nonzero = true};
  static unique_results run(backend_call c, const tensor& self, std::int64_t dim, bool inverse, bool counts);
};
struct unique_consecutive_rule {
  static constexpr table_entries needs{.rowwise = true, .take = true, .nonzero = true};
  static unique_results run(backend_call c, const tensor& self, bool inverse, bool counts,
                            std::optional<std::int64_t> dim);
};

struct isin_rule {
  static constexpr table_entries needs{.rowwise = true, .take = true};
  static result_meta meta(std::string_view op, const tensor& elements, const tensor& tests, bool unique, bool invert);
  static void run(backend_call c, const tensor& elements, const tensor& tests, bool unique, bool invert,
                  const tensor& out);
};

using unique_forms = forms_list<computed<unique_rule, ops::unique2>, computed<unique_pair_rule, ops::unique>,
                                computed<unique_dim_rule, ops::unique_dim>,
                                computed<unique_dim_consecutive_rule, ops::unique_dim_consecutive>,
                                computed<unique_consecutive_rule, ops::unique_consecutive>,
                                ruled<isin_rule, no_abilities, ops::isin, ops::isin_out>>;

}  // namespace topbit::detail
