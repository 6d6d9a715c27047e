module topbit.graphs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.ops;
import :calls;
import :functional_operators;

namespace topbit::graphs {

namespace {

// What is in a storage: the elements of one tensor, by its indices; or all of it, as a line. Each write gives another.
struct storage_state {
  number held = nothing;  // in the new graph
  number as = nothing;    // the tensor of the old graph that has them; nothing: a line
  number writes = 0;
  bool is_outside = false;
};

class functionalizing {
 public:
  explicit functionalizing(const graph& g)
      : g_(g),
        states_(g.storages().size()),
        now_(g.tensors().size(), nothing),
        seen_(g.tensors().size()),
        originals_(g.tensors().size(), nothing),
        nodes_(g.nodes().size(), nothing) {}

  pass_result run() && {
    for (const fault& f : g_.faults()) refuse(text_of_node(g_, f.node) + " did not do what its schema says: " + f.text);
    for (const named_value& one : g_.inputs()) made_.add_input(one.name, from_outside(one.tensor));
    for (const named_value& one : g_.parameters()) {
      made_.add_parameter(one.name, from_outside(one.tensor), g_.bound(one.tensor));
    }
    for (const named_value& one : g_.captured()) {
      made_.add_captured(one.name, from_outside(one.tensor), g_.bound(one.tensor));
    }
    for (number i = 0; i < g_.nodes().size();) {
      const node& n = g_.nodes()[i];
      // A composite that makes or writes something itself is one call; of others the parts are.
      bool is_call = n.end == i + 1 || writes_itself(g_, i);
      g_.each_tensor(g_.results(n),
                     [&](number t, const argument&) { is_call = is_call || g_.tensors()[t].maker == i; });
      if (is_call) call(i);
      i = is_call ? n.end : i + 1;
    }
    write_back();
    for (const named_value& output : g_.outputs()) made_.add_output(output.name, returned(output.tensor));
    return {std::move(made_).finish(), std::move(notes_)};
  }

 private:
  [[noreturn]] static void refuse(const std::string& what) {
    throw graph_error("functionalize: " + what, "functionalize");
  }

  // ------------------------------------------------------------------------------------------------ the new graph

  number from_outside(number t) { return originals_[t] = now_[t] = add_from_outside(t); }
  number add_from_outside(number t) {
    tensor_value d = g_.tensors()[t];
    if (d.storage != nothing) {
      storage_state& s = states_[d.storage];
      const bool is_first = !std::exchange(s.is_outside, true);
      if (is_first)
        outside_[d.storage] = made_.add_storage(g_.storages()[d.storage].where, g_.storages()[d.storage].bytes);
      d.storage = outside_[d.storage];
      const number made = made_.add_tensor(d, g_.sizes(t), g_.strides(t));
      if (is_first) s = {.held = made, .as = t, .is_outside = true};
      return made;
    }
    return made_.add_tensor(d, g_.sizes(t), g_.strides(t));
  }
  // New memory, row-major.
  number add(number like, std::span<const std::int64_t> sizes) {
    tensor_value d = g_.tensors()[like];
    const shape strides = dense_strides(sizes);
    d.from = source::node;
    d.offset = 0;
    d.storage = made_.add_storage(d.where, numel(shape(sizes)) * static_cast<std::int64_t>(size_of(d.type)));
    return made_.add_tensor(d, sizes, strides);
  }
  static argument of(number t) { return {.is = argument::kind::tensor, .index = t}; }
  argument list(std::span<const std::int64_t> sizes) {
    return made_.constant(value(std::vector<std::int64_t>(sizes.begin(), sizes.end())));
  }
  number emit(const operator_handle& op, std::span<const argument> arguments, number result) {
    made_.begin_node(op, arguments, phase_);
    const argument r = of(result);
    made_.end_node(std::span(&r, 1));
    return result;
  }

  // ------------------------------------------------------------------------------------------------ storages

  std::int64_t elements_of(number t) const {
    return g_.storages()[g_.tensors()[t].storage].bytes / static_cast<std::int64_t>(size_of(g_.tensors()[t].type));
  }
  bool has_geometry(number a, number b) const {
    return g_.tensors()[a].offset == g_.tensors()[b].offset && g_.tensors()[a].type == g_.tensors()[b].type &&
           std::ranges::equal(g_.sizes(a), g_.sizes(b)) && std::ranges::equal(g_.strides(a), g_.strides(b));
  }
  bool fills_storage(number t) const {
    const shape sizes = g_.sizes(t);
    return g_.tensors()[t].offset == 0 && numel(sizes) == elements_of(t) && is_dense(sizes, g_.strides(t));
  }

