module topbit.transform;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.ops;
import :call;
import :forward;

namespace topbit::detail {

namespace {

constexpr std::size_t most_arguments = 16;

std::vector<tensor> tensors_in(std::span<const value> values) {
  std::vector<tensor> all;
  all.reserve(values.size());
  for (const value& v : values) author::each_tensor(v, [&](const tensor& t) { all.push_back(t); });
  return all;
}
template <class F>
bool any_tensor(std::span<const value> values, F f) {
  bool found = false;
  for (const value& v : values) author::each_tensor(v, [&](const tensor& t) { found = found || f(t); });
  return found;
}
bool is_differentiable(const tensor& t) noexcept { return t.defined() && is_floating(t.dtype()); }

std::vector<std::uint64_t> levels_of(std::span<const value> arguments) {
  std::vector<std::uint64_t> levels;
  for (const value& v : arguments) author::each_tensor(v, [&](const tensor& t) { add_levels(t, levels); });
  return levels;
}

// Calls the operator with f(t) in place of each tensor of its arguments; the tensors of the results, in order.
template <class F>
found_tangents results_with(const operator_handle& op, std::span<const value> arguments, F f) {
  inline_stack<most_arguments> call;
  for (const value& v : arguments) call.push(author::map_tensors(v, f));
  op.call_boxed(call);
  return tensors_in(std::as_const(call).top(op.result_count()));
}

bool returns_views(const operator_handle& op) {
  const author::schema_view* const s = op.parsed_schema();
  return s != nullptr && !s->returns.empty() && !s->returns[0].alias.empty();
}

// Whether a tangent found has the elements of an argument's: a rule may give back what it was given.
bool is_of_argument(const tensor& found, std::span<const value> arguments, std::uint64_t level) {
  return any_tensor(arguments, [&](const tensor& t) {
    const tensor along = tangent_of(t, level);
    return along.defined() && author::record_of(along).data == author::record_of(found).data;
  });
}

// Whether a derivative of the tangents of this level may be wanted: they or the arguments require gradients.
bool is_derived_again(std::span<const value> arguments, std::uint64_t level) {
  return grad_enabled() && any_tensor(arguments, [&](const tensor& t) {
           const tensor along = tangent_of(t, level);
           return requires_grad(t) || (along.defined() && requires_grad(along));
         });
}

// The arguments with a tangent as leaves, what stands in their places, the tangents, and the call's results.
struct recorded_call {
  std::vector<tensor> leaves, places, along, results;

