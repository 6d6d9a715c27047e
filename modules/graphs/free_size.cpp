module topbit.graphs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.ops;
import :builder;
import :calls;
import :document;
import :free_size;

namespace topbit::graphs {

namespace {

[[noreturn]] void refuse(const std::string& what) { throw graph_error("free_size: " + what, "free_size"); }

// The integers of a constant; nothing if it has none.
std::optional<std::vector<std::int64_t>> integers_of(const value& v) {
  if (v.is<std::int64_t>()) return std::vector{v.get<std::int64_t>()};
  if (v.is<scalar>() && v.get<scalar>().type() == dtype::int64) return std::vector{v.get<scalar>().to_int64()};
  if (!v.is<std::span<const std::int64_t>>()) return std::nullopt;
  const auto all = v.get<std::span<const std::int64_t>>();
  return std::vector(all.begin(), all.end());
}

// The value of a captured number; nothing for another tensor, and for a number that is not an integer.
std::optional<std::int64_t> integer_of(const tensor& t) {
  constexpr double exact = 0x1p53;
  if (!t.defined() || t.dim() != 0 || t.device() != cpu) return std::nullopt;
  const double x = item(t);
  if (!(std::abs(x) < exact) || x != static_cast<double>(static_cast<std::int64_t>(x))) return std::nullopt;
  return static_cast<std::int64_t>(x);
}

// The bytes up to the last element of a strided tensor, from the beginning of its storage.
std::int64_t end_of(const tensor_value& t, const shape& sizes, const shape& strides) {
  if (numel(sizes) == 0) return 0;
  std::int64_t last = t.offset;
  for (std::size_t d = 0; d < sizes.size(); ++d) last += (sizes[d] - 1) * strides[d];
  return (last + 1) * static_cast<std::int64_t>(size_of(t.type));
}
// Which storages end with the last element of a tensor.
std::vector<bool> tight_storages(const graph& g) {
  std::vector<std::int64_t> ends(g.storages().size());
  for (number t = 0; t < g.tensors().size(); ++t) {
    const tensor_value& one = g.tensors()[t];
    if (one.storage == nothing || one.layout != layout::strided) continue;
    ends[one.storage] = std::max(ends[one.storage], end_of(one, shape(g.sizes(t)), shape(g.strides(t))));
  }
  std::vector<bool> tight;
  for (number s = 0; s < ends.size(); ++s) tight.push_back(ends[s] == g.storages()[s].bytes);
  return tight;
}

bool is_row_major(const graph& g, number t) { return shape(g.strides(t)) == dense_strides(shape(g.sizes(t))); }

// Whether two recordings are one program; refuses with the first difference.
class comparison {
 public:
  comparison(const graph& a, const graph& b) : a_(a), b_(b) {}

  void run() const {
    counts(a_.inputs(), b_.inputs(), "inputs");
    counts(a_.parameters(), b_.parameters(), "parameters");
    counts(a_.captured(), b_.captured(), "captured tensors");
    const std::size_t common = std::min(a_.nodes().size(), b_.nodes().size());
    for (number i = 0; i < common; ++i) nodes(i);
    if (a_.nodes().size() != b_.nodes().size()) at_node(static_cast<number>(common), "a missing call");
    counts(a_.outputs(), b_.outputs(), "outputs");
    if (a_.tensors().size() != b_.tensors().size() || a_.storages().size() != b_.storages().size()) {
      refuse("found recordings with other tensors, wanted two of one program");
    }
    for (number t = 0; t < a_.tensors().size(); ++t) tensors(t);
  }

 private:
  void counts(std::span<const named_value> a, std::span<const named_value> b, const std::string& what) const {
    const auto same = [](const named_value& x, const named_value& y) {
      return x.name == y.name && x.tensor == y.tensor;
    };
    if (!std::ranges::equal(a, b, same)) refuse("found recordings with other " + what + ", wanted two of one program");
  }
  [[noreturn]] void at_node(number i, const std::string& what) const {
    const auto line = [&](const graph& g) { return i < g.nodes().size() ? line_of(g, i) : "nothing"; };
    throw graph_error("free_size: node " + std::to_string(i) + " of both recordings: found " + what +
                          ", wanted calls that differ in integers alone:\n  " + line(a_) + "\n  " + line(b_),
                      "free_size");
  }