  number scatter(number line, number into, number elements) {
    const argument arguments[] = {of(line), of(elements), list(g_.sizes(into)), list(g_.strides(into)),
                                  made_.constant(value(g_.tensors()[into].offset))};
    const std::int64_t count = elements_of(into);
    return emit(aten::as_strided_scatter.handle(), arguments, add(into, std::span(&count, 1)));
  }
  // All of the storage of t, as a line.
  number line_of(number t) {
    storage_state& s = states_[g_.tensors()[t].storage];
    if (s.as == nothing) return s.held;
    const std::int64_t count = elements_of(t);
    // A parameter or a captured tensor brings all of its memory.
    if (const number whole = kept_in(g_.tensors()[t].storage); s.writes == 0 && whole != nothing) {
      s.as = nothing;
      return s.held = emit_copy(now_[whole], std::span(&count, 1), std::array<std::int64_t, 1>{1}, 0, t);
    }
    const argument zeros[] = {list(std::span(&count, 1)),
                              made_.constant(value(g_.tensors()[t].type)),
                              {},
                              made_.constant(value(g_.tensors()[t].where)),
                              {}};
    const number line = emit(aten::zeros.handle(), zeros, add(t, std::span(&count, 1)));
    s.held = scatter(line, s.as, s.held);
    // Other tensors from outside may have other elements of it.
    if (s.is_outside && s.writes == 0) {
      for (number o = 0; o < g_.tensors().size(); ++o) {
        const tensor_value& other = g_.tensors()[o];
        if (other.from == source::node || other.storage != g_.tensors()[t].storage || o == s.as) continue;
        s.held = scatter(s.held, o, now_[o]);  // of inputs
      }
    }
    s.as = nothing;
    return s.held;
  }
  // The elements of a tensor as they are now.
  number read(number t) {
    const number s = g_.tensors()[t].storage;
    if (s == nothing) return now_[t];
    storage_state& state = states_[s];
    if (now_[t] != nothing && seen_[t] == state.writes) return now_[t];
    seen_[t] = state.writes;
    if (state.as != nothing && has_geometry(state.as, t)) return now_[t] = state.held;
    return now_[t] = emit_copy(line_of(t), g_.sizes(t), g_.strides(t), g_.tensors()[t].offset, t);
  }
  number emit_copy(number of_new, std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides,
                   std::int64_t offset, number like) {
    const argument arguments[] = {of(of_new), list(sizes), list(strides), made_.constant(value(offset))};
    return emit(aten::as_strided_copy.handle(), arguments, add(like, sizes));
  }
  // The parameter or captured tensor that has a storage; nothing for others.
  number kept_in(number storage) const {
    for (const auto& outside : {g_.parameters(), g_.captured()}) {
      for (const named_value& one : outside) {
        if (g_.tensors()[one.tensor].storage == storage) return one.tensor;
      }
    }
    return nothing;
  }
  void write(number t, number elements) {
    storage_state& state = states_[g_.tensors()[t].storage];
    const bool is_alike = made_.so_far().tensors()[elements].type == g_.tensors()[t].type;
    if (is_alike && fills_storage(t)) {
      state.held = elements;
      state.as = t;
    } else {
      state.held = scatter(line_of(t), t, elements);
    }
    ++state.writes;
    now_[t] = is_alike ? elements : nothing;
    seen_[t] = state.writes;
  }

  // ------------------------------------------------------------------------------------------------ calls

  argument argument_of(const argument& a) {
    if (a.is == argument::kind::tensor) return of(read(a.index));
    if (a.is == argument::kind::constant) return made_.constant(g_.constant(a));
    if (a.is == argument::kind::text) return made_.text(g_.text(a));
    if (a.is != argument::kind::tensors) return a;
    std::vector<argument> elements;
    for (const argument& e : g_.elements(a)) elements.push_back(argument_of(e));
    return made_.list(elements);
  }

  // The results of which no argument has the memory are new.
  bool is_view(const node& n, number t) const {
    bool found = false;
    g_.each_tensor(g_.arguments(n), [&](number a, const argument&) {
      found = found || (g_.tensors()[a].storage != nothing && g_.tensors()[a].storage == g_.tensors()[t].storage);
    });
    return found;
  }

  void call(number i) {
    const node& n = g_.nodes()[i];
    phase_ = n.phase;
    const call_effects effects = effects_of(g_, i);
    if (!effects.written.empty()) return writing_call(i);
    // A view is made where something reads it.
    if (!is_view_alone(n)) copy(i);
  }
  bool is_view_alone(const node& n) const {
    bool all = true, any = false;
    g_.each_tensor(g_.results(n), [&](number t, const argument&) {
      any = true;
      all = all && is_view(n, t);
    });
    return any && all;
  }

