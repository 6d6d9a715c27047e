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
    throw error(op_ + ": has no gradient rule; register one for key::Autograd, or a fallthrough there if it is not "
                      "differentiable",
                op_);
  }
  void release() noexcept override {}
  std::string_view name() const noexcept override { return op_; }

 private:
  std::string op_;
};

void run(const operator_handle& op, key_set keys, stack& s) {
  std::vector<intrusive_ptr<node>> edges;
  for (const value& v : s.top(op.argument_count())) {
    if (v.is<tensor>() && requires_grad(v.get<tensor>())) edges.push_back(author::gradient_edge(v.get<tensor>()));
  }
  op.redispatch_boxed(keys & below(key::Autograd), s);
  if (edges.empty()) return;
  const intrusive_ptr<node> n(new unimplemented_node(std::string(op.name())));
  n->connect(std::move(edges));
  for (const value& v : s.top(op.result_count())) {
    if (v.is<tensor>() && is_floating(v.get<tensor>().dtype())) author::set_creator(v.get<tensor>(), n);
  }
}

}  // namespace

registration register_unimplemented() { return fallback<&run>(key::Autograd); }

}  // namespace topbit::detail
