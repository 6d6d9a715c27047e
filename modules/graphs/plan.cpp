module topbit.graphs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.ops;
import :calls;
import :memory;
import :plan;

namespace topbit::graphs {

namespace {
[[noreturn]] void refuse(const std::string& what) { throw graph_error("replay: " + what, "replay"); }
}  // namespace

device mapped(device_map map, device d) {
  for (const auto& [from, to] : map) {
    if (from == d) return to;
  }
  return d;
}

replay_plan::replay_plan(const graph& g, const replay_options& o) : graph_(g), options_(o) {
  const chosen_calls chosen(graph_);
  find_places(chosen.all());
  bind();
  for (const number n : chosen.all()) add(n);
  find_dead();
  find_fixed_offsets();
  // What a no_grad call made and has a gradient nevertheless is the result of a function with a backward() of its own.
  const auto has_own_gradient = [&](const tensor_value& t) {
    return t.requires_grad && t.maker != nothing && graph_.nodes()[t.maker].no_grad;
  };
  keeps_gradients_ = !std::ranges::any_of(graph_.tensors(), has_own_gradient) &&
                     std::ranges::all_of(graph_.nodes(), [](const node& n) { return n.phase == phase::forward; }) &&
                     graph_.written().empty();
}

// Nodes that stay, or none may.
void replay_plan::find_places(std::span<const number> calls) {
  const std::vector<uncovered> without = uncovered_among(graph_, calls, options_.map);
  if (without.empty()) return;
  if (options_.missing == missing::refuse) {
    std::string text =
        "found nodes without a kernel; record others, register kernels, or let them stay where they "
        "were recorded (missing::stay):";
    for (const uncovered& u : without) text += "\n  " + text_of_node(graph_, u.node) + ", on " + to_string(u.where);
    refuse(text);
  }
  for (const uncovered& u : without) {
    const node& n = graph_.nodes()[u.node];
    graph_.each_tensor(graph_.results(n), [&](number r, const argument&) {
      graph_.each_tensor(graph_.arguments(n), [&](number a, const argument&) {
        const number s = graph_.tensors()[a].storage;
        if (a == r || s == nothing || s != graph_.tensors()[r].storage) return;
        refuse(text_of_node(graph_, u.node) + " has no kernel on " + to_string(u.where) +
               " and cannot stay: its result shares the memory of an argument, which a copy would not");
      });
    });
    stayed_.push_back(u.node);
  }
}

void replay_plan::bind() {
  slots_.resize(graph_.tensors().size());
  for (const auto& outside : {graph_.parameters(), graph_.captured()}) {
    for (const named_value& one : outside) {
      slots_[one.tensor] = graph_.bound(one.tensor);
      const number s = graph_.tensors()[one.tensor].storage;
      if (s != nothing && slots_[one.tensor].defined()) groups_[s].push_back(one.tensor);
    }
  }
  for (const auto& [storage, all] : groups_) {
    const device from = graph_.bound(all[0]).device(), to = mapped(options_.map, graph_.tensors()[all[0]].where);
    if (from != to) bind_group(all, to);
    const bool is_captured =
        std::ranges::all_of(all, [&](number t) { return graph_.tensors()[t].from == source::captured; });
    if (is_captured && graph_.storages()[storage].writes != 0) written_captures_.push_back(all);
  }
}

void replay_plan::copy_bound() {
  for (const auto& [storage, all] : groups_) {
    if (slots_[all[0]].same_as(graph_.bound(all[0]))) bind_group(all, slots_[all[0]].device());
  }
}

void replay_plan::bind_group(std::span<const number> of_storage, device to) {
  const no_grad no_graph;
  const tensor& first = graph_.bound(of_storage[0]);
  const author::tensor_record& r = author::record_of(first);
  if (r.how != layout::strided || (r.data->data == nullptr && r.where.type != backend::Meta)) {
    for (const number t : of_storage) slots_[t] = topbit::to(graph_.bound(t), to);
    return;
  }
  const tensor whole = whole_memory_of(first);
  const tensor memory = to == first.device()       ? aten::clone(whole)
                        : to.type == backend::Meta ? author::make_tensor(whole.sizes(), r.type, to)
                                                   : topbit::to(whole, to);
  for (const number t : of_storage) {
    const author::tensor_record& one = author::record_of(graph_.bound(t));
    slots_[t] = author::make_view(memory, one.sizes, one.strides, one.offset);
  }
}

void replay_plan::add(number n) {
  const node& made = graph_.nodes()[n];
  call c{.op = made.op,
         .node = n,
         .first_operand = static_cast<number>(operands_.size()),
         .arguments = static_cast<number>(made.op.argument_count()),
         .results = static_cast<number>(made.op.result_count()),
         .draws = made.draws,
         .no_grad = made.no_grad};
  const std::span<const author::schema_item> items = made.op.parsed_schema()->arguments;
  const std::span<const argument> arguments = graph_.arguments(made);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    operand o = operand_of(arguments[i]);
    o.is_written = items[i].writes;
    o.is_optional = items[i].modifiers[0] == author::type_modifier::optional &&
                    items[i].modifiers[1] == author::type_modifier::list;
    if (items[i].type == "Device") map_device(o, made);
    operands_.push_back(o);
  }
  for (const argument& a : graph_.results(made)) operands_.push_back(operand_of(a));
  c.checks_sizes = options_.check_sizes || effects_of(graph_, n).tags.contains(tag::dynamic_output_shape);
  if (std::ranges::find(stayed_, n) != stayed_.end()) c.stays = place_of(graph_, made);
  calls_.push_back(c);
}

