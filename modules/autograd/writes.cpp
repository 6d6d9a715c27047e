module topbit.autograd;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

namespace {

constexpr op<"aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor"> clone;

}  // namespace

tensor detail::before_write(const tensor& t, bool reads_elements) {
  const author::below_autograd guard;
  const tensor before = reads_elements ? clone(t, std::nullopt) : author::make_alias(t);
  if (intrusive_ptr<node> edge = author::gradient_edge(t)) author::set_creator(before, std::move(edge));
  return before;
}

tensor detail::copy_if_aliased(const tensor& argument) {
  const author::below_autograd guard;
  return clone(argument, std::nullopt);
}

void detail::raise_in_place(std::string_view op) {
  throw error(std::string(op) +
                  ": writes in place to, or from, a tensor that requires a gradient, and would not be recorded; use "
                  "the form that returns a new tensor, or a no_grad scope",
              std::string(op));
}

namespace author {

std::vector<tensor> written_tensors(const operator_handle& op, std::span<const value> arguments) {
  std::vector<tensor> written;
  const author::schema_view* schema = op.parsed_schema();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (schema != nullptr ? schema->arguments[i].writes : arguments[i].is_reference())
      each_tensor(arguments[i], [&](const tensor& t) { written.push_back(t); });
  }
  return written;
}

void count_writes_and_track_views(const operator_handle& op, key_set keys, boxed_stack& s) {
  const std::span<const value> arguments = s.top(op.argument_count());
  const std::vector<tensor> written = written_tensors(op, arguments);
  tensor base;
  for (const value& v : arguments) {
    each_tensor(v, [&](const tensor& t) {
      if (!base.defined()) base = t;
    });
  }
  topbit::detail::run_counting_writes(op, keys & below(key::ADInplaceOrView), s, written);
  if (!written.empty() || !base.defined()) return;
  const std::span<const value> results = s.top(op.result_count());
  bool several = results.size() > 1;
  for (const value& v : results) {
    std::size_t count = 0;
    each_tensor(v, [&](const tensor&) { ++count; });
    several = several || count > 1;
  }
  for (const value& v : results) each_tensor(v, [&](const tensor& t) { track_view(base, t, several); });
}

}  // namespace author

}  // namespace topbit