  template <class Prepare>
  recorded_call(const dual_call& call, std::uint64_t level, Prepare prepare)
      : recorded_call([&](auto f) { return results_with(call.op, call.arguments, f); }, level, prepare) {}
  // `call(f)` calls with f(t) in place of each tensor t.
  template <class Call, class Prepare>
  recorded_call(Call call, std::uint64_t level, Prepare prepare) {
    const enable_grad recording;
    results = call([&](const tensor& t) {
      const tensor tangent = tangent_of(t, level);
      if (!tangent.defined()) return t;
      leaves.push_back(dual_alias(t, requires_grad(t)));
      if (!requires_grad(t)) require_grad(leaves.back());
      along.push_back(prepare(tangent));
      places.push_back(prepare(leaves.back()));
      return places.back();
    });
  }
};

[[noreturn]] void refuse_without_functional(const operator_handle& op) {
  throw error(std::string(op.name()) +
                  ": writes to an argument and has no functional form, so no derivative along a tangent either; call "
                  "operators that return their result",
              std::string(op.name()));
}

// Throws error if a tensor is about to get a tangent at one of the levels, and others see its memory, which would not.
void check_seen_by_no_others(const operator_handle& op, const tensor& self, std::span<const std::uint64_t> levels) {
  if (!is_differentiable(self) || !author::record_of(self).data) return;
  const tensor base = base_of(self);
  const auto has = [&](std::uint64_t level) {
    return tangent_of(self, level).defined() || (base.defined() && tangent_of(base, level).defined());
  };
  if (std::ranges::all_of(levels, has)) return;
  const std::uint32_t expected = base.defined() ? 2 : 1;
  if (author::record_of(self).data->references.load(std::memory_order_acquire) <= expected) return;
  throw error(std::string(op.name()) +
                  ": writes a tensor with a tangent to memory that other views of it see, which would not know the "
                  "tangent; make these views after the write, or write to a clone()",
              std::string(op.name()));
}

// Gives a tensor, whose elements have been written, the tangent of what was written; undefined is zero. To be called in
// the scope of a formula of the level.
void write_tangent(const tensor& self, std::uint64_t level, const tensor& along) {
  tensor own = own_tangent_of(self, level);
  if (own.defined()) {
    if (along.defined())
      aten::copy_(own, along);
    else
      aten::zero_(own);
    return;
  }
  if (!along.defined()) return;
  const tensor base = base_of(self);
  if (!base.defined()) {
    tensor made = aten::zeros_like(aten::detach(self));
    aten::copy_(made, along);
    return set_tangent(self, level, made);
  }
  // The base is dual from now on, and the view's tangent is a view of the base's.
  if (!own_tangent_of(base, level).defined()) set_tangent(base, level, aten::zeros_like(aten::detach(base)));
  const tensor of_base = own_tangent_of(base, level);
  const author::tensor_record &whole = author::record_of(base), &part = author::record_of(self);
  if (of_base.strides() != base.strides()) {
    throw layout_error(
        "found a write of a dual tensor to a view of a tensor whose elements are not dense; write to the "
        "tensor itself, or to a clone()");
  }
  tensor view = aten::as_strided(of_base, part.sizes, part.strides,
                                 part.offset - whole.offset + author::record_of(of_base).offset);
  set_tangent(self, level, view);
  aten::copy_(view, along);
}

void write_tangents(std::span<const tensor> written, const std::vector<std::uint64_t>& levels,
                    const found_tangents& results) {
  if (levels.empty()) return;
  for (std::size_t i = 0; i < written.size(); ++i) {
    const tensor& self = written[i];
    if (!is_differentiable(self)) continue;
    for (const std::uint64_t level : levels) {
      const tangent_levels::formula_scope scope(level);
      write_tangent(self, level, i < results.size() ? tangent_of(results[i], level) : tensor());
    }
    // The rule reads it as the result of the call, also where it is a view.
    tangent_levels::remember(author::recorded_result_of(is_view(self) ? base_of(self) : self), self);
  }
}

// The tensor with copies of its tangents: a formula may save them, and they are about to be written by what depends on
// the formula.
tensor unwritten_dual(const tensor& t, const std::vector<std::uint64_t>& levels) {
  tensor same;
  {
    const exclude_guard primal(key::ForwardAD);
    same = requires_grad(t) ? aten::alias(t) : author::make_alias(t);
  }
  for (const std::uint64_t level : levels) {
    const tangent_levels::formula_scope scope(level);
    if (const tensor along = tangent_of(t, level); along.defined()) set_tangent(same, level, aten::clone(along));
  }
  return same;
}

// What an operator writes has the tangents of the functional form's result. Random numbers depend on no element.
void call_written(const operator_handle& op, key_set keys, boxed_stack& stack,
                  const std::vector<std::uint64_t>& levels) {
  const author::schema_view& s = *op.parsed_schema();
  const std::span<const value> given = std::as_const(stack).top(op.argument_count());
  const std::vector<tensor> written = author::written_tensors(op, given);
  for (const tensor& w : written) check_seen_by_no_others(op, w, levels);
  found_tangents results;
  if (!op.tags().contains(tag::random)) {
    const std::optional<operator_handle> functional = functional_of(op);
    if (!functional) refuse_without_functional(op);
    // From the values before the write.
    std::vector<value> arguments;
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (!author::is_out(s.arguments[i])) arguments.push_back(given[i]);
    }
    const below_layers layers;
    results = results_with(*functional, arguments, [&](const tensor& t) {
      const bool overwritten = std::ranges::any_of(written, [&](const tensor& w) { return w.same_as(t); });
      return overwritten ? unwritten_dual(t, levels) : t;
    });
  }
  op.redispatch_boxed(keys & below(key::ForwardAD), stack);
  write_tangents(written, levels, results);
}

struct known_declarations {
  known_declarations() { author::hold_at_fork(mutex, author::fork_order::calling); }