replay_plan::operand replay_plan::operand_of(const argument& a) {
  operand o{.is = a.is, .index = a.index};
  if (a.is == argument::kind::constant) o.constant = &graph_.constant(a);
  if (a.is == argument::kind::text) o.text = &graph_.text(a);
  if (a.is != argument::kind::tensors) return o;
  std::vector<operand> all;
  for (const argument& e : graph_.elements(a)) all.push_back(operand_of(e));
  o.index = static_cast<number>(list_operands_.size());
  o.count = static_cast<number>(all.size());
  list_operands_.insert(list_operands_.end(), all.begin(), all.end());
  return o;
}

// A device that the program named, or the one that a call without a name had.
void replay_plan::map_device(operand& o, const node& n) {
  const device recorded =
      o.constant != nullptr && o.constant->is<device>() ? o.constant->get<device>() : place_of(graph_, n);
  const device to = mapped(options_.map, recorded);
  if (to == recorded) return;
  mapped_devices_.push_back(std::make_unique<value>(to));
  o.is = argument::kind::constant;
  o.constant = mapped_devices_.back().get();
}

void replay_plan::find_dead() {
  std::vector<number> last(slots_.size(), nothing);
  const auto each_slot_of = [&](const call& c, auto visit) {
    for (number k = c.first_operand; k < c.first_operand + c.arguments + c.results; ++k) each_slot(operands_[k], visit);
  };
  for (number c = 0; c < calls_.size(); ++c) each_slot_of(calls_[c], [&](number slot) { last[slot] = c; });
  for (number t = 0; t < slots_.size(); ++t) {
    if (graph_.tensors()[t].from != source::node) last[t] = nothing;
  }
  for (const named_value& output : graph_.outputs()) last[output.tensor] = nothing;
  for (number c = 0; c < calls_.size(); ++c) {
    calls_[c].first_dead = static_cast<number>(dead_.size());
    each_slot_of(calls_[c], [&](number slot) {
      if (last[slot] != c) return;
      last[slot] = nothing;
      dead_.push_back(slot);
    });
    calls_[c].dead = static_cast<number>(dead_.size()) - calls_[c].first_dead;
  }
}

