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

using create_forms = forms_list<fronted<&empty_strided, aten::empty_strided, all_of(table_entry::any)>>;

inline constexpr auto counting = all_of(table_entry::arange);
using sequence_forms =
    forms_list<fronted<&arange_out, aten::arange_start_out, counting>, fronted<&range_out, aten::range_out, counting>,
               fronted<&linspace_out, aten::linspace_out, counting>>;

using random_forms = forms_list<
    ruled<uniform_rule, random_abilities, aten::uniform_>, ruled<normal_rule, random_abilities, aten::normal_>,
    ruled<exponential_rule, random_abilities, aten::exponential_>, ruled<random_rule, random_abilities, aten::random_>,
    ruled<random_to_rule, random_abilities, aten::random_to_>,
    ruled<random_from_rule, random_abilities, aten::random_from_>,
    ruled<bernoulli_rule, random_abilities, aten::bernoulli_p, aten::bernoulli_float_>,
    ruled<bernoulli_tensor_rule, random_abilities, aten::bernoulli_Tensor_>,
    ruled<bernoulli_self_rule, random_abilities, aten::bernoulli, aten::bernoulli_out>,
    ruled<multinomial_rule, author::kernel_abilities{}, aten::multinomial, aten::multinomial_out>,
    fronted<&randperm_out, aten::randperm_generator_out, all_of(random_code::permutation)>>;

}  // namespace topbit::detail
