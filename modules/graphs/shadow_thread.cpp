module topbit.graphs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.modes;
import :calls;
import :plan;
import :shadow;
import :shadow_difference;

namespace topbit::graphs {

namespace {

using tensor_list = std::span<const tensor>;
using optional_tensor_list = std::span<const std::optional<tensor>>;

// The arguments of a call for the other device. A tensor that is given twice is one there too.
class copied_arguments {
 public:
  copied_arguments(const operator_handle& op, std::span<const value> given, device_map map) : op_(op), map_(map) {
    for (const value& v : given) {
      author::each_tensor(v, [&](const tensor& t) { add(t); });
    }
  }

  // Whether there are tensors, and all of them have another device.
  bool is_mapped() const noexcept { return !copies_.empty() && !stays_; }
  device where() const { return copies_[0].second.device(); }
  // Calls visit(the tensor, its copy).
  template <class Visit>
  void each(Visit visit) const {
    for (const auto& [of, copy] : copies_) visit(of, copy);
  }

  void push(std::span<const value> given, boxed_stack& stack) {
    for (std::size_t i = 0; i < given.size(); ++i) {
      const bool is_written = op_.parsed_schema()->arguments[i].writes;
      const value& v = given[i];
      if (v.is<tensor>()) {
        tensor* const copy = of(v.get<tensor>());
        stack.push(copy == nullptr ? value(tensor()) : is_written ? value::refer(*copy) : value::borrow(*copy));
      } else if (v.is<device>()) {
        stack.push(value(mapped(map_, v.get<device>())));
      } else if (v.is<tensor_list>()) {
        push_list(v.get<tensor_list>(), is_written, stack);
      } else if (v.is<std::vector<tensor>>()) {
        push_list(v.get<std::vector<tensor>>(), is_written, stack);
      } else if (v.is<optional_tensor_list>()) {
        std::vector<std::optional<tensor>> all;
        for (const std::optional<tensor>& one : v.get<optional_tensor_list>()) {
          all.push_back(one && one->defined() ? std::optional(*of(*one)) : one);
        }
        stack.push(value(std::move(all)));
      } else {
        stack.push(value(v));  // the first call takes the arguments away
      }
    }
  }

 private:
  void add(const tensor& t) {
    if (!t.defined() || of(t) != nullptr) return;
    const device to = mapped(map_, t.device());
    stays_ = stays_ || to == t.device() || t.layout() != layout::strided;
    copies_.emplace_back(t, stays_ ? tensor() : shadow_copy(t, to));
  }
  tensor* of(const tensor& t) {
    for (auto& [known, copy] : copies_) {
      if (known.same_as(t)) return &copy;
    }
    return nullptr;
  }
  void push_list(tensor_list all, bool is_written, boxed_stack& stack) {
    std::vector<tensor> copies;
    for (const tensor& t : all) copies.push_back(t.defined() ? *of(t) : t);
    if (!is_written) return stack.push(value(std::move(copies)));
    value list = value::refer(copies);
    list.make_owned();
    stack.push(std::move(list));
  }

  const operator_handle& op_;
  device_map map_;
  std::vector<std::pair<tensor, tensor>> copies_;
  bool stays_ = false;
};

constexpr std::array kept_apart{tag::random,           tag::effect, tag::collective,
                                tag::nondeterministic, tag::view,   tag::escape};

class shadow_mode {
 public:
  explicit shadow_mode(shadow_options o) : options(std::move(o)) {}

  void operator()(modes::call& c) {
    const number n = seen_++;
    if (n % options.every != 0 || found.size() >= options.most || !is_comparable(c.op())) return skip(c);
    std::optional<copied_arguments> there;
    {
      const no_grad no_graph;
      const exclude_guard no_call(key::Tracer);
      there.emplace(c.op(), c.arguments(), options.map);
    }
    if (!there->is_mapped() || !inspect::has_entry(c.op(), key_of(there->where().type))) return skip(c);
    boxed_stack stack;
    there->push(c.arguments(), stack);
    c.proceed();
    const no_grad no_graph;
    const exclude_guard no_call(key::Tracer);
    c.op().call_boxed(stack);
    look(n, c, *there, stack);
    ++compared;
  }

  const shadow_options options;
  std::vector<shadow_finding> found{};
  std::size_t compared = 0, skipped = 0;

 private:
  void skip(modes::call& c) {
    ++skipped;
    c.proceed();
  }
  bool is_comparable(const operator_handle& op) {
    const auto [known, is_new] = comparable_.try_emplace(op.id());
    if (is_new) {
      known->second = op.parsed_schema() != nullptr && !tag_among(op.tags(), kept_apart) &&
                      inspect::computed_row(op, key::CPU).registered_for != key::CompositeImplicitAutograd;
    }
    return known->second;
  }
  void look(number n, modes::call& c, const copied_arguments& there, const boxed_stack& stack) {
    const auto compare = [&](const tensor& a, const tensor& b) {
      std::optional<shadow_finding> f = shadow_difference(c.op(), a, b, options);
      if (!f) return;
      f->node = n;
      found.push_back(std::move(*f));
    };
    std::vector<tensor> here;
    for (const value& v : c.results()) {
      author::each_tensor(v, [&](const tensor& t) { here.push_back(t); });
    }
    std::size_t k = 0;
    for (const value& v : stack.top(c.op().result_count())) {
      author::each_tensor(v, [&](const tensor& t) {
        if (k < here.size()) compare(here[k], t);
        ++k;
      });
    }
    if (!author::is_mutable(*c.op().parsed_schema())) return;
    there.each([&](const tensor& a, const tensor& b) {
      const auto is_result = [&](const tensor& t) { return t.same_as(a); };
      if (std::ranges::find_if(here, is_result) == here.end()) compare(a, b);
    });
  }

  std::unordered_map<const void*, bool> comparable_;
  number seen_ = 0;
};

}  // namespace

struct thread_shadow::state {
  explicit state(shadow_options o) : mode(std::move(o)), scope(mode, modes::below) {}

  shadow_mode mode;
  modes::scope<shadow_mode&> scope;
};

thread_shadow::thread_shadow(shadow_options options) {
  if (options.how == shadowing::chained) {
    throw graph_error(
        "thread_shadow: found chained, wanted isolated; record the program, and call shadow() with its graph",
        "thread_shadow");
  }
  if (options.every == 0) throw graph_error("thread_shadow: found every 0, wanted 1 or more", "thread_shadow");
  check_shadow_map(options);
  state_ = std::make_unique<state>(std::move(options));
}
thread_shadow::~thread_shadow() = default;

std::span<const shadow_finding> thread_shadow::findings() const noexcept { return state_->mode.found; }
std::size_t thread_shadow::compared() const noexcept { return state_->mode.compared; }
std::size_t thread_shadow::skipped() const noexcept { return state_->mode.skipped; }

}  // namespace topbit::graphs