  void copy(number i) {
    const node& n = g_.nodes()[i];
    std::vector<argument> given, results;
    for (const argument& a : g_.arguments(n)) given.push_back(argument_of(a));
    begin(i, n.op, given);
    for (const argument& r : g_.results(n)) results.push_back(result_of(n, r));
    made_.end_node(results);
  }
  void begin(number i, const operator_handle& op, std::span<const argument> given) {
    const node& n = g_.nodes()[i];
    nodes_[i] = made_.begin_node(op, given, n.phase, n.forward == nothing ? nothing : nodes_[n.forward], n.no_grad);
    if (n.draws != nothing) made_.set_draws(nodes_[i], g_.draws()[n.draws]);
  }
  argument result_of(const node& n, const argument& r) {
    if (r.is == argument::kind::text) return made_.text(g_.text(r));
    if (r.is == argument::kind::tensors) {
      std::vector<argument> elements;
      for (const argument& e : g_.elements(r)) elements.push_back(result_of(n, e));
      return made_.list(elements);
    }
    if (r.is != argument::kind::tensor) return r;
    const number made = add(r.index, g_.sizes(r.index));
    if (!is_view(n, r.index)) set_new(r.index, made);
    return of(made);
  }
  void set_new(number t, number made) {
    now_[t] = made;
    if (const number s = g_.tensors()[t].storage; s != nothing) {
      states_[s] = {.held = made, .as = t};
      seen_[t] = 0;
    }
  }

  void writing_call(number i) {
    const node& n = g_.nodes()[i];
    const std::span<const argument> arguments = g_.arguments(n);
    std::vector<number> written;
    bool in_lists = n.end != i + 1;
    for (std::size_t a = 0; a < arguments.size(); ++a) {
      if (!graph::writes(n, a)) continue;
      in_lists = in_lists || arguments[a].is == argument::kind::tensors;
      g_.each_tensor(arguments.subspan(a, 1), [&](number t, const argument&) { written.push_back(t); });
    }
    if (n.op.name() == "aten::copy_" &&
        std::ranges::equal(g_.sizes(arguments[0].index), g_.sizes(arguments[1].index)) &&
        g_.tensors()[arguments[0].index].where == g_.tensors()[arguments[1].index].where) {
      const number from = arguments[1].index;
      const argument given[] = {of(read(from)), {}};
      return write(written[0], emit(aten::clone.handle(), given, add(from, g_.sizes(from))));
    }
    const std::optional<operator_handle> functional = in_lists ? std::nullopt : functional_.of(n.op);
    if (!functional || !gives_alike(*functional, n, written)) return write_copies(i, written);
    std::vector<argument> given, results;
    for (std::size_t a = 0; a < arguments.size(); ++a) {
      if (!author::is_out(n.op.parsed_schema()->arguments[a])) given.push_back(argument_of(arguments[a]));
    }
    begin(i, *functional, given);
    for (const number t : written) results.push_back(of(add(t, g_.sizes(t))));
    made_.end_node(results);
    for (std::size_t k = 0; k < written.size(); ++k) write(written[k], results[k].index);
    notes_.push_back({i, true, "made " + std::string(functional->name())});
  }

  // Whether an operator returns tensors like those that are written, by its Meta kernel: it may promote where a write
  // converts.
  bool gives_alike(const operator_handle& functional, const node& n, std::span<const number> written) const {
    if (functional.result_count() != written.size()) return false;
    const device meta{backend::Meta};
    const auto without_elements = [&](const argument& a) {
      const auto here = [&](number t) { return author::make_tensor(shape(g_.sizes(t)), g_.tensors()[t].type, meta); };
      return a.is == argument::kind::tensor ? here(a.index) : tensor();
    };
    boxed_stack stack;
    const std::span<const argument> arguments = g_.arguments(n);
    for (std::size_t a = 0; a < arguments.size(); ++a) {
      if (author::is_out(n.op.parsed_schema()->arguments[a])) continue;
      if (arguments[a].is == argument::kind::tensors) return false;
      if (arguments[a].is == argument::kind::none)
        stack.push(value());
      else if (arguments[a].is != argument::kind::constant)
        stack.push(value(without_elements(arguments[a])));
      else if (const value& v = g_.constant(arguments[a]); v.is<device>())
        stack.push(value(meta));
      else
        stack.push(v.lend());
    }
    const no_grad no_graph;
    const exclude_guard no_call(key::Tracer);
    try {
      functional.call_boxed(stack);
    } catch (const error&) {
      return false;
    }
    bool alike = true;
    std::size_t k = 0;
    for (const value& v : std::as_const(stack).top(functional.result_count())) {
      author::each_tensor(v, [&](const tensor& t) {
        const number wanted = written[k];
        alike = alike && t.dtype() == g_.tensors()[wanted].type && std::ranges::equal(t.sizes(), g_.sizes(wanted));
      });
      ++k;
    }
    return alike;
  }

