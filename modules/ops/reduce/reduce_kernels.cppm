// The reductions with a kernel, each with its forms: definitions and every backend's kernels are registered from these
// lists.
module topbit.ops:reduce.reduce_kernels;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
import :elementwise.elementwise;
import :reduce.reduce;
import :reduce.reduce_parameters;
import :reduce.variance;
import :registration.structured;
import :registration.structured_forms;

namespace topbit::detail {

// Call::of(op, arguments...) is the reduction of a call, Call::code its operation.
template <class Call>
struct reduction_kernel {
  static constexpr tag_set tags = tag::reduction;
  static constexpr auto needs = all_of(Call::code);
  template <class... A>
  static result_meta meta(std::string_view op, const A&... a) {
    return Call::of(op, a...).meta();
  }
  template <class... A>
  static void run(backend_call c, const A&... a_and_out) {
    const auto all = std::tie(a_and_out...);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      run_reduction(c, Call::of(c.op, std::get<I>(all)...), std::get<sizeof...(I)>(all));
    }(std::make_index_sequence<sizeof...(A) - 1>{});
  }
};

inline dim_list one_dim(const std::int64_t& dim) { return std::span<const std::int64_t>(&dim, 1); }
inline dim_list one_dim(const std::optional<std::int64_t>& dim) { return dim ? one_dim(*dim) : dim_list(); }

template <reduction Code>
struct sum_calls {
  static constexpr reduction code = Code;
  using type = std::optional<dtype>;
  static reduction_call of(std::string_view op, const tensor& self, type t) {
    return sum_call(op, Code, self, {}, false, t);
  }
  static reduction_call of(std::string_view op, const tensor& self, const dim_list& dim, bool keepdim, type t) {
    return sum_call(op, Code, self, dim, keepdim, t);
  }
  static reduction_call of(std::string_view op, const tensor& self, const std::int64_t& dim, bool keepdim, type t) {
    return sum_call(op, Code, self, one_dim(dim), keepdim, t);
  }
};

template <reduction Code>
struct order_calls {
  static constexpr reduction code = Code;
  static reduction_call of(std::string_view op, const tensor& self) { return order_call(op, Code, self, {}, false); }
  static reduction_call of(std::string_view op, const tensor& self, std::span<const std::int64_t> dim, bool keepdim) {
    return order_call(op, Code, self, dim, keepdim);
  }
  static reduction_call of(std::string_view op, const tensor& self, const std::optional<std::int64_t>& dim,
                           bool keepdim) {
    return order_call(op, Code, self, one_dim(dim), keepdim);
  }
};

template <reduction Code>
struct truth_calls {
  static constexpr reduction code = Code;
  static reduction_call of(std::string_view op, const tensor& self) { return truth_call(op, Code, self, {}, false); }
  static reduction_call of(std::string_view op, const tensor& self, const std::int64_t& dim, bool keepdim) {
    return truth_call(op, Code, self, one_dim(dim), keepdim);
  }
};

struct count_calls {
  static constexpr reduction code = reduction::count_nonzero;
  static reduction_call of(std::string_view op, const tensor& self, const std::optional<std::int64_t>& dim) {
    return count_call(op, self, one_dim(dim));
  }
  static reduction_call of(std::string_view op, const tensor& self, std::span<const std::int64_t> dim) {
    return count_call(op, self, dim);
  }
};

template <reduction Code>
struct spread_calls {
  static constexpr reduction code = Code;
  static reduction_call of(std::string_view op, const tensor& self, const dim_list& dim,
                           std::optional<std::int64_t> correction, bool keepdim) {
    return spread_call(op, Code, self, dim, correction, keepdim);
  }
};

struct norm_calls {
  static constexpr reduction code = reduction::norm;
  using order = std::optional<scalar>;
  using some_dims = std::span<const std::int64_t>;
  static reduction_call of(std::string_view op, const tensor& self, const scalar& p) {
    return norm_call(op, self, p, {}, false, {});
  }
  static reduction_call of(std::string_view op, const tensor& self, const order& p, dtype type) {
    return norm_call(op, self, p, {}, false, type);
  }
  static reduction_call of(std::string_view op, const tensor& self, const order& p, some_dims dim, bool keepdim) {
    return norm_call(op, self, p, dim, keepdim, {});
  }
  static reduction_call of(std::string_view op, const tensor& self, const order& p, some_dims dim, bool keepdim,
                           dtype type) {
    return norm_call(op, self, p, dim, keepdim, type);
  }
};
struct vector_norm_calls {
  static constexpr reduction code = reduction::norm;
  static reduction_call of(std::string_view op, const tensor& self, const scalar& order, const dim_list& dim,
                           bool keepdim, std::optional<dtype> type) {
    return norm_call(op, self, order, dim, keepdim, type);
  }
};