  std::mutex mutex;
  std::unordered_map<const void*, gradient_declaration> of;
};
known_declarations& declarations() {
  static auto& all = *new known_declarations;
  return all;
}
// In a child, a thread that was making them would never end.
[[maybe_unused]] const known_declarations& made_at_load = declarations();

// How an operator without a formula is differentiated; see declaration_of().
gradient_declaration declared(const operator_handle& op) {
  known_declarations& known = declarations();
  const std::lock_guard lock(known.mutex);
  if (const auto found = known.of.find(op.id()); found != known.of.end()) return found->second;
  const gradient_declaration d = declaration_of(op);
  if (d != gradient_declaration::missing) known.of.emplace(op.id(), d);  // a rule may be registered later
  return d;
}

}  // namespace

void add_term(tensor& sum, const tensor& term) {
  if (term.defined()) sum = sum.defined() ? aten::add_Tensor(sum, term) : term;
}
void remember_result(const tensor& t) {
  if (t.defined() && may_be_dual(t)) tangent_levels::remember(author::recorded_result_of(t), t);
}

found_tangents linear_tangents(const dual_call& call, std::uint64_t level) {
  const bool views = returns_views(call.op);
  return results_with(call.op, call.arguments, [&](const tensor& t) {
    if (!is_differentiable(t)) return t;
    const tensor along = views ? own_tangent_of(t, level) : tangent_of(t, level);
    return along.defined() ? along : aten::zeros_like(aten::detach(t));
  });
}

found_tangents as_strided_tangents(const dual_call& call, std::uint64_t level) {
  const tensor& self = call.arguments[0].get<tensor>();
  const tensor along = own_tangent_of(self, level), base = base_of(self);
  // The memory around a view has a tangent where its base has.
  const tensor around = base.defined() ? tangent_of(base, level) : tensor();
  const bool whole = author::record_of(self).dense ||
                     (around.defined() && author::record_of(around).data == author::record_of(along).data);
  if (!whole || along.strides() != self.strides()) return transposed_tangents(call, level);
  std::optional<std::int64_t> offset;
  if (call.arguments[3].is<std::int64_t>()) {
    offset = call.arguments[3].get<std::int64_t>() - author::record_of(self).offset + author::record_of(along).offset;
  }
  return {aten::as_strided(along, call.arguments[1].get<std::span<const std::int64_t>>(),
                           call.arguments[2].get<std::span<const std::int64_t>>(), offset)};
}

found_tangents sum_tangents(const dual_call& call, std::uint64_t level) {
  const bool floating = !any_tensor(call.arguments, [](const tensor& t) { return !is_differentiable(t); });
  return floating ? linear_tangents(call, level) : transposed_tangents(call, level);
}

found_tangents product_tangents(const dual_call& call, std::uint64_t level) {
  const std::vector<tensor> factors = tensors_in(call.arguments);
  tensor sum;
  for (std::size_t wanted = 0; wanted < factors.size(); ++wanted) {
    const tensor along = tangent_of(factors[wanted], level);
    if (!along.defined()) continue;
    std::size_t i = 0;
    add_term(sum, results_with(call.op, call.arguments, [&](const tensor& t) { return i++ == wanted ? along : t; })[0]);
  }
  return {sum};
}

found_tangents layer_tangents(const dual_call& call, std::uint64_t level) {
  const tensor &input = call.arguments[0].get<tensor>(), &weight = call.arguments[1].get<tensor>();
  tensor sum;
  if (const tensor t = tangent_of(input, level); t.defined()) add_term(sum, aten::linear(t, weight, std::nullopt));
  if (const tensor t = tangent_of(weight, level); t.defined()) add_term(sum, aten::linear(input, t, std::nullopt));
  author::each_tensor(call.arguments[2], [&](const tensor& bias) {
    const tensor t = tangent_of(bias, level);
    if (t.defined()) add_term(sum, aten::expand(t, call.results[0].get<tensor>().sizes()));
  });
  return {sum};
}