  // No operator returns what this one writes: it writes copies.
  void write_copies(number i, std::span<const number> written) {
    const node& n = g_.nodes()[i];
    for (std::size_t k = 0; k < written.size(); ++k) {
      for (std::size_t before = 0; before < k; ++before) {
        if (written[before] == written[k] ||
            g_.tensors()[written[before]].storage != g_.tensors()[written[k]].storage) {
          continue;
        }
        refuse(text_of_node(g_, i) + ": found two written arguments in one memory, wanted memory of its own for each");
      }
    }
    std::unordered_map<number, number> copies;
    for (const number t : written) {
      if (copies.contains(t)) continue;
      const argument given[] = {of(read(t)), {}};
      copies.emplace(t, emit(aten::clone.handle(), given, add(t, g_.sizes(t))));
    }
    const auto replaced = [&](auto&& self, const argument& a) -> argument {
      if (a.is == argument::kind::tensor && copies.contains(a.index)) return of(copies.at(a.index));
      if (a.is != argument::kind::tensors) return argument_of(a);
      std::vector<argument> elements;
      for (const argument& e : g_.elements(a)) elements.push_back(self(self, e));
      return made_.list(elements);
    };
    std::vector<argument> given, results;
    for (const argument& a : g_.arguments(n)) given.push_back(replaced(replaced, a));
    begin(i, n.op, given);
    for (const argument& r : g_.results(n)) {
      const bool is_written = r.is == argument::kind::tensor && copies.contains(r.index);
      results.push_back(is_written ? of(copies.at(r.index)) : result_of(n, r));
    }
    made_.end_node(results);
    for (const number t : written) write(t, copies.at(t));
    notes_.push_back({i, false, "kept on copies of what it writes, no operator returns that"});
  }

  // ------------------------------------------------------------------------------------------------ the caller's

  void write_back() {
    for (const auto& outside : {g_.inputs(), g_.parameters(), g_.captured()}) {
      for (const named_value& one : outside) {
        const number s = g_.tensors()[one.tensor].storage;
        if (s == nothing || states_[s].writes == 0) continue;
        const number original = originals_[one.tensor];
        const argument arguments[] = {of(original), of(read(one.tensor)), made_.constant(value(false))};
        emit(aten::copy_.handle(), arguments, original);
      }
    }
  }

  // With the strides and the shared memory of the recording.
  number returned(number t) {
    const tensor_value& d = g_.tensors()[t];
    if (d.from != source::node) return originals_[t];
    if (d.storage == nothing) return now_[t];
    storage_state& state = states_[d.storage];
    if (state.is_outside) {
      for (number o = 0; o < g_.tensors().size(); ++o) {
        if (g_.tensors()[o].from != source::node && g_.tensors()[o].storage == d.storage) return view(originals_[o], t);
      }
    }
    const auto in_it = std::ranges::count_if(
        g_.outputs(), [&](const named_value& o) { return g_.tensors()[o.tensor].storage == d.storage; });
    if (in_it == 1 && fills_storage(t) && shape(g_.strides(t)) == dense_strides(g_.sizes(t))) return read(t);
    return view(line_of(t), t);
  }
  number view(number of_new, number t) {
    const argument arguments[] = {of(of_new), list(g_.sizes(t)), list(g_.strides(t)),
                                  made_.constant(value(g_.tensors()[t].offset))};
    tensor_value d = g_.tensors()[t];
    d.from = source::node;
    d.storage = made_.so_far().tensors()[of_new].storage;
    return emit(aten::as_strided.handle(), arguments, made_.add_tensor(d, g_.sizes(t), g_.strides(t)));
  }

  const graph& g_;
  builder made_;
  std::vector<storage_state> states_;
  std::vector<number> now_, seen_;  // by tensor: its elements in the new graph, and after which write
  std::vector<number> originals_;   // by tensor: itself in the new graph, if it is from outside
  std::vector<number> nodes_;
  std::unordered_map<number, number> outside_;  // storages
  functional_operators functional_;
  std::vector<pass_note> notes_;
  graphs::phase phase_ = phase::forward;
};

}  // namespace

pass_result functionalize(const graph& g) { return functionalizing(g).run(); }

}  // namespace topbit::graphs