  void nodes(number i) const {
    const node &a = a_.nodes()[i], &b = b_.nodes()[i];
    if (a.op != b.op) at_node(i, "another operator");
    if (a.end != b.end || a.parent != b.parent || a.phase != b.phase || a.forward != b.forward ||
        a.no_grad != b.no_grad || (a.draws == nothing) != (b.draws == nothing)) {
      at_node(i, "another composite, phase or use of random numbers");
    }
    const std::span<const author::schema_item> items = a.op.parsed_schema()->arguments;
    const std::span<const argument> in_a = a_.arguments(a), in_b = b_.arguments(b);
    for (std::size_t k = 0; k < in_a.size(); ++k) {
      if (!alike(in_a[k], in_b[k])) at_node(i, "another argument '" + std::string(items[k].name) + "'");
    }
    const std::span<const argument> out_a = a_.results(a), out_b = b_.results(b);
    for (std::size_t k = 0; k < out_a.size(); ++k) {
      if (alike(out_a[k], out_b[k])) continue;
      at_node(i, out_a[k].is == argument::kind::text ? "an element that the program read" : "another result");
    }
  }

  bool alike(const argument& a, const argument& b) const {
    if (a.is != b.is) return false;
    switch (a.is) {
      case argument::kind::tensor: return a.index == b.index;
      case argument::kind::tensors:
        return std::ranges::equal(a_.elements(a), b_.elements(b),
                                  [&](const argument& x, const argument& y) { return alike(x, y); });
      case argument::kind::text: return a_.text(a) == b_.text(b);
      case argument::kind::constant: return constants_alike(a_.constant(a), b_.constant(b));
      default: return true;
    }
  }
  static bool constants_alike(const value& x, const value& y) {
    if (x.is<generator>() && y.is<generator>()) return true;
    const auto of_x = integers_of(x), of_y = integers_of(y);
    if (of_x && of_y) return of_x->size() == of_y->size() && x.type_name() == y.type_name();
    return exact_text(x) == exact_text(y);
  }

  void tensors(number t) const {
    const tensor_value &a = a_.tensors()[t], &b = b_.tensors()[t];
    const auto fail = [&](const std::string& what) {
      refuse(a_.describe(t) + ", and " + b_.describe(t) + ": found " + what);
    };
    if (a.type != b.type || a.layout != b.layout || a.from != b.from || a.dims != b.dims ||
        a.requires_grad != b.requires_grad || a.where != b.where || a.storage != b.storage) {
      fail("tensors of another kind, wanted two of one program");
    }
    if (a.from != source::parameter && a.from != source::captured) return;
    if (!std::ranges::equal(a_.sizes(t), b_.sizes(t))) {
      fail("a parameter or captured tensor of another size, wanted an input where the size is free");
    }
    if (a.from == source::parameter || !a_.bound(t).defined() || !b_.bound(t).defined()) return;
    if (integer_of(a_.bound(t)) && integer_of(b_.bound(t))) return;
    if (!aten::equal(a_.bound(t), b_.bound(t))) fail("captured elements that differ, wanted an input where they do");
  }

  const graph &a_, &b_;
};

// The program of one size.
class instance {
 public:
  instance(const graph& a, const graph& b, std::int64_t of_a, std::int64_t of_b, std::int64_t size)
      : a_(a), b_(b), of_a_(of_a), of_b_(of_b), size_(size) {}

  graph make() && {
    storages();
    for (number t = 0; t < a_.tensors().size(); ++t) tensor(t);
    for (const named_value& one : a_.inputs()) made_.add_input(one.name, one.tensor);
    for (const named_value& one : a_.parameters()) made_.add_parameter(one.name, one.tensor, a_.bound(one.tensor));
    for (const named_value& one : a_.captured()) made_.add_captured(one.name, one.tensor, captured(one.tensor));
    nodes(0, static_cast<number>(a_.nodes().size()));
    for (const fault& f : a_.faults()) made_.add_fault(f.node, f.text);
    for (const named_value& one : a_.outputs()) made_.add_output(one.name, one.tensor);
    return std::move(made_).finish();
  }

 private:
  template <class Where>
  std::int64_t between(std::int64_t x, std::int64_t y, Where where) const {
    std::int64_t steps = 0, rise = 0, made = 0;
    const bool overflows = __builtin_sub_overflow(size_, of_a_, &steps) || __builtin_sub_overflow(y, x, &rise) ||
                           __builtin_mul_overflow(steps, rise, &rise) || rise % (of_b_ - of_a_) != 0 ||
                           __builtin_add_overflow(x, rise / (of_b_ - of_a_), &made);
    if (overflows) {
      refuse(where() + ": found " + std::to_string(x) + " for size " + std::to_string(of_a_) + " and " +
             std::to_string(y) + " for " + std::to_string(of_b_) + ", which gives no integer for size " +
             std::to_string(size_));
    }
    return made;
  }
  shape between(std::span<const std::int64_t> x, std::span<const std::int64_t> y, number t) const {
    shape made;
    for (std::size_t d = 0; d < x.size(); ++d) {
      const std::int64_t n = between(x[d], y[d], [&] { return a_.describe(t); });
      if (n < 0) {
        refuse(a_.describe(t) + ": found a size or stride of " + std::to_string(n) + " for size " +
               std::to_string(size_) + ", wanted 0 or more");
      }
      made.push_back(n);
    }
    return made;
  }