// as_strided and its like with an offset, which counts from the beginning of a storage.
void replay_plan::find_fixed_offsets() {
  for (const node& n : graph_.nodes()) {
    const std::span<const author::schema_item> items = n.op.parsed_schema()->arguments;
    if (items.empty() || items.back().name != "storage_offset") continue;
    const std::span<const argument> arguments = graph_.arguments(n);
    if (arguments.back().is != argument::kind::constant || arguments[0].is != argument::kind::tensor) continue;
    fixed_offsets_.insert(graph_.tensors()[arguments[0].index].storage);
  }
}

number replay_plan::parameter(std::string_view name) const {
  for (const named_value& one : graph_.parameters()) {
    if (one.name == name) return one.tensor;
  }
  refuse("found no parameter '" + std::string(name) + "'");
}

void replay_plan::each_argument(const call& c, const std::function<void(number, bool)>& visit) const {
  for (number k = 0; k < c.arguments; ++k) {
    const operand& o = operands_[c.first_operand + k];
    each_slot(o, [&](number slot) { visit(slot, o.is_written); });
  }
}
void replay_plan::each_result(const call& c, const std::function<void(number)>& visit) const {
  for (number k = 0; k < c.results; ++k) each_slot(operands_[c.first_operand + c.arguments + k], visit);
}

// ----------------------------------------------------------------------------------------------------- one replay

void replay_plan::check_input(const named_value& wanted, const tensor& given) const {
  const tensor_value& recorded = graph_.tensors()[wanted.tensor];
  const device where = mapped(options_.map, recorded.where);
  const auto fail = [&](const std::string& what) { refuse("input '" + wanted.name + "': " + what); };
  if (!given.defined()) fail("found an undefined tensor, wanted " + graph_.describe(wanted.tensor));
  if (given.dtype() != recorded.type) {
    fail("found " + std::string(name_of(given.dtype())) + ", wanted " + std::string(name_of(recorded.type)));
  }
  if (!std::ranges::equal(given.sizes(), graph_.sizes(wanted.tensor))) {
    fail("found sizes " + to_string(given.sizes()) + ", wanted " + to_string(shape(graph_.sizes(wanted.tensor))) +
         ", those of the recording");
  }
  if (given.device() != where) {
    fail("found a tensor on " + to_string(given.device()) + ", wanted one on " + to_string(where));
  }
  if (author::is_read_only(given) && recorded.storage != nothing && graph_.storages()[recorded.storage].writes != 0) {
    fail("found a read-only tensor, which the program writes; clone() makes one that can be written");
  }
  if (given.layout() != recorded.layout) fail("found another layout than that of the recording");
  if (recorded.layout != layout::strided) return;
  bool same_strides = true;
  for (std::size_t d = 0; d < given.sizes().size(); ++d) {
    same_strides = same_strides && (given.sizes()[d] <= 1 || given.numel() == 0 ||
                                    given.strides()[d] == graph_.strides(wanted.tensor)[d]);
  }
  if (!same_strides) {
    fail("found strides " + to_string(given.strides()) + ", wanted " + to_string(shape(graph_.strides(wanted.tensor))) +
         "; contiguous() makes a dense tensor");
  }
  if (fixed_offsets_.contains(recorded.storage) && author::record_of(given).offset != recorded.offset) {
    fail("found a tensor that begins at element " + std::to_string(author::record_of(given).offset) +
         " of its memory, wanted one at " + std::to_string(recorded.offset) +
         ", where views of it were recorded; clone() makes one at 0");
  }
}

void replay_plan::take_inputs(std::span<const tensor> inputs) {
  const std::span<const named_value> wanted = graph_.inputs();
  if (inputs.size() != wanted.size()) {
    refuse("found " + std::to_string(inputs.size()) + " inputs, wanted " + std::to_string(wanted.size()));
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) check_input(wanted[i], inputs[i]);
  for (std::size_t i = 0; i < inputs.size(); ++i) slots_[wanted[i].tensor] = inputs[i];
  check_sharing();
  for (const std::vector<number>& all : written_captures_) {
    bind_group(all, mapped(options_.map, graph_.tensors()[all[0]].where));
  }
}