found_tangents elementwise_tangents(const dual_call& call, std::uint64_t level) {
  const tensor& result = call.results[0].get<tensor>();
  // A gradient would be converted to the argument's dtype on the way.
  if (any_tensor(call.arguments, [&](const tensor& t) { return is_differentiable(t) && t.dtype() != result.dtype(); }))
    return transposed_tangents(call, level);
  const recorded_call recorded(call, level, [&](const tensor& t) { return aten::expand(t, result.sizes()); });
  found_tangents sum(1);
  for (std::size_t i = 0; i < recorded.leaves.size(); ++i) {
    // With respect to the expanded argument: no gradient is summed over the dimensions it was expanded to.
    const tensor& y = recorded.results[0];
    if (!requires_grad(y)) break;
    const tensor term = grad(y, recorded.places[i],
                             {.retain_graph = true,
                              .create_graph = is_derived_again(call.arguments, level),
                              .allow_unused = true,
                              .gradients = {recorded.along[i]}});
    add_term(sum[0], term);
  }
  return sum;
}

namespace {

// The tangents of the results: the gradient, a linear function of the gradients of the results, transposed.
found_tangents transposed(const recorded_call& recorded, bool again) {
  // As a function of the gradients of the results.
  std::vector<tensor> outputs, cotangents, pulled, along;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < recorded.results.size(); ++i) {
    const tensor& y = recorded.results[i];
    if (!is_differentiable(y) || !requires_grad(y)) continue;
    outputs.push_back(y);
    cotangents.push_back(require_grad(aten::zeros_like(aten::detach(y))));
    places.push_back(i);
  }
  found_tangents found(recorded.results.size());
  if (outputs.empty()) return found;
  {
    const enable_grad recording;
    const std::vector<tensor> all =
        grad(outputs, recorded.leaves,
             {.retain_graph = true, .create_graph = true, .allow_unused = true, .gradients = cotangents});
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i].defined() || !requires_grad(all[i])) continue;
      pulled.push_back(all[i]);
      along.push_back(recorded.along[i]);
    }
  }
  if (pulled.empty()) return found;
  const std::vector<tensor> pushed = grad(
      pulled, cotangents, {.retain_graph = again, .create_graph = again, .allow_unused = true, .gradients = along});
  for (std::size_t i = 0; i < pushed.size(); ++i) found[places[i]] = pushed[i];
  return found;
}

}  // namespace

found_tangents transposed_tangents(const dual_call& call, std::uint64_t level) {
  return transposed(recorded_call(call, level, [](const tensor& t) { return t; }),
                    is_derived_again(call.arguments, level));
}

namespace {

// Gives results, which are no arguments, their tangents: `formula(level)`. One that is a tangent of these arguments is
// shared with them: copied before it is written.
template <class Formula>
void set_tangents(std::span<const tensor> results, std::span<const std::uint64_t> levels,
                  std::span<const value> arguments, Formula formula) {
  for (const std::uint64_t level : levels) {
    const tangent_levels::formula_scope scope(level);
    const found_tangents found = formula(level);
    for (std::size_t i = 0; i < std::min(results.size(), found.size()); ++i) {
      if (is_differentiable(results[i]) && found[i].defined())
        set_tangent(results[i], level, found[i], is_of_argument(found[i], arguments, level));
    }
  }
  for (const tensor& t : results) remember_result(t);
}

// The same of a call with tangents of these levels.
void call_with_levels(const operator_handle& op, key_set keys, boxed_stack& stack,
                      const std::vector<std::uint64_t>& levels, forward_formula formula) {
  if (const author::schema_view* const s = op.parsed_schema(); s != nullptr && author::is_mutable(*s))
    return call_written(op, keys, stack, levels);
  const std::span<const value> top = std::as_const(stack).top(op.argument_count());
  const std::vector<value> arguments(top.begin(), top.end());
  op.redispatch_boxed(keys & below(key::ForwardAD), stack);
  const std::span<value> results = stack.top(op.result_count());
  // One that is an argument must not get another tangent than it has.
  const auto is_argument = [&](const tensor& y) {
    return y.defined() && any_tensor(arguments, [&](const tensor& t) { return t.same_as(y); });
  };
  for (value& v : results) {
    if (any_tensor({&v, 1}, is_argument))
      v = author::map_tensors(v, [](const tensor& t) { return t.defined() ? aten::alias(t) : t; });
  }
  // The tangents of views are views of the arguments'.
  const std::span<const value> lenders = returns_views(op) ? std::span<const value>() : arguments;
  set_tangents(tensors_in(results), levels, lenders,
               [&](std::uint64_t level) { return formula({op, arguments, results}, level); });
}

}  // namespace