  // The argument of which a tensor is a view; nothing if it is none, or one of a later tensor.
  number base_of(number t) const {
    const tensor_value& view = a_.tensors()[t];
    number base = nothing;
    if (view.maker == nothing || view.storage == nothing) return base;
    a_.each_tensor(a_.arguments(a_.nodes()[view.maker]), [&](number u, const argument&) {
      if (base == nothing && u < t && a_.tensors()[u].storage == view.storage) base = u;
    });
    return base;
  }
  // Those of row-major tensors follow from sizes, others are those of the base where they were in both recordings.
  shape strides_of(number t, number base) const {
    if (is_row_major(a_, t) && is_row_major(b_, t)) return dense_strides(sizes_[t]);
    shape made;
    for (std::size_t d = 0; d < sizes_[t].size(); ++d) {
      const std::int64_t of_a = a_.strides(t)[d], of_b = b_.strides(t)[d];
      std::optional<std::int64_t> stride;
      for (std::size_t e = 0; base != nothing && e < sizes_[base].size(); ++e) {
        if (a_.strides(base)[e] == of_a && b_.strides(base)[e] == of_b) stride = strides_[base][e];
      }
      made.push_back(stride ? *stride : between(of_a, of_b, [&] { return a_.describe(t); }));
    }
    return made;
  }
  // As steps along the dimensions of the base, longest strides first; they are linear where the offset is not.
  std::int64_t offset_of(number t, number base) const {
    const auto where = [&] { return a_.describe(t); };
    const std::int64_t of_a = a_.tensors()[t].offset, of_b = b_.tensors()[t].offset;
    if (base == nothing) return between(of_a, of_b, where);
    std::vector<std::size_t> dims;
    for (std::size_t d = 0; d < sizes_[base].size(); ++d) {
      if (a_.strides(base)[d] > 0 && b_.strides(base)[d] > 0) dims.push_back(d);
    }
    std::ranges::stable_sort(dims, std::greater(), [&](std::size_t d) { return a_.strides(base)[d]; });
    std::int64_t rest_of_a = of_a - a_.tensors()[base].offset, rest_of_b = of_b - b_.tensors()[base].offset;
    std::int64_t made = tensors_[base].offset;
    for (const std::size_t d : dims) {
      const std::int64_t step_of_a = a_.strides(base)[d], step_of_b = b_.strides(base)[d];
      made += between(rest_of_a / step_of_a, rest_of_b / step_of_b, where) * strides_[base][d];
      rest_of_a %= step_of_a;
      rest_of_b %= step_of_b;
    }
    return rest_of_a == 0 && rest_of_b == 0 ? made : between(of_a, of_b, where);
  }

  void storages() {
    const std::vector<bool> in_a = tight_storages(a_), in_b = tight_storages(b_);
    std::vector<std::int64_t> ends(in_a.size());
    for (number t = 0; t < a_.tensors().size(); ++t) {
      sizes_.push_back(between(a_.sizes(t), b_.sizes(t), t));
      const number base = base_of(t);
      strides_.push_back(strides_of(t, base));
      tensor_value d = a_.tensors()[t];
      d.offset = offset_of(t, base);
      if (d.storage != nothing && d.layout == layout::strided) {
        ends[d.storage] = std::max(ends[d.storage], end_of(d, sizes_.back(), strides_.back()));
      }
      tensors_.push_back(d);
    }
    for (number s = 0; s < ends.size(); ++s) {
      const auto where = [&] { return "storage " + std::to_string(s); };
      const std::int64_t bytes =
          in_a[s] && in_b[s] ? ends[s] : between(a_.storages()[s].bytes, b_.storages()[s].bytes, where);
      made_.add_storage(a_.storages()[s].where, bytes);
    }
  }
  void tensor(number t) { made_.add_tensor(tensors_[t], sizes_[t], strides_[t]); }

  topbit::tensor captured(number t) const {
    const std::optional<std::int64_t> of_a = integer_of(a_.bound(t)), of_b = integer_of(b_.bound(t));
    if (!of_a || !of_b || of_a == of_b) return a_.bound(t);
    const no_grad no_graph;
    return aten::full(shape{}, scalar(between(*of_a, *of_b, [&] { return a_.describe(t); })),
                      arg<"dtype"> = a_.tensors()[t].type);
  }

