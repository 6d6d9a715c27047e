// The operators that make tensors or fill them with random numbers and have kernels of their own, each with its forms.
export module topbit.ops:create_forms;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :backend_call;
import :create;
import :fronted;
import :pointwise;
import :random;
import :random_rules;
import :sequence;
import :structured;

namespace topbit::detail {

tensor empty_strided(backend_call c, std::span<const std::int64_t> size, std::span<const std::int64_t> stride,
                     std::optional<dtype> type, std::optional<layout> how, std::optional<device> where,
                     std::optional<bool> pinned);
tensor& arange_out(backend_call c, const scalar& start, const scalar& end, const scalar& step, tensor& out);
tensor& range_out(backend_call c, const scalar& start, const scalar& end, const scalar& step, tensor& out);
tensor& linspace_out(backend_call c, const scalar& start, const scalar& end, std::int64_t steps, tensor& out);

using create_forms = forms_list<fronted<&empty_strided, ops::empty_strided, all_of(table_entry::any)>>;

inline constexpr auto counting = all_of(table_entry::arange);
using sequence_forms =
    forms_list<fronted<&arange_out, ops::arange_start_out, counting>, fronted<&range_out, ops::range_out, counting>,
               fronted<&linspace_out, ops::linspace_out, counting>>;

using random_forms =
    forms_list<ruled<uniform_rule, random_abilities, ops::uniform_>, ruled<normal_rule, random_abilities, ops::normal_>,
               ruled<exponential_rule, random_abilities, ops::exponential_>,
               ruled<random_rule, random_abilities, ops::random_>,
               ruled<random_to_rule, random_abilities, ops::random_to_>,
               ruled<random_from_rule, random_abilities, ops::random_from_>,
               ruled<bernoulli_rule, random_abilities, ops::bernoulli_p, ops::bernoulli_>,
               ruled<bernoulli_tensor_rule, random_abilities, ops::bernoulli_tensor_>,
               ruled<bernoulli_self_rule, random_abilities, ops::bernoulli, ops::bernoulli_out>,
               ruled<multinomial_rule, author::kernel_abilities{}, ops::multinomial, ops::multinomial_out>,
               fronted<&randperm_out, ops::randperm_generator_out, all_of(random_code::permutation)>>;

}  // namespace topbit::detail
