module topbit.transform;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :call;

namespace topbit::detail {

std::string argument_text(const operator_handle& op, std::size_t i) {
  const author::schema_view* const s = op.parsed_schema();
  std::string text = "argument " + std::to_string(i);
  if (s != nullptr) text += " '" + std::string(s->arguments[i].name) + "'";
  return text;
}

namespace {

[[noreturn, gnu::cold]] void raise_ended(const operator_handle& op, std::size_t argument) {
  throw error(std::string(op.name()) + ": " + argument_text(op, argument) +
                  " is batched by a vmap that has ended, or runs on another thread; return it from the mapped function "
                  "instead of keeping it",
              std::string(op.name()));
}

}  // namespace

const batch_level& level_of(const operator_handle& op, std::span<const value> arguments) {
  std::uint64_t highest = 0;
  std::size_t from = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    author::each_tensor(arguments[i], [&](const tensor& t) {
      const batched_tensor* const b = batched_of(t);
      if (b == nullptr || b->level <= highest) return;
      highest = b->level;
      from = i;
    });
  }
  const batch_level* const l = level_numbered(highest);
  if (l == nullptr) raise_ended(op, from);
  return *l;
}

void raise_ended(const operator_handle& op, boxed_stack& arguments) {
  // Throws for this reason.
  level_of(op, std::as_const(arguments).top(op.argument_count()));
  std::abort();
}

void raise_of_example(const operator_handle& op, boxed_stack& arguments, error& e) {
  batched_call(op, arguments).raise_of_example(e);
}

batched_call::batched_call(const operator_handle& op, boxed_stack& stack)
    : batched_call(op, stack, level_of(op, std::as_const(stack).top(op.argument_count()))) {}

batched_call::batched_call(const operator_handle& op, boxed_stack& stack, const batch_level& level)
    : op_(op), schema_(op.parsed_schema()), stack_(stack), level_(&level), below_(level) {
  const std::span<const value> given = std::as_const(stack).top(op.argument_count());
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given[i].is<tensor>() || !given[i].get<tensor>().defined()) {
      arguments_.push(given[i].lend());
      continue;
    }
    if (count_ == most_operands) {
      throw error(std::string(op.name()) + ": found more than " + std::to_string(most_operands) +
                      " tensor arguments, wanted a batching rule of its own",
                  std::string(op.name()));
    }
    operand& o = operands_[count_++];
    batched_view seen = look_into(given[i].get<tensor>(), *level_);
    o.argument = i;
    o.physical = std::move(seen.physical);
    o.dim = seen.dim;
    o.written = schema_ != nullptr ? schema_->arguments[i].writes : given[i].is_reference();
    o.out = schema_ != nullptr && author::is_out(schema_->arguments[i]);
    arguments_.push(value::refer(o.physical));
  }
  check_written();
}

value* batched_call::argument(std::string_view name) noexcept {
  for (std::size_t i = 0; i < schema_->arguments.size(); ++i) {
    if (schema_->arguments[i].name == name) return &arguments_[i];
  }
  return nullptr;
}

void batched_call::move_to_front(operand& o) const {
  if (o.is_batched()) expand(o);
}

void batched_call::expand(operand& o) const {
  if (o.dim == 0) return;
  o.physical = with_batch_first(o.physical, o.dim, size());
  o.dim = 0;
}

void batched_call::check_written() {
  const std::span<const value> given = std::as_const(stack_).top(op_.argument_count());
  std::optional<std::size_t> batched;
  for (std::size_t i = 0; i < given.size() && !batched; ++i) {
    author::each_tensor(given[i], [&](const tensor& x) {
      if (is_batched_at(x, *level_)) batched = i;
    });
  }
  if (!batched) return;
  const auto refuse = [&](std::size_t argument, const tensor& x) {
    throw error(std::string(op_.name()) + ": " + argument_text(op_, *batched) + " is batched (" + describe(*level_) +
                    "), and " + argument_text(op_, argument) + " " + to_string(x.sizes()) +
                    ", which is written, is one tensor for all examples (made outside of the vmap, or seen by other "
                    "views); write to a copy of it, per_example(), or map it",
                std::string(op_.name()));
  };
  for (std::size_t i = 0; i < count_; ++i) {
    operand& o = operands_[i];
    if (!o.written || o.is_batched()) continue;
    const tensor x = o.physical;
    if (!become_batched(x, *level_)) refuse(o.argument, x);
    // Other arguments may be the same tensor, or its base.
    for (operand& other : operands()) {
      batched_view seen = look_into(given[other.argument].get<tensor>(), *level_);
      other.physical = std::move(seen.physical);
      other.dim = seen.dim;
    }
  }
  // Lists that are written have no other tensors than batched ones.
  for (std::size_t i = 0; schema_ != nullptr && i < given.size(); ++i) {
    if (!schema_->arguments[i].writes || given[i].is<tensor>()) continue;
    author::each_tensor(given[i], [&](const tensor& x) {
      if (!is_batched_at(x, *level_)) refuse(i, x);
    });
  }
}

void batched_call::finish(std::int64_t dim) {
  finish(dim, [](const tensor& t) -> const tensor& { return t; });
}

void batched_call::finish_with(const tensor& physical, std::int64_t dim) {
  value result(make_batched(physical, dim, *level_));
  replace_arguments({&result, 1});
}

