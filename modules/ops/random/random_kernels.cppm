// Shape functions and kernel thunks of operators that fill a tensor with random numbers.
module topbit.ops:random.random_kernels;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
import :registration.structured;
import :registration.structured_forms;
import :random.random;
import :registration.unstructured;
import :elementwise.elementwise;

namespace topbit::detail {

// The ABI's operation codes, with the same values.
enum class random_code : std::int32_t {
  uniform,
  normal,
  exponential,
  integer,
  bernoulli,
  bernoulli_of,
  permutation,
  multinomial,
  check_probabilities,
  check_weights,
  count
};
template <>
inline constexpr table_entry entry_of<random_code> = table_entry::random;

using generator_argument = const std::optional<generator>&;

// Writes every element, of any dtype, without reading its argument `self`.
inline constexpr author::kernel_abilities random_abilities{.in_place = true, .converts = true};

struct uniform_kernel {
  static constexpr auto needs = all_of(random_code::uniform);
  static result_meta meta(std::string_view op, const tensor& self, double from, double to, generator_argument g);
  static void run(backend_call c, const tensor& self, double from, double to, generator_argument g, const tensor& out);
};
struct normal_kernel {
  static constexpr auto needs = all_of(random_code::normal);
  static result_meta meta(std::string_view op, const tensor& self, double mean, double std, generator_argument g);
  static void run(backend_call c, const tensor& self, double mean, double std, generator_argument g, const tensor& out);
};
struct exponential_kernel {
  static constexpr auto needs = all_of(random_code::exponential);
  static result_meta meta(std::string_view op, const tensor& self, double rate, generator_argument g);
  static void run(backend_call c, const tensor& self, double rate, generator_argument g, const tensor& out);
};

struct random_kernel {
  static constexpr auto needs = all_of(random_code::integer);
  static result_meta meta(std::string_view op, const tensor& self, generator_argument g);
  static void run(backend_call c, const tensor& self, generator_argument g, const tensor& out);
};
struct random_to_kernel {
  static constexpr auto needs = all_of(random_code::integer);
  static result_meta meta(std::string_view op, const tensor& self, std::int64_t to, generator_argument g);
  static void run(backend_call c, const tensor& self, std::int64_t to, generator_argument g, const tensor& out);
};
struct random_from_kernel {
  static constexpr auto needs = all_of(random_code::integer);
  using bound = std::optional<std::int64_t>;
  static result_meta meta(std::string_view op, const tensor& self, std::int64_t from, bound to, generator_argument g);
  static void run(backend_call c, const tensor& self, std::int64_t from, bound to, generator_argument g,
                  const tensor& out);
};

// bernoulli.p and bernoulli_.float.
struct bernoulli_kernel {
  static constexpr auto needs = all_of(random_code::bernoulli);
  static result_meta meta(std::string_view op, const tensor& self, double p, generator_argument g);
  static void run(backend_call c, const tensor& self, double p, generator_argument g, const tensor& out);
};
struct bernoulli_tensor_kernel {
  static constexpr auto needs = all_of(random_code::bernoulli_of, random_code::check_probabilities);
  static result_meta meta(std::string_view op, const tensor& self, const tensor& p, generator_argument g);
  static void run(backend_call c, const tensor& self, const tensor& p, generator_argument g, const tensor& out);
};
// Each element is its own probability.
struct bernoulli_self_kernel {
  static constexpr auto needs = all_of(random_code::bernoulli_of, random_code::check_probabilities);
  static result_meta meta(std::string_view op, const tensor& self, generator_argument g);
  static void run(backend_call c, const tensor& self, generator_argument g, const tensor& out);
};

struct multinomial_kernel {
  static constexpr auto needs = all_of(random_code::multinomial, random_code::check_weights);
  static result_meta meta(std::string_view op, const tensor& self, std::int64_t samples, bool again,
                          generator_argument g);
  static void run(backend_call c, const tensor& self, std::int64_t samples, bool again, generator_argument g,
                  const tensor& out);
};

tensor& randperm_out(backend_call c, std::int64_t n, generator_argument g, tensor& out);

// Throws unless [low, high) contains integers, and the dtype represents them.
void check_integers(backend_call c, std::int64_t low, std::int64_t high, dtype type);
void check_permutation(backend_call c, std::int64_t n, dtype type);

inline constexpr auto random_forms = forms_list<
    structured_forms<uniform_kernel, random_abilities, aten::uniform_>,
    structured_forms<normal_kernel, random_abilities, aten::normal_>,
    structured_forms<exponential_kernel, random_abilities, aten::exponential_>,
    structured_forms<random_kernel, random_abilities, aten::random_>,
    structured_forms<random_to_kernel, random_abilities, aten::random_to_>,
    structured_forms<random_from_kernel, random_abilities, aten::random_from_>,
    structured_forms<bernoulli_kernel, random_abilities, aten::bernoulli_p, aten::bernoulli_float_>,
    structured_forms<bernoulli_tensor_kernel, random_abilities, aten::bernoulli_Tensor_>,
    structured_forms<bernoulli_self_kernel, random_abilities, aten::bernoulli, aten::bernoulli_out>,
    structured_forms<multinomial_kernel, author::kernel_abilities{}, aten::multinomial, aten::multinomial_out>,
    unstructured<function_kernel<&randperm_out, all_of(random_code::permutation)>, aten::randperm_generator_out>>();

}  // namespace topbit::detail