void call_with_tangents(const operator_handle& op, key_set keys, boxed_stack& stack, forward_formula formula) {
  const std::vector<std::uint64_t> levels = levels_of(std::as_const(stack).top(op.argument_count()));
  if (levels.empty()) return op.redispatch_boxed(keys & below(key::ForwardAD), stack);
  call_with_levels(op, keys, stack, levels, formula);
}

void forward_function(const author::applied_function& call) {
  const std::vector<value> arguments(call.arguments.begin(), call.arguments.end());
  std::vector<tensor> results;
  {
    // backward() says what the derivative is, and not the operators that forward() calls.
    const tangent_levels::hidden_scope all(0);
    for (const tensor* const r : call.run()) results.push_back(*r);
  }
  set_tangents(results, levels_of(arguments), arguments, [&](std::uint64_t level) {
    if (call.jvp) {
      // It may read results, with the tangents of outer levels.
      for (const tensor& t : results) remember_result(t);
      std::vector<tensor> along;
      for (const tensor& t : call.arguments) along.push_back(tangent_of(t, level));
      return call.jvp(along);
    }
    const auto again = [&](auto f) {
      std::vector<tensor> with;
      for (const tensor& t : call.arguments) with.push_back(f(t));
      return call.again(with);
    };
    return transposed(recorded_call(again, level, [](const tensor& t) { return t; }),
                      is_derived_again(arguments, level));
  });
}

void forward_copy(const operator_handle& op, key_set keys, boxed_stack& stack) {
  const std::span<const value> top = std::as_const(stack).top(op.argument_count());
  const std::vector<std::uint64_t> levels = levels_of(top);
  const tensor self = top[0].get<tensor>(), source = top[1].get<tensor>();
  check_seen_by_no_others(op, self, levels);
  op.redispatch_boxed(keys & below(key::ForwardAD), stack);
  write_tangents({&self, 1}, levels, {source});
}

void forward_without_kind(const operator_handle& op, key_set keys, boxed_stack& stack) {
  const std::span<const value> top = std::as_const(stack).top(op.argument_count());
  const std::vector<std::uint64_t> levels = levels_of(top);
  if (levels.empty()) return op.redispatch_boxed(keys & below(key::ForwardAD), stack);
  switch (declared(op)) {
    case gradient_declaration::rule: return call_with_levels(op, keys, stack, levels, &transposed_tangents);
    case gradient_declaration::composite:
    case gradient_declaration::needless: return op.redispatch_boxed(keys & below(key::ForwardAD), stack);
    case gradient_declaration::none: {
      // What it writes does not depend on the arguments.
      const std::vector<tensor> written = author::written_tensors(op, top);
      op.redispatch_boxed(keys & below(key::ForwardAD), stack);
      return write_tangents(written, levels, {});
    }
    case gradient_declaration::missing: break;
  }
  throw error(std::string(op.name()) +
                  ": has no gradient rule, so no derivative along a tangent either; register a rule, or a fallthrough "
                  "if it has none",
              std::string(op.name()));
}

}  // namespace topbit::detail