const tensor* batched_call::argument_that_is(const tensor& result) const noexcept {
  const std::span<const value> given = std::as_const(stack_).top(op_.argument_count());
  for (std::size_t i = 0; i < count_; ++i) {
    const tensor& x = given[operands_[i].argument].get<tensor>();
    if (is_batched_at(x, *level_) && batched_of(x)->wrapped.same_as(result)) return &x;
  }
  return nullptr;
}

value batched_call::written_argument(std::size_t result) const {
  const value& argument = std::as_const(stack_).top(op_.argument_count())[author::written_argument(*schema_, result)];
  return argument.is_reference() ? argument.lend() : argument;  // which may be another result too
}

void batched_call::replace_arguments(std::span<value> results) {
  stack_.drop(op_.argument_count());
  for (value& v : results) stack_.push(std::move(v));
}

void batched_call::push_example(boxed_stack& to, std::int64_t example, bool copies_written,
                                std::vector<tensor>& held) const {
  const std::span<const value> given = std::as_const(stack_).top(op_.argument_count());
  const auto one = [&](const tensor& t) {
    const batched_view seen = look_into(t, *level_);
    if (!seen.physical.defined()) return tensor();
    // Ones are good probabilities, weights and deviations.
    if (seen.dim && size() == 0)
      return aten::new_ones(seen.physical, without_dimension(seen.physical.sizes(), *seen.dim));
    return example_of(seen.physical, seen.dim, example);
  };
  for (std::size_t i = 0; i < given.size(); ++i) {
    const bool written = schema_ != nullptr ? schema_->arguments[i].writes : given[i].is_reference();
    if (!written || !given[i].is<tensor>()) {
      const auto copied = [&](const tensor& x) { return x.defined() ? aten::clone(one(x)) : tensor(); };
      to.push(written && copies_written ? author::map_tensors(given[i], copied) : author::map_tensors(given[i], one));
      continue;
    }
    tensor t = one(given[i].get<tensor>());
    held.push_back(copies_written ? aten::clone(t) : std::move(t));
    to.push(value::refer(held.back()));
  }
}

void batched_call::call_examples_alone() {
  for (std::int64_t i = 0; i < size(); ++i) {
    std::vector<tensor> held;
    held.reserve(op_.argument_count());
    inline_stack<most_arguments> alone;
    push_example(alone, i, true, held);
    call_example(alone, i);
  }
}

void batched_call::call_example(boxed_stack& alone, std::int64_t example) const {
  try {
    op_.call_boxed(alone);
  } catch (error& e) {
    e.happened("in example " + std::to_string(example) + " of " + describe(*level_));
    throw;
  }
}

void batched_call::raise_of_example(error& e) {
  call_examples_alone();
  // What a rule says of the operator is about the batch.
  if (std::string_view(e.what()).starts_with(op_.name()))
    e.happened(describe(*level_));
  else
    e.happened("in the batching rule of " + std::string(op_.name()) + ", for " + describe(*level_));
  throw;
}

tensor batched_call::stacked(const std::vector<tensor>& examples, std::size_t result) const {
  if (std::ranges::all_of(examples, [](const tensor& x) { return !x.defined(); })) return {};
  if (size() == 0 && examples[0].defined()) {
    shape sizes{0};
    for (const std::int64_t n : examples[0].sizes()) sizes.push_back(n);
    return aten::new_empty(examples[0], sizes);
  }
  for (std::size_t i = 0; i < examples.size(); ++i) {
    if (examples[i].defined() && examples[i].sizes() == examples[0].sizes()) continue;
    const auto text = [](const tensor& t) {
      return t.defined() ? to_string(t.sizes()) : std::string("an undefined tensor");
    };
    throw shape_error(std::string(op_.name()) + ": example 0 gives " + text(examples[0]) + ", example " +
                          std::to_string(i) + " gives " + text(examples[i]) + " as result " + std::to_string(result) +
                          "; all examples must give the same sizes",
                      std::string(op_.name()));
  }
  return aten::stack(examples, 0);
}

void batched_call::loop() {
  if (size() == 0) {
    throw shape_error(std::string(op_.name()) +
                          ": found a batch of no examples, and no batching rule that would say what the results are",
                      std::string(op_.name()));
  }
  loop([&](boxed_stack& alone, std::int64_t example) { call_example(alone, example); });
}

void batched_call::finish_with_examples(const std::vector<std::vector<value>>& by_example) {
  std::vector<value> taken;
  for (std::size_t r = 0; r < op_.result_count(); ++r) {
    if (schema_ != nullptr && schema_->returns[r].writes) {
      taken.push_back(written_argument(r));
      continue;
    }
    std::vector<std::vector<tensor>> examples;  // by tensor of this result
    for (const std::vector<value>& of_example : by_example) {
      std::size_t n = 0;
      author::each_tensor(of_example[r], [&](const tensor& t) {
        if (n == examples.size()) examples.emplace_back();
        examples[n++].push_back(t);
      });
    }
    if (examples.empty()) {
      throw error(std::string(op_.name()) + ": result " + std::to_string(r) +
                      " is not a tensor, and examples may differ (" + describe(*level_) + ")",
                  std::string(op_.name()));
    }
    std::size_t n = 0;
    taken.push_back(author::map_tensors(by_example[0][r], [&](const tensor&) {
      const tensor together = stacked(examples[n++], r);
      return together.defined() ? make_batched(together, 0, *level_) : tensor();
    }));
  }
  replace_arguments(taken);
}

}  // namespace topbit::detail
