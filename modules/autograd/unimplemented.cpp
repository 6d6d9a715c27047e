module topbit.autograd;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

namespace {

// Stands for a call nobody gave a rule; asking it for a gradient is the error.
class unimplemented_node final : public node {
 public:
  explicit unimplemented_node(std::string op) : op_(std::move(op)) {}
  std::vector<tensor> backward(const tensor&) override {
    throw error(op_ +
                    ": has no gradient rule; register one for key::Autograd, or a fallthrough there if it is not "
                    "differentiable",
                op_);
  }
  void release() noexcept override {}
  std::string_view name() const noexcept override { return op_; }

 private:
  std::string op_;
};

using tensor_list = std::span<const tensor>;
using optional_list = std::span<const std::optional<tensor>>;

template <class Visit>
void each_boxed(std::span<const value> values, Visit visit) {
  for (const value& v : values) author::each_tensor(v, visit);
}

// What the call writes to: what the schema marks, or, for an operator without a schema, what came from a C++ reference.
std::vector<tensor> written_by(const operator_handle& op, std::span<const value> arguments) {
  std::vector<tensor> written;
  const auto add = [&](const tensor& t) {
    if (t.defined()) written.push_back(t);
  };
  const schema_view* schema = op.parsed_schema();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (schema != nullptr ? schema->arguments[i].writes : arguments[i].is_reference())
      author::each_tensor(arguments[i], add);
  }
  return written;
}

// Results take the arguments' place on the stack, so what was written is held until it is counted. A kernel that was
// written with counting operators has counted already.
void run_writing(const operator_handle& op, key_set below_autograd, stack& s, const std::vector<tensor>& written) {
  std::vector<std::uint32_t> before;
  for (const tensor& t : written) before.push_back(t.version());
  op.redispatch_boxed(below_autograd, s);
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (written[i].version() == before[i]) author::bump_version(written[i]);
  }
}

// Hangs the node on a result. A kernel may give an argument back, which must not become a result of itself: true if
// another handle had to be made.
bool mark(tensor& result, const intrusive_ptr<node>& n, std::span<const tensor> arguments) {
  if (!result.defined() || !is_floating(result.dtype())) return false;
  const bool given_back = std::ranges::any_of(arguments, [&](const tensor& t) { return t.same_as(result); });
  if (given_back) result = detach(result);
  author::set_creator(result, n);
  return given_back;
}
bool mark(std::optional<tensor>& result, const intrusive_ptr<node>& n, std::span<const tensor> arguments) {
  return result.has_value() && mark(*result, n, arguments);
}

template <class T>
void mark_list(value& v, const intrusive_ptr<node>& n, std::span<const tensor> arguments) {
  const auto& list = v.get<std::span<const T>>();
  std::vector<T> results(list.begin(), list.end());
  bool changed = false;
  for (T& result : results) changed = mark(result, n, arguments) || changed;
  if (changed) v = value(std::move(results));
}

void run(const operator_handle& op, key_set keys, stack& s) {
  const key_set below_autograd = keys & below(key::Autograd);
  const std::span<const value> arguments = s.top(op.argument_count());
  bool wanted = false;
  each_boxed(arguments, [&](const tensor& t) { wanted = wanted || requires_grad(t); });
  if (const std::vector<tensor> written = written_by(op, arguments); !written.empty()) {
    if (wanted) raise_in_place(op.name());
    return run_writing(op, below_autograd, s, written);
  }
  if (!wanted) return op.redispatch_boxed(below_autograd, s);

  std::vector<tensor> given;
  std::vector<intrusive_ptr<node>> edges;
  each_boxed(arguments, [&](const tensor& t) {
    given.push_back(t);
    if (requires_grad(t)) edges.push_back(author::gradient_edge(t));
  });
  op.redispatch_boxed(below_autograd, s);
  const intrusive_ptr<node> n(new unimplemented_node(std::string(op.name())));
  n->connect(std::move(edges));
  for (value& v : s.top(op.result_count())) {
    if (v.is<tensor>()) {
      if (tensor result = v.get<tensor>(); mark(result, n, given)) v = value(std::move(result));
    } else if (v.is<tensor_list>()) {
      mark_list<tensor>(v, n, given);
    } else if (v.is<optional_list>()) {
      mark_list<std::optional<tensor>>(v, n, given);
    }
  }
}

}  // namespace

registration register_unimplemented() { return fallback<&run>(key::Autograd); }

}  // namespace topbit::detail