// Of memory that the program writes, the tensors that share it are those that shared it in the recording.
void replay_plan::check_sharing() const {
  std::unordered_map<const storage*, named_value> known;  // with the storage's number
  std::vector<const storage*> memory(graph_.storages().size());
  for (const auto& outside : {graph_.inputs(), graph_.parameters()}) {
    for (const named_value& one : outside) {
      const number s = graph_.tensors()[one.tensor].storage;
      const storage* const data = author::record_of(slots_[one.tensor]).data.get();
      if (s == nothing || data == nullptr) continue;
      const auto [other, is_new] = known.try_emplace(data, one.name, s);
      const bool is_written = graph_.storages()[s].writes != 0 || graph_.storages()[other->second.tensor].writes != 0;
      const bool was_shared = other->second.tensor == s, is_shared = memory[s] == nullptr || memory[s] == data;
      if (is_written && !was_shared) {
        refuse("found '" + other->second.name + "' and '" + one.name +
               "' in one memory, which the program writes; in the recording each had its own");
      }
      if (is_written && !is_shared) {
        refuse("found '" + one.name +
               "' in memory of its own, which the program writes; in the recording it shared "
               "that of another tensor");
      }
      memory[s] = data;
    }
  }
}

void replay_plan::run(const call& c, boxed_stack& stack) {
  return c.stays ? run_elsewhere(c, stack) : run_here(c, stack);
}

void replay_plan::drop_dead(const call& c) noexcept {
  for (number d = c.first_dead; d < c.first_dead + c.dead; ++d) slots_[dead_[d]] = {};
}

std::vector<tensor> replay_plan::outputs() const {
  std::vector<tensor> all;
  for (const named_value& output : graph_.outputs()) all.push_back(slots_[output.tensor]);
  return all;
}

void replay_plan::clear() noexcept {
  for (std::size_t t = 0; t < slots_.size(); ++t) {
    const source from = graph_.tensors()[t].from;
    if (from == source::node || from == source::input) slots_[t] = {};
  }
}

void replay_plan::run_here(const call& c, boxed_stack& stack) {
  std::optional<no_grad> no_graph;
  if (c.no_grad && keeps_gradients_) no_graph.emplace();
  for (number k = 0; k < c.arguments; ++k) push(operands_[c.first_operand + k], stack);
  if (c.draws == nothing)
    c.op.call_boxed(stack);
  else
    draw(c, stack);
  const std::span<const value> results = std::as_const(stack).top(c.results);
  for (number k = 0; k < c.results; ++k) take(c, operands_[c.first_operand + c.arguments + k], results[k]);
  stack.drop(c.results);
}

void replay_plan::push(const operand& o, boxed_stack& stack) {
  switch (o.is) {
    case argument::kind::none: return stack.push(value());
    case argument::kind::undefined: return stack.push(value(tensor()));
    case argument::kind::tensor:
      return stack.push(o.is_written ? value::refer(slots_[o.index]) : value::borrow(slots_[o.index]));
    case argument::kind::tensors: return push_list(o, stack);
    default: return stack.push(o.constant->lend());
  }
}

void replay_plan::push_list(const operand& o, boxed_stack& stack) {
  const auto fill = [&]<class T>(std::vector<T> all) {
    for (number e = o.index; e < o.index + o.count; ++e) {
      const operand& one = list_operands_[e];
      if (one.is == argument::kind::tensor)
        all.emplace_back(slots_[one.index]);
      else if (one.is == argument::kind::undefined)
        all.emplace_back(tensor());
      else
        all.emplace_back();
    }
    return all;
  };
  if (o.is_optional) return stack.push(value(fill(std::vector<std::optional<tensor>>())));
  std::vector<tensor> all = fill(std::vector<tensor>());
  if (!o.is_written) return stack.push(value(std::move(all)));
  value mutable_list = value::refer(all);
  mutable_list.make_owned();
  stack.push(std::move(mutable_list));
}

