// Shape functions and kernel thunks of concatenation, repetition, flips and rotations.
export module topbit.ops:join_rules;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :backend_call;
import :join;
import :pointwise;
import :pointwise_code;
import :row_rules;
import :rowwise;
import :structured;

namespace topbit::detail {

using integers = std::span<const std::int64_t>;

struct cat_rule {
  static constexpr auto needs = all_of(table_entry::copy);
  static result_meta meta(std::string_view op, std::span<const tensor> tensors, std::int64_t dim);
  static void run(backend_call c, std::span<const tensor> tensors, std::int64_t dim, const tensor& out);
};
struct repeat_rule {
  static constexpr auto needs = all_of(table_entry::copy);
  static result_meta meta(std::string_view op, const tensor& self, integers repeats);
  static void run(backend_call c, const tensor& self, integers repeats, const tensor& out);
};
struct flip_rule {
  static constexpr auto needs = all_of(table_entry::copy);
  static result_meta meta(std::string_view op, const tensor& self, integers over);
  static void run(backend_call c, const tensor& self, integers over, const tensor& out);
};

result_meta triangle_meta(std::string_view op, const tensor& self);
// Keeps element [.., i, j] where code(j - i, diagonal) holds.
void run_triangle(backend_call c, pointwise code, const tensor& self, std::int64_t diagonal, const tensor& out);

template <pointwise Code>
struct triangle_rule {
  static constexpr auto needs = all_of(table_entry::arange, Code, pointwise::where);
  static result_meta meta(std::string_view op, const tensor& self, std::int64_t) { return triangle_meta(op, self); }
  static void run(backend_call c, const tensor& self, std::int64_t diagonal, const tensor& out) {
    run_triangle(c, Code, self, diagonal, out);
  }
};

struct diag_rule {
  static constexpr auto needs = all_of(table_entry::copy, pointwise::fill);
  static result_meta meta(std::string_view op, const tensor& self, std::int64_t diagonal);
  static void run(backend_call c, const tensor& self, std::int64_t diagonal, const tensor& out);
};

using join_forms =
    forms_list<ruled<cat_rule, author::kernel_abilities{.converts = true}, aten::cat, aten::cat_out>,
               ruled<repeat_rule, no_abilities, aten::repeat>, ruled<flip_rule, no_abilities, aten::flip>,
               ruled<triangle_rule<pointwise::le>, pointwise_abilities, aten::tril, aten::tril_, aten::tril_out>,
               ruled<triangle_rule<pointwise::ge>, pointwise_abilities, aten::triu, aten::triu_, aten::triu_out>,
               ruled<diag_rule, no_abilities, aten::diag, aten::diag_out>>;

}  // namespace topbit::detail
