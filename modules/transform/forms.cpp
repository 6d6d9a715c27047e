// Operators without a rule: forms that write take the result of the functional one, all others run in a loop.
module topbit.transform;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :call;

namespace topbit::detail {

namespace {

using items = std::vector<author::schema_item>;

std::string_view packet_of(std::string_view name) { return name.substr(0, name.find('.')); }

bool same_arguments(const items& a, std::span<const author::schema_item> b) {
  return std::ranges::equal(a, b, [](const author::schema_item& x, const author::schema_item& y) {
    return x.type == y.type && x.modifiers == y.modifiers && x.name == y.name;
  });
}

std::optional<operator_handle> find_functional(const operator_handle& op) {
  const author::schema_view& s = *op.parsed_schema();
  std::string packet(packet_of(op.name()));
  items wanted;
  for (const author::schema_item& i : s.arguments) {
    if (!author::is_out(i)) wanted.push_back(i);
  }
  if (author::is_in_place(s)) {
    if (!packet.ends_with('_')) return std::nullopt;
    packet.pop_back();
  } else if (wanted.size() + s.returns.size() != s.arguments.size()) {
    return std::nullopt;
  }
  registry& r = registry::process();
  for (const std::string& name : r.operators()) {
    if (packet_of(name) != packet) continue;
    const std::optional<operator_handle> found = r.try_find(name);
    const author::schema_view* const plain = found ? found->parsed_schema() : nullptr;
    if (plain == nullptr || author::is_mutable(*plain) || plain->returns.size() != s.returns.size()) continue;
    if (same_arguments(wanted, plain->arguments)) return found;
  }
  return std::nullopt;
}

struct known_functionals {
  known_functionals() { author::hold_at_fork(mutex, author::fork_order::calling); }

  std::mutex mutex;
  std::unordered_map<const void*, operator_handle> of;
};
known_functionals& functionals() {
  static auto& all = *new known_functionals;
  return all;
}
// In a child, a thread that was making them would never end.
[[maybe_unused]] const known_functionals& made_at_load = functionals();

}  // namespace

// Looked up once for each operator.
std::optional<operator_handle> functional_of(const operator_handle& op) {
  known_functionals& known = functionals();
  const std::lock_guard lock(known.mutex);
  if (const auto found = known.of.find(op.id()); found != known.of.end()) return found->second;
  const std::optional<operator_handle> found = find_functional(op);
  if (found) known.of.emplace(op.id(), *found);  // one that is not there may be defined later
  return found;
}

namespace {

void check_result(const operator_handle& op, const tensor& result, const tensor& written) {
  const std::string begin = std::string(op.name()) + ": found a result ";
  if (result.sizes() != written.sizes()) {
    throw shape_error(begin + "of sizes " + to_string(result.sizes()) + ", wanted those of the tensor to write, " +
                          to_string(written.sizes()),
                      std::string(op.name()));
  }
  if (!can_cast(result.dtype(), written.dtype())) {
    throw dtype_error(begin + "of " + std::string(name_of(result.dtype())) + " for a tensor of " +
                          std::string(name_of(written.dtype())) + ", wanted one of its category",
                      std::string(op.name()));
  }
}

// Copies the results of the functional form to the arguments that `op` writes.
void write_functional(const operator_handle& op, const operator_handle& functional, boxed_stack& stack) {
  const author::schema_view& s = *op.parsed_schema();
  const std::span<value> given = stack.top(op.argument_count());
  {
    const batched_call checks_what_is_written(op, stack);
  }
  std::vector<value> results;
  try {
    inline_stack<16> call;
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (!author::is_out(s.arguments[i])) call.push(std::as_const(given[i]).lend());
    }
    functional.call_boxed(call);
    std::size_t r = 0;
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (!s.arguments[i].writes) continue;
      const tensor result = call.top(functional.result_count())[r++].get<tensor>();
      check_result(op, result, given[i].get<tensor>());
      aten::copy_(given[i].write<tensor>(), result);
    }
  } catch (error& e) {
    batched_call(op, stack).call_examples_alone();
    e.called_by(op.name());
    throw;
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (s.arguments[i].writes) results.push_back(std::move(given[i]));
  }
  stack.drop(op.argument_count());
  for (value& v : results) stack.push(std::move(v));
}

std::atomic<missing_batching_rule> without_rule{[] {
  const char* const strict = std::getenv("TOPBIT_STRICT_BATCHING");
  return strict != nullptr && std::string_view(strict) == "1" ? missing_batching_rule::raises
                                                              : missing_batching_rule::loops;
}()};

}  // namespace

void batch_without_rule(const operator_handle& op, boxed_stack& stack) {
  const author::schema_view* const s = op.parsed_schema();
  if (s != nullptr && author::is_mutable(*s)) {
    if (const std::optional<operator_handle> functional = functional_of(op))
      return write_functional(op, *functional, stack);
  }
  if (without_rule.load(std::memory_order_relaxed) == missing_batching_rule::raises) {
    throw error(std::string(op.name()) +
                    ": has no batching rule; write one (author::batching_rule), or let it run for each example: "
                    "set_missing_batching_rule(missing_batching_rule::loops)",
                std::string(op.name()));
  }
  batched_call(op, stack).loop();
}

}  // namespace topbit::detail

topbit::missing_batching_rule topbit::set_missing_batching_rule(missing_batching_rule m) noexcept {
  return detail::without_rule.exchange(m);
}
