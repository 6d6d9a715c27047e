module topbit.transform;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :call;
import :rule_helpers;

namespace topbit::detail {

namespace {

using int_list = std::span<const std::int64_t>;

// Dimension `dim` of an example of this rank, in a tensor with the batch dimension first. An invalid one stays so.
std::int64_t shifted(std::int64_t dim, std::int64_t rank) {
  const std::int64_t dims = std::max<std::int64_t>(rank, 1);
  if (dim < -dims || dim >= dims) return dims + 1;
  return (dim < 0 ? dim + dims : dim) + 1;
}

bool takes_list(const batched_call& call, std::string_view name) {
  for (const author::schema_item& i : call.items()) {
    if (i.name == name) return i.modifiers[0] == author::type_modifier::list;
  }
  return false;
}

}  // namespace

void batch_reduction(const operator_handle& op, boxed_stack& stack) {
  batch(op, stack, [](batched_call& call) {
    for (operand& o : call.operands()) call.expand(o);
    operand& self = call.operands()[0];
    const std::int64_t rank = self.rank();
    value& dim = *call.argument("dim");
    value* const keepdim = call.argument("keepdim");
    const bool keeps = keepdim != nullptr && keepdim->get<bool>();
    // A number is reduced as one element, and stays a number.
    if (rank == 0) {
      self.physical = aten::unsqueeze(self.physical, 1);
      if (keepdim != nullptr) *keepdim = value(false);
    }
    if (dim.is<std::int64_t>()) {
      dim = value(shifted(dim.get<std::int64_t>(), rank));
      return call.finish(0);
    }
    if (dim.is_none() && !takes_list(call, "dim")) {
      // One index into all elements of the example.
      self.physical = flattened(self.physical);
      dim = value(std::int64_t{1});
      if (!keeps || rank == 0) return call.finish(0);
      shape kept{call.size()};
      for (std::int64_t i = 0; i < rank; ++i) kept.push_back(1);
      return call.finish(0, [&](const tensor& t) { return aten::reshape(t, kept); });
    }
    std::vector<std::int64_t> dims;
    if (!dim.is_none()) {
      for (const std::int64_t d : dim.get<int_list>()) dims.push_back(shifted(d, rank));
    }
    if (dims.empty()) {
      for (std::int64_t d = 1; d < self.physical.dim(); ++d) dims.push_back(d);
    }
    dim = value(std::move(dims));
    call.finish(0);
  });
}

void batch_whole(const operator_handle& op, const operator_handle& of_dimension, boxed_stack& stack) {
  batch(op, stack, [&](batched_call& call) {
    operand& self = call.operands()[0];
    call.move_to_front(self);
    const tensor flat = flattened(self.physical);
    inline_stack<8> along;
    for (const author::schema_item& i : of_dimension.parsed_schema()->arguments) {
      if (i.name == "self")
        along.push(value::borrow(flat));
      else if (i.name == "dim" && i.modifiers[0] == author::type_modifier::none)
        along.push(std::int64_t{1});
      else if (i.name == "dim")
        along.push(std::vector<std::int64_t>{1});
      else if (i.name == "keepdim")
        along.push(false);
      else
        along.push(call.argument(i.name)->lend());
    }
    of_dimension.call_boxed(along);
    const tensor result = along.top(of_dimension.result_count())[0].get<tensor>();
    call.finish_with(result, 0);
  });
}

void batch_along_dimension(const operator_handle& op, boxed_stack& stack) {
  batch(op, stack, [](batched_call& call) {
    const std::int64_t rank = call.operands()[0].rank();
    // Of numbers, the result is one; gather() has the dimensions of its index, all others those of their first operand.
    bool number = rank == 0;
    for (operand& o : call.operands()) {
      if (call.items()[o.argument].name == "index" && call.op().name().starts_with("aten::gather"))
        number = o.rank() == 0;
      const bool is_number = o.rank() == 0;
      call.expand(o);
      if (is_number) o.physical = aten::unsqueeze(o.physical, 1);
    }
    if (value* const dims = call.argument("dims")) {
      std::vector<std::int64_t> all;
      for (const std::int64_t d : dims->get<int_list>()) all.push_back(shifted(d, rank));
      *dims = value(std::move(all));
    } else {
      value& dim = *call.argument("dim");
      // cross() of no dimension takes the first one with three elements.
      std::int64_t given = 0;
      if (!dim.is_none()) {
        given = dim.get<std::int64_t>();
      } else {
        const shape& sizes = call.operands()[0].physical.sizes();
        while (given + 1 < rank && sizes[static_cast<std::size_t>(given) + 1] != 3) ++given;
      }
      dim = value(shifted(given, rank));
    }
    if (!number) return call.finish(0);
    call.finish(0, [](const tensor& t) { return aten::squeeze_dim(t, 1); });
  });
}

void batch_like(const operator_handle& op, boxed_stack& stack) {
  batch(op, stack, [](batched_call& call) {
    operand& self = call.operands()[0];
    if (value* const size = call.argument("size")) {
      call.move_to_front(self);
      std::vector<std::int64_t> sizes{call.size()};
      for (const std::int64_t n : size->get<int_list>()) sizes.push_back(n);
      *size = value(std::move(sizes));
      return call.finish(0);
    }
    call.finish(*self.dim);
  });
}

void refuse_batched(const operator_handle& op, boxed_stack& stack) {
  const batch_level& level = level_of(op, std::as_const(stack).top(op.argument_count()));
  const author::schema_view& s = *op.parsed_schema();
  const bool reads = !std::ranges::any_of(s.returns, [](const author::schema_item& r) { return r.type == "Tensor"; });
  std::string text(op.name());
  if (reads) {
    text += ": the tensor is batched (" + describe(level) +
            "), so it has no single value; use where() to choose, index_select() or gather() to look up";
  } else {
    text += ": the size of its result depends on elements, and examples may differ (" + describe(level) +
            "); use where(condition, a, b) or a mask";
  }
  throw shape_error(std::move(text), std::string(op.name()));
}

}  // namespace topbit::detail
