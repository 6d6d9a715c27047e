// Example b of a vmap draws from a subsequence of its own, at the position where a call of one example draws. So its
// numbers depend neither on the number of examples nor on chunks, and the generator advances as for one example.
module topbit.transform;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :call;
import :random_rules;

namespace topbit::detail {

struct drawn_positions {
  author::random_positions list;
};

chunk_draws::chunk_draws() : all_(new drawn_positions) {}
chunk_draws::~chunk_draws() = default;
drawn_positions* chunk_draws::begin_chunk() noexcept {
  all_->list.restart();
  return all_.get();
}

namespace {

void call_below_mode(const operator_handle& op, key_set keys, boxed_stack& arguments) {
  op.redispatch_boxed(keys & below(key::FuncTorchVmapMode), arguments);
}

bool has_batched(const operator_handle& op, const boxed_stack& arguments, const batch_level& l) {
  bool found = false;
  for (const value& v : arguments.top(op.argument_count())) {
    author::each_tensor(v, [&](const tensor& x) { found = found || is_batched_at(x, l); });
  }
  return found;
}

void check_said(const operator_handle& op, const batch_level& l) {
  if (l.random != randomness::error) return;
  throw error(std::string(op.name()) +
                  ": draws random numbers within vmap, and it was not said whether examples share them; pass random = "
                  "tb::randomness::same or different",
              std::string(op.name()));
}

// Gives what is written a place for each example, where it was made within the level.
void make_places(const operator_handle& op, const boxed_stack& arguments, const batch_level& l) {
  const std::span<const author::schema_item> items = op.parsed_schema()->arguments;
  const std::span<const value> given = arguments.top(op.argument_count());
  const below_level outside(l);
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!items[i].writes || !given[i].is<tensor>()) continue;
    const tensor& x = given[i].get<tensor>();
    if (x.defined() && !is_batched_at(x, l)) become_batched(x, l);
  }
}

// Each example writes memory of its own. Called where numbers are drawn for each example.
void check_written(batched_call& call) {
  for (const operand& o : call.operands()) {
    if (!o.written) continue;
    const std::string found = std::string(call.op().name()) + ": " + argument_text(call.op(), o.argument) + " ";
    if (!o.is_batched()) {
      throw error(found + to_string(o.physical.sizes()) +
                      ", which is written, is one tensor for all examples (made outside of the vmap, or seen by other "
                      "views), and each draws its own numbers (" +
                      describe(call.level()) + "); write to per_example(" + std::string(call.items()[o.argument].name) +
                      "), or map it",
                  std::string(call.op().name()));
    }
    if (call.size() > 1 && o.physical.numel() != 0 && o.physical.strides()[static_cast<std::size_t>(*o.dim)] == 0) {
      throw shape_error(found + "is written, and its examples (" + describe(call.level()) +
                            ") share memory; write to a clone() of what is mapped",
                        std::string(call.op().name()));
    }
  }
}

// Calls the operator for each example. All find the positions that the first one drew at: those of its call, which are
// part of the list of the whole vmap if that runs in chunks.
void draw_for_each(const operator_handle& op, boxed_stack& arguments, const batch_level& l) {
  if (l.random == randomness::different) make_places(op, arguments, l);
  batched_call call(op, arguments, l);
  check_written(call);
  author::random_positions of_call;
  author::random_positions& positions = l.place.positions != nullptr ? l.place.positions->list : of_call;
  const std::size_t before = positions.drawn();
  call.loop([&](boxed_stack& alone, std::int64_t i) {
    positions.rewind(before);
    std::optional<std::int64_t> number;
    if (l.random == randomness::different) number = l.place.first_example + i;
    const author::random_stream numbers(positions, number, l.stream_depth);
    call.call_example(alone, i);
  });
}

// Calls the operator once: nothing is batched at the level, and all examples draw the same numbers.
void draw_for_all(const operator_handle& op, boxed_stack& arguments, const batch_level& l) {
  const below_level outside(l);
  if (l.place.positions == nullptr) return op.call_boxed(arguments);
  const author::random_stream numbers(l.place.positions->list, std::nullopt, l.stream_depth);
  op.call_boxed(arguments);
}

// Whether a dropout with these arguments draws: its input, p and train. Its kernel refuses values of other types.
bool drops_some(const operator_handle& op, const boxed_stack& arguments) {
  const std::span<const value> given = arguments.top(op.argument_count());
  if (!given[0].is<tensor>() || !given[1].is<double>()) return false;
  const tensor& input = given[0].get<tensor>();
  const double p = given[1].get<double>();
  const bool train = given[2].is<bool>() ? given[2].get<bool>() : given[2].is_none();
  if (!train || !input.defined() || input.numel() == 0) return false;
  // The mask of native_dropout is drawn even where p leaves no choice.
  return (p > 0 && p < 1) || ((p == 0 || p == 1) && op == aten::native_dropout.handle());
}

}  // namespace

void random_call::operator()(const operator_handle& op, key_set keys, boxed_stack& arguments) const {
  const batch_level* const l = this_thread_level;
  // A gradient is computed after the vmap that recorded it.
  if (l == nullptr) return call_below_mode(op, keys, arguments);
  check_said(op, *l);
  if (l->random == randomness::different || has_batched(op, arguments, *l))
    draw_for_each(op, arguments, *l);
  else
    draw_for_all(op, arguments, *l);
}

void dropout_call::operator()(const operator_handle& op, key_set keys, boxed_stack& arguments) const {
  const batch_level* const l = this_thread_level;
  if (l == nullptr || !drops_some(op, arguments)) return call_below_mode(op, keys, arguments);
  check_said(op, *l);
  // Its parts draw into a tensor like the input, which must have a place for each example.
  if (l->random == randomness::different && !has_batched(op, arguments, *l))
    draw_for_each(op, arguments, *l);
  else
    call_below_mode(op, keys, arguments);
}

}  // namespace topbit::detail
