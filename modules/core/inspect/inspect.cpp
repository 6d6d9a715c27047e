module topbit.core;

import topbit.std;
import :inspect.snapshot;
import :inspect.wording;

namespace topbit {

using detail::known_kernel;
using detail::known_operator;

namespace {

// Returns the newest kernel of each key first; `kernels` is ordered from oldest to newest.
std::vector<inspect::kernel_dump> dump_of(std::span<const known_kernel> kernels) {
  std::vector<inspect::kernel_dump> all;
  std::vector<std::size_t> newest_first(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) newest_first[i] = kernels.size() - 1 - i;
  std::stable_sort(newest_first.begin(), newest_first.end(), [&](std::size_t a, std::size_t b) {
    return detail::order_of(kernels[a].key) < detail::order_of(kernels[b].key);
  });
  const known_kernel* active = nullptr;
  for (std::size_t i : newest_first) {
    const known_kernel& k = kernels[i];
    inspect::kernel_dump d{k.key, k.form, k.place, {}, k.replaces, k.note};
    if (active != nullptr && active->key == k.key)
      d.overridden_by = active->place;
    else
      active = &k;
    all.push_back(std::move(d));
  }
  return all;
}

inspect::operator_dump dump_of(const known_operator& op) {
  return {op.name, op.schema, op.signature, op.tags, op.definitions, dump_of(op.kernels)};
}

const known_kernel* newest(std::span<const known_kernel> kernels, key_target key) {
  for (std::size_t i = kernels.size(); i > 0; --i) {
    if (kernels[i - 1].key == key) return &kernels[i - 1];
  }
  return nullptr;
}

std::vector<std::string> names_where(const registry& r, auto&& wanted) {
  std::vector<std::string> names;
  for (const known_operator& op : detail::take_snapshot(r).operators) {
    if (wanted(op) && (names.empty() || names.back() != op.name)) names.push_back(op.name);
  }
  return names;
}

}  // namespace

std::string to_string(const inspect::source_location& p) {
  return p.line == 0 ? p.file : p.file + ":" + std::to_string(p.line);
}

std::string_view name_of(inspect::kernel_form f) noexcept {
  switch (f) {
    case inspect::kernel_form::typed: return "typed";
    case inspect::kernel_form::boxed: return "boxed";
    case inspect::kernel_form::fallthrough: return "fallthrough";
    case inspect::kernel_form::generated: return "generated";
  }
  return "unknown";
}

inspect::operator_dump dump(const operator_handle& op) { return dump_of(detail::take_snapshot(op).op); }

inspect::registry_dump dump(const registry& r) {
  detail::registry_snapshot all = detail::take_snapshot(r);
  inspect::registry_dump d;
  for (const known_operator& op : all.operators) d.operators.push_back(dump_of(op));
  d.fallbacks = dump_of(all.fallbacks.kernels);
  d.namespaces = std::move(all.namespaces);
  d.layers = std::move(all.layers);
  d.backend_names = std::move(all.backend_names);
  return d;
}

std::string to_string(const inspect::kernel_dump& k) {
  std::string text = to_string(k.key) + ": " + std::string(name_of(k.form)) + detail::note_text(k.note) +
                     detail::registered_text(k.place);
  if (k.replaces) text += " with replace()";
  if (k.overridden_by) text += ", inactive: overridden by " + to_string(*k.overridden_by);
  return text;
}

std::string to_string(const inspect::operator_dump& d) {
  std::string text = d.name + "\n  schema    " + d.schema + "\n  signature " + d.signature + "\n";
  if (!d.tags.empty()) text += "  tags      " + to_string(d.tags) + "\n";
  for (const inspect::source_location& p : d.definitions) text += "  defined   " + to_string(p) + "\n";
  if (d.definitions.empty()) text += "  defined   nowhere\n";
  for (const inspect::kernel_dump& k : d.kernels) text += "  kernel    " + to_string(k) + "\n";
  return text;
}

std::string to_string(const inspect::registry_dump& d) {
  std::string text;
  for (const inspect::operator_dump& op : d.operators) text += to_string(op);
  for (const inspect::kernel_dump& k : d.fallbacks) text += "fallback    " + to_string(k) + "\n";
  for (const inspect::namespace_dump& n : d.namespaces)
    text += "namespace   " + n.name + ": owned by " + to_string(n.owner) + "\n";
  for (const inspect::layer_dump& l : d.layers) {
    text += "always      " + detail::layers_text(l.keys) + detail::registered_text(l.place) + "\n";
  }
  for (const inspect::backend_name_dump& n : d.backend_names) {
    text += "backend     " + detail::canonical_name(n.which) + ": named " + n.name + detail::registered_text(n.place) +
            "\n";
  }
  return text;
}

std::vector<std::string> inspect::operators_with_kernel(key_target key, const registry& r) {
  return names_where(r, [&](const known_operator& op) { return newest(op.kernels, key) != nullptr; });
}

std::vector<std::string> inspect::dangling_operators(const registry& r) {
  return names_where(r, [](const known_operator& op) { return op.definitions.empty(); });
}

bool inspect::has_kernel(const operator_handle& op, key_target key) {
  return newest(detail::take_snapshot(op).op.kernels, key) != nullptr;
}

bool inspect::is_fallthrough_at(const operator_handle& op, key_target key) {
  const detail::snapshot s = detail::take_snapshot(op);
  const known_kernel* k = newest(s.op.kernels, key);
  return k != nullptr && k->form == inspect::kernel_form::fallthrough;
}

}  // namespace topbit