void replay_plan::take(const call& c, const operand& o, const value& result) {
  if (o.is == argument::kind::tensor) return keep(c, o.index, result.get<tensor>());
  if (o.is == argument::kind::tensors) {
    number e = o.index;
    author::each_tensor(result, [&](const tensor& t) {
      if (e == o.index + o.count) raise(c, "found more results than the recording has");
      if (list_operands_[e].is == argument::kind::tensor) keep(c, list_operands_[e].index, t);
      ++e;
    });
    if (e != o.index + o.count) raise(c, "found fewer results than the recording has");
  } else if (o.is == argument::kind::text) {
    if (const std::string found = to_string(result); found != *o.text) {
      raise(c, "found " + found + ", the recording has " + *o.text + ", and the program may have gone another way");
    }
  }
}

void replay_plan::keep(const call& c, number slot, const tensor& t) {
  if (c.checks_sizes && !std::ranges::equal(t.sizes(), graph_.sizes(slot))) {
    raise(c, "found a result of sizes " + to_string(t.sizes()) + ", the recording has " +
                 to_string(shape(graph_.sizes(slot))) + ", which later calls rely on");
  }
  if (!slots_[slot].same_as(t)) slots_[slot] = t;
}

void replay_plan::raise(const call& c, const std::string& what) const {
  throw graph_mismatch("replay: " + text_of_node(graph_, c.node) + ": " + what, std::string(c.op.name()));
}

// The call draws the numbers of the recording. A generator of its own leaves those of the program alone; a call without
// a generator argument takes them from the default generator, which is put back.
void replay_plan::draw(const call& c, boxed_stack& stack) {
  if (options_.numbers == numbers::go_on) return c.op.call_boxed(stack);
  const philox_state position = graph_.draws()[c.draws].position;
  const auto set = [](generator& g, philox_state to) {
    g.set_seed(to.seed);
    g.take(to.offset);
  };
  const std::span<const author::schema_item> items = c.op.parsed_schema()->arguments;
  const auto given = std::ranges::find(items, "Generator", &author::schema_item::type);
  if (given != items.end()) {
    value& argument = stack.top(c.arguments)[static_cast<std::size_t>(given - items.begin())];
    generator own(position.seed, argument.is<generator>() ? argument.get<generator>().keys() : key_set{});
    own.take(position.offset);
    argument = value(std::move(own));
    return c.op.call_boxed(stack);
  }
  generator shared = default_generator(mapped(options_.map, place_of(graph_, graph_.nodes()[c.node])));
  const philox_state before = shared.take(0);
  set(shared, position);
  struct restored {
    const decltype(set)& put;
    generator& of;
    philox_state to;
    ~restored() { put(of, to); }
  } const guard{set, shared, before};
  c.op.call_boxed(stack);
}

// Arguments are copied to where the node was recorded; what it returned and wrote is copied back.
void replay_plan::run_elsewhere(const call& c, boxed_stack& stack) {
  const no_grad no_graph;
  std::unordered_map<number, tensor> were;
  std::vector<number> written;
  each_argument(c, [&](number slot, bool is_written) {
    if (slots_[slot].defined() && were.try_emplace(slot, slots_[slot]).second) {
      slots_[slot] = topbit::to(slots_[slot], *c.stays);
    }
    if (is_written) written.push_back(slot);
  });
  run_here(c, stack);
  each_result(c, [&](number slot) {
    if (were.contains(slot)) return;
    slots_[slot] = topbit::to(slots_[slot], mapped(options_.map, graph_.tensors()[slot].where));
  });
  for (const number slot : written) aten::copy_(were.at(slot), slots_[slot]);
  for (auto& [slot, was] : were) slots_[slot] = std::move(was);
}

}  // namespace topbit::graphs
