// Levels 4 to 7: operators on random tensors.
module topbit.backend_test;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :session;

namespace topbit::backend_test {

namespace {

// The arguments of a call with these tensors, in the order of the schema, and defaults; none if the operator
// needs something else.
std::optional<std::vector<value>> arguments_with(const operator_handle& op, std::span<const tensor> tensors) {
  std::vector<value> all;
  std::size_t next = 0;
  const author::schema_view& schema = *op.parsed_schema();
  for (std::size_t i = 0; i < schema.arguments.size(); ++i) {
    const author::schema_item& a = schema.arguments[i];
    if (a.writes && a.keyword_only) return {};  // out
    if (a.type == "Tensor" && next < tensors.size() && !a.has_default) {
      all.emplace_back(tensors[next++]);
    } else if (a.has_default) {
      all.push_back(author::read_argument(op, i, a.default_text));
    } else {
      return {};
    }
  }
  if (next != tensors.size()) return {};
  return all;
}

// Operators with this tag that take tensors and nothing else that has no default, in-place ones too.
struct candidate {
  operator_handle op;
  std::size_t tensors;
};
std::vector<candidate> operators_with(tag wanted) {
  std::vector<candidate> all;
  for (const std::string& name : registry::process().operators()) {
    const operator_handle op = find(name);
    if (!name.starts_with("aten::") || op.parsed_schema() == nullptr || !op.tags().contains(wanted)) continue;
    if (op.tags().contains(tag::random)) continue;
    const auto& arguments = op.parsed_schema()->arguments;
    const auto count = static_cast<std::size_t>(std::ranges::count_if(arguments, [](const author::schema_item& a) {
      return a.type == "Tensor" && !a.has_default && !a.keyword_only;
    }));
    const std::vector<tensor> undefined(count);
    if (count != 0 && arguments_with(op, undefined).has_value()) all.push_back({op, count});
  }
  return all;
}

std::string description(const operator_handle& op, std::span<const tensor> tensors, int way) {
  std::string text = std::string(op.name()) + " of";
  for (const tensor& t : tensors) text += " " + std::string(name_of(t.dtype())) + " " + to_string(t.sizes());
  return text + ", " + name_of_arrangement(way);
}

void run(session& s, const candidate& c, const shape& sizes, dtype type, int way, bound b, elements which) {
  std::vector<tensor> tensors;
  for (std::size_t i = 0; i < c.tensors; ++i) {
    tensors.push_back(arranged(s, sizes, type, i == 0 ? way : s.any(arrangements), which));
  }
  s.part(c.op.name(),
         [&] { s.compare_call(c.op, *arguments_with(c.op, tensors), b, description(c.op, tensors, way)); });
}

void call(session& s, std::string_view name, std::initializer_list<std::string_view> texts,
          std::initializer_list<tensor> tensors, bound b) {
  const operator_handle op = find(name);
  std::vector<value> arguments;
  auto tensor_at = tensors.begin();
  std::size_t index = 0;
  std::string text(name);
  for (const std::string_view t : texts) {
    text += " " + std::string(t);
    arguments.push_back(t == "T" ? value(*tensor_at++) : author::read_argument(op, index, t));
    ++index;
  }
  for (; index < op.argument_count(); ++index) {
    arguments.push_back(author::read_argument(op, index, op.parsed_schema()->arguments[index].default_text));
  }
  s.part(name, [&] { s.compare_call(op, arguments, b, text); });
}

constexpr std::array<dtype, 4> floating{dtype::float32, dtype::float64, dtype::float16, dtype::bfloat16};

}  // namespace

void test_pointwise(session& s) {
  const std::vector<candidate> all = operators_with(tag::pointwise);
  s.check(all.size() > 50, "found " + std::to_string(all.size()) + " pointwise operators, wanted more than 50");
  for (const candidate& c : all) {
    for (const dtype t : all_dtypes) {
      for (int way = 0; way < arrangements; ++way) {
        if (s.quick() && s.any(12) != 0) continue;
        run(s, c, {2, 3, 5}, t, way, elementwise, elements::special);
      }
    }
    for (const shape& sizes : {shape{}, shape{0}, shape{1}, shape{2, 1, 2, 1, 2, 1, 2, 3}, shape{1027}}) {
      if (!s.quick() || s.any(4) == 0) run(s, c, sizes, dtype::float32, 0, elementwise, elements::special);
    }
  }
}

void test_reductions(session& s) {
  for (const candidate& c : operators_with(tag::reduction)) {
    for (const dtype t : all_dtypes) {
      for (int way = 0; way < arrangements; ++way) {
        if (!s.quick() || s.any(8) == 0) run(s, c, {4, 3, 5}, t, way, summed, elements::ordinary);
      }
    }
  }
  // The ends of vectors, of blocks, and of grids.
  for (const std::int64_t n : {31, 33, 255, 257, 1023, 1025, 70'001}) {
    const auto x = [&] { return arranged(s, {n}, dtype::float32, 0); };
    call(s, "aten::sum", {"T"}, {x()}, summed);
    call(s, "aten::max", {"T"}, {x()}, exactly);
    call(s, "aten::cumsum", {"T", "0"}, {x()}, summed);
    call(s, "aten::softmax.int", {"T", "0"}, {x()}, summed);
    call(s, "aten::sort", {"T", "0"}, {x()}, exactly);
    call(s, "aten::sum.dim_IntList", {"T", "0"}, {arranged(s, {n, 3}, dtype::float32, 0)}, summed);
  }
  for (const dtype t : floating) {
    for (int way = 0; way < arrangements; ++way) {
      if (s.quick() && s.any(4) != 0) continue;
      const auto x = [&] { return arranged(s, {4, 7}, t, way); };
      for (const std::string_view dim : {"0", "1"}) {
        call(s, "aten::sum.dim_IntList", {"T", dim, "True"}, {x()}, summed);
        call(s, "aten::softmax.int", {"T", dim}, {x()}, summed);
        call(s, "aten::log_softmax.int", {"T", dim}, {x()}, summed);
        call(s, "aten::cumsum", {"T", dim}, {x()}, summed);
        call(s, "aten::sort", {"T", dim}, {x()}, exactly);
        call(s, "aten::max.dim", {"T", dim}, {x()}, exactly);
        call(s, "aten::var.dim", {"T", dim}, {x()}, summed);
        call(s, "aten::topk", {"T", "3", dim}, {x()}, exactly);
      }
      call(s, "aten::layer_norm", {"T", "[7]", "T", "T"}, {x(), arranged(s, {7}, t, 0), arranged(s, {7}, t, 0)},
           summed);
    }
  }
}

void test_products(session& s) {
  for (const std::int64_t n : {31, 33, 65, 129}) {
    call(s, "aten::mm", {"T", "T"},
         {arranged(s, {n, n + 2}, dtype::float32, 0), arranged(s, {n + 2, n + 1}, dtype::float32, 0)}, summed);
  }
  for (const dtype t : {dtype::float32, dtype::float64, dtype::float16, dtype::bfloat16, dtype::int64}) {
    for (int way = 0; way < arrangements; ++way) {
      if (s.quick() && s.any(4) != 0) continue;
      const auto x = [&](const shape& sizes) { return arranged(s, sizes, t, way); };
      call(s, "aten::mm", {"T", "T"}, {x({5, 7}), x({7, 3})}, summed);
      call(s, "aten::mm", {"T", "T"}, {x({5, 0}), x({0, 3})}, summed);
      call(s, "aten::bmm", {"T", "T"}, {x({2, 5, 7}), x({2, 7, 3})}, summed);
      call(s, "aten::addmm", {"T", "T", "T"}, {x({3}), x({5, 7}), x({7, 3})}, summed);
      call(s, "aten::mv", {"T", "T"}, {x({5, 7}), x({7})}, summed);
      call(s, "aten::dot", {"T", "T"}, {x({7}), x({7})}, summed);
      if (t == dtype::int64) continue;
      call(s, "aten::linear", {"T", "T", "T"}, {x({2, 5, 7}), x({3, 7}), x({3})}, summed);
      call(s, "aten::conv2d", {"T", "T", "T", "2", "1"}, {x({2, 4, 8, 7}), x({6, 4, 3, 3}), x({6})}, summed);
      call(s, "aten::conv2d", {"T", "T", "T", "1", "0", "1", "2"}, {x({1, 4, 5, 5}), x({2, 2, 3, 3}), x({2})}, summed);
      call(s, "aten::conv2d", {"T", "T", "T", "1", "2", "2"}, {x({1, 2, 7, 7}), x({3, 2, 3, 3}), x({3})}, summed);
      call(s, "aten::scaled_dot_product_attention", {"T", "T", "T"}, {x({2, 6, 4}), x({2, 5, 4}), x({2, 5, 3})},
           summed);
      if (t == dtype::float16 || t == dtype::bfloat16) continue;
      call(s, "aten::max_pool2d", {"T", "2"}, {x({1, 3, 6, 6})}, exactly);
      call(s, "aten::avg_pool2d", {"T", "3", "2", "1"}, {x({1, 3, 7, 7})}, summed);
    }
  }
}

void test_indices(session& s) {
  const auto list = [](std::initializer_list<std::int64_t> all) {
    return from_values(all, {static_cast<std::int64_t>(all.size())});
  };
  for (const dtype t : all_dtypes) {
    for (int way = 0; way < arrangements; ++way) {
      if (s.quick() && s.any(4) != 0) continue;
      const auto x = [&] { return arranged(s, {4, 3}, t, way); };
      call(s, "aten::index_select", {"T", "0", "T"}, {x(), list({3, 0, 3})}, exactly);
      call(s, "aten::index_select", {"T", "0", "T"}, {x(), list({0, 4})}, exactly);  // out of range
      call(s, "aten::gather", {"T", "1", "T"}, {x(), reshape(list({2, 1, 0, 0}), {4, 1})}, exactly);
      call(s, "aten::gather", {"T", "1", "T"}, {x(), reshape(list({2, 1, 3, 0}), {4, 1})}, exactly);  // out of range
      call(s, "aten::index_fill_.int_Scalar", {"T", "0", "T", "1"}, {arranged(s, {4, 3}, t, 0), list({1, 2})}, exactly);
      call(s, "aten::index_fill_.int_Scalar", {"T", "0", "T", "1"}, {arranged(s, {4, 3}, t, 0), list({1, 4})}, exactly);
      call(s, "aten::scatter.src", {"T", "0", "T", "T"}, {x(), reshape(list({2, 1, 0}), {1, 3}), x()}, exactly);
      call(s, "aten::nonzero", {"T"}, {x()}, exactly);
      call(s, "aten::masked_select", {"T", "T"}, {x(), arranged(s, {4, 3}, dtype::boolean, way)}, exactly);
      call(s, "aten::where.self", {"T", "T", "T"}, {arranged(s, {4, 3}, dtype::boolean, way), x(), x()}, exactly);
      if (is_floating(t)) call(s, "aten::embedding", {"T", "T"}, {x(), list({2, 2, 1})}, exactly);
    }
  }
}

}  // namespace topbit::backend_test