struct logsumexp_calls {
  static constexpr reduction code = reduction::logsumexp;
  static reduction_call of(std::string_view op, const tensor& self, std::span<const std::int64_t> dim, bool keepdim) {
    return logsumexp_call(op, self, dim, keepdim);
  }
};

// Values and indices along one dimension.
template <reduction Code>
struct value_and_index_kernel {
  static constexpr tag_set tags = tag::reduction;
  static constexpr auto needs = all_of(Code);
  static std::array<result_meta, 2> meta(std::string_view op, const tensor& self, const std::int64_t& dim,
                                         bool keepdim) {
    const result_meta values = order_call(op, Code, self, one_dim(dim), keepdim).meta();
    return {values, {values.sizes, dtype::int64, values.where, {}}};
  }
  static void run(backend_call c, const tensor& self, const std::int64_t& dim, bool keepdim, const tensor& values,
                  const tensor& indices) {
    run_reduction(c, order_call(c.op, Code, self, one_dim(dim), keepdim), values, &indices);
  }
};

struct aminmax_kernel {
  static constexpr tag_set tags = tag::reduction;
  static constexpr auto needs = all_of(reduction::min, reduction::max);
  static std::array<result_meta, 2> meta(std::string_view op, const tensor& self,
                                         const std::optional<std::int64_t>& dim, bool keepdim) {
    const result_meta one = order_call(op, reduction::min, self, one_dim(dim), keepdim).meta();
    return {one, one};
  }
  static void run(backend_call c, const tensor& self, const std::optional<std::int64_t>& dim, bool keepdim,
                  const tensor& min, const tensor& max) {
    run_aminmax(c, self, one_dim(dim), keepdim, min, max);
  }
};

inline constexpr author::kernel_abilities reduction_abilities{.in_place = false, .converts = true};
inline constexpr author::kernel_abilities index_abilities{};

template <class Call, const auto&... Ops>
using reduction_forms = structured_forms<reduction_kernel<Call>, reduction_abilities, Ops...>;

inline constexpr auto reduce_forms = forms_list<
    reduction_forms<sum_calls<reduction::sum>, aten::sum, aten::sum_dim_IntList, aten::sum_IntList_out>,
    reduction_forms<sum_calls<reduction::nansum>, aten::nansum, aten::nansum_out>,
    reduction_forms<sum_calls<reduction::prod>, aten::prod, aten::prod_dim_int, aten::prod_int_out>,
    reduction_forms<order_calls<reduction::max>, aten::max, aten::max_unary_out, aten::amax, aten::amax_out>,
    reduction_forms<order_calls<reduction::min>, aten::min, aten::min_unary_out, aten::amin, aten::amin_out>,
    structured_forms<value_and_index_kernel<reduction::max_index>, index_abilities, aten::max_dim, aten::max_dim_max>,
    structured_forms<value_and_index_kernel<reduction::min_index>, index_abilities, aten::min_dim, aten::min_dim_min>,
    structured_forms<aminmax_kernel, reduction_abilities, aten::aminmax, aten::aminmax_out>,
    reduction_forms<order_calls<reduction::argmax>, aten::argmax, aten::argmax_out>,
    reduction_forms<order_calls<reduction::argmin>, aten::argmin, aten::argmin_out>,
    reduction_forms<truth_calls<reduction::any>, aten::any, aten::any_all_out, aten::any_dim, aten::any_out>,
    reduction_forms<truth_calls<reduction::all>, aten::all, aten::all_all_out, aten::all_dim, aten::all_out>,
    reduction_forms<count_calls, aten::count_nonzero, aten::count_nonzero_dim_IntList>,
    reduction_forms<norm_calls, aten::norm_Scalar, aten::norm_ScalarOpt_dtype, aten::norm_ScalarOpt_dim,
                    aten::norm_ScalarOpt_dim_dtype, aten::norm_out, aten::norm_dtype_out>,
    reduction_forms<vector_norm_calls, aten::linalg_vector_norm, aten::linalg_vector_norm_out>,
    reduction_forms<logsumexp_calls, aten::logsumexp, aten::logsumexp_out>,
    reduction_forms<spread_calls<reduction::var>, aten::var_correction, aten::var_correction_out>,
    reduction_forms<spread_calls<reduction::std>, aten::std_correction, aten::std_correction_out>>();

}  // namespace topbit::detail
