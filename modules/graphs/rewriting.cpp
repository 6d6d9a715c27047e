module topbit.graphs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :rewriting;

namespace topbit::graphs {

rewriting::rewriting(const graph& from)
    : from_(from),
      tensors_(from.tensors().size(), nothing),
      storages_(from.storages().size(), nothing),
      stands_for_(from.tensors().size(), nothing),
      nodes_(from.nodes().size(), nothing) {
  for (const named_value& one : from.inputs()) made_.add_input(one.name, tensor(one.tensor));
  for (const named_value& one : from.parameters()) {
    made_.add_parameter(one.name, tensor(one.tensor), from.bound(one.tensor));
  }
}

void rewriting::replace(number with, number old) {
  const number origin_of_it = origin(with);
  if (origin_of_it != old) stands_for_[old] = origin_of_it;  // a call may return its argument
}

number rewriting::origin(number old) const {
  while (stands_for_[old] != nothing) old = stands_for_[old];
  return old;
}

number rewriting::storage(number old) {
  if (old == nothing) return nothing;
  number& s = storages_[old];
  if (s == nothing) s = made_.add_storage(from_.storages()[old].where, from_.storages()[old].bytes);
  return s;
}

number rewriting::tensor(number old) {
  old = origin(old);
  if (tensors_[old] != nothing) return tensors_[old];
  tensor_value t = from_.tensors()[old];
  t.storage = storage(t.storage);
  const number made = made_.add_tensor(t, from_.sizes(old), from_.strides(old));
  tensors_[old] = made;
  if (t.from == source::captured) {
    const auto known = std::ranges::find(from_.captured(), old, &named_value::tensor);
    made_.add_captured(known->name, made, from_.bound(old));
  }
  return made;
}

argument rewriting::argument_of(const argument& a) {
  switch (a.is) {
    case argument::kind::tensor: return {.is = a.is, .index = tensor(a.index)};
    case argument::kind::constant: return made_.constant(from_.constant(a));
    case argument::kind::text: return made_.text(from_.text(a));
    case argument::kind::tensors: {
      std::vector<argument> elements;
      for (const argument& e : from_.elements(a)) elements.push_back(argument_of(e));
      return made_.list(elements);
    }
    default: return a;
  }
}

void rewriting::copy(number i) {
  const node& n = from_.nodes()[i];
  std::vector<argument> all;
  for (const argument& a : from_.arguments(n)) all.push_back(argument_of(a));
  const number forward = n.forward == nothing ? nothing : nodes_[n.forward];
  nodes_[i] = made_.begin_node(n.op, all, n.phase, forward, n.no_grad);
  for (number part = i + 1; part < n.end; part = from_.nodes()[part].end) copy(part);
  all.clear();
  for (const argument& r : from_.results(n)) all.push_back(argument_of(r));
  made_.end_node(all);
  if (n.draws != nothing) made_.set_draws(nodes_[i], from_.draws()[n.draws]);
  for (const fault& f : from_.faults()) {
    if (f.node == i) made_.add_fault(nodes_[i], f.text);
  }
}

graph rewriting::finish() && {
  for (const named_value& output : from_.outputs()) made_.add_output(output.name, tensor(output.tensor));
  return std::move(made_).finish();
}

}  // namespace topbit::graphs