  void nodes(number i, number end) {
    while (i < end) {
      const node& n = a_.nodes()[i];
      std::vector<argument> all;
      const std::span<const argument> of_b = b_.arguments(b_.nodes()[i]);
      for (const argument& a : a_.arguments(n)) all.push_back(argument_of(a, of_b[all.size()], i));
      made_.begin_node(n.op, all, n.phase, n.forward, n.no_grad);
      nodes(i + 1, n.end);
      all.clear();
      for (const argument& r : a_.results(n)) all.push_back(argument_of(r, r, i));
      made_.end_node(all);
      if (n.draws != nothing) draw(i);
      i = n.end;
    }
  }
  argument argument_of(const argument& a, const argument& b, number i) {
    if (a.is == argument::kind::text) return made_.text(a_.text(a));
    if (a.is == argument::kind::tensors) {
      std::vector<argument> elements;
      for (const argument& e : a_.elements(a)) elements.push_back(argument_of(e, e, i));
      return made_.list(elements);
    }
    if (a.is != argument::kind::constant) return a;
    const value& x = a_.constant(a);
    const std::optional<std::vector<std::int64_t>> of_a = integers_of(x);
    if (!of_a || x.is<generator>()) return made_.constant(x);
    const std::vector<std::int64_t> of_b = *integers_of(b_.constant(b));
    std::vector<std::int64_t> made;
    for (std::size_t k = 0; k < of_a->size(); ++k) {
      made.push_back(between((*of_a)[k], of_b[k], [&] { return text_of_node(a_, i); }));
    }
    if (x.is<std::int64_t>()) return made_.constant(value(made[0]));
    if (x.is<scalar>()) return made_.constant(value(scalar(made[0])));
    return made_.constant(value(std::move(made)));
  }
  // Positions count from the first draw of a generator, so that no two calls have numbers in common.
  void draw(number i) {
    const random_draw &a = a_.draws()[a_.nodes()[i].draws], &b = b_.draws()[b_.nodes()[i].draws];
    const auto first = first_draws_.try_emplace(a.generator, a.position.offset, b.position.offset).first->second;
    const auto where = [&] { return text_of_node(a_, i) + ", random numbers"; };
    random_draw made = a;
    made.position.offset = first.first + static_cast<std::uint64_t>(between(
                                             static_cast<std::int64_t>(a.position.offset - first.first),
                                             static_cast<std::int64_t>(b.position.offset - first.second), where));
    made.count = static_cast<std::uint64_t>(
        between(static_cast<std::int64_t>(a.count), static_cast<std::int64_t>(b.count), where));
    made_.set_draws(i, made);
  }

  const graph &a_, &b_;
  std::int64_t of_a_, of_b_, size_;
  builder made_;
  std::vector<shape> sizes_, strides_;
  std::vector<tensor_value> tensors_;
  std::map<number, std::pair<std::uint64_t, std::uint64_t>> first_draws_;  // by generator: in a and in b
};

}  // namespace

free_size::free_size(graph a, graph b) : a_(std::move(a)), b_(std::move(b)) {
  comparison(a_, b_).run();
  for (std::size_t i = 0; i < a_.inputs().size(); ++i) {
    const number t = a_.inputs()[i].tensor;
    for (std::size_t d = 0; d < a_.sizes(t).size(); ++d) {
      if (a_.sizes(t)[d] != b_.sizes(t)[d]) dimensions_.push_back({i, d});
    }
  }
  if (dimensions_.empty()) {
    refuse(
        "found inputs of the same sizes in both recordings, wanted another size in the dimension that is to be free");
  }
}

graph free_size::at(std::int64_t size) const {
  const auto [input, dim] = dimensions_[0];
  const number t = a_.inputs()[input].tensor;
  return instance(a_, b_, a_.sizes(t)[dim], b_.sizes(t)[dim], size).make();
}

// ----------------------------------------------------------------------------------------------- sized_replayer

sized_replayer::sized_replayer(free_size program, replay_options options)
    : program_(std::move(program)), options_(std::move(options)) {
  options_.check_sizes = true;
}

replayer& sized_replayer::of(std::int64_t size) {
  std::unique_ptr<replayer>& known = known_[size];
  if (known) return *known;
  auto made = std::make_unique<replayer>(program_.at(size), options_);
  for (const named_value& one : program_.recorded().parameters()) {
    if (first_ != nullptr) made->set_parameter(one.name, first_->parameter(one.name));
  }
  if (first_ == nullptr) first_ = made.get();
  known = std::move(made);
  return *known;
}

std::vector<tensor> sized_replayer::operator()(std::span<const tensor> inputs) {
  const auto [input, dim] = program_.dimensions()[0];
  if (input >= inputs.size() || !inputs[input].defined() || dim >= inputs[input].sizes().size()) {
    return of(program_.recorded().sizes(program_.recorded().inputs()[input].tensor)[dim])(
        inputs);  // which refuses them
  }
  return of(inputs[input].sizes()[dim])(inputs);
}

}  // namespace topbit::graphs
