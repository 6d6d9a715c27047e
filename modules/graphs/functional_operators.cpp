module topbit.graphs;

import topbit.std;
import topbit.core;
import :functional_operators;

namespace topbit::graphs {

namespace {

// The arguments without those that an out form has in addition, and without what says that they are written.
bool takes_the_same(const author::schema_view& writing, const author::schema_view& functional) {
  std::vector<const author::schema_item*> given;
  for (const author::schema_item& a : writing.arguments) {
    if (!author::is_out(a)) given.push_back(&a);
  }
  const auto aliases = [](const author::schema_item& r) { return !r.alias.empty(); };
  if (author::is_mutable(functional) || std::ranges::any_of(functional.returns, aliases) ||
      given.size() != functional.arguments.size())
    return false;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const author::schema_item &a = *given[i], &b = functional.arguments[i];
    if (a.type != b.type || a.modifiers != b.modifiers || a.list_size != b.list_size || a.name != b.name) return false;
  }
  return writing.returns.size() == functional.returns.size();
}

}  // namespace

std::optional<operator_handle> functional_operators::of(const operator_handle& op) {
  const auto [at, is_new] = known_.try_emplace(op.id());
  if (!is_new) return at->second;
  const author::schema_view& writing = *op.parsed_schema();
  std::string_view name = writing.name;
  if (name.ends_with('_')) name.remove_suffix(1);
  const std::string wanted = std::string(writing.ns) + "::" + std::string(name);
  for (const std::string& candidate : registry::process().operators()) {
    if (candidate != wanted && !candidate.starts_with(wanted + ".")) continue;
    const std::optional<operator_handle> found = registry::process().try_find(candidate);
    const author::schema_view* const s = found ? found->parsed_schema() : nullptr;
    if (s == nullptr || !takes_the_same(writing, *s)) continue;
    const bool is_same_overload = s->overload == writing.overload;
    if (!at->second || is_same_overload) at->second = found;
  }
  return at->second;
}

}  // namespace topbit::graphs
