// Random calls of the operators on the parts of tensors, with arguments that fit one another or almost do: whatever
// they are, a call returns or throws topbit::error, and what it returns can be read. Included after the imports.
#pragma once

namespace support {

// Of every operator whose name begins with "topbit::_", so that a new one is called as well.
class hostile_calls {
 public:
  explicit hostile_calls(std::uint64_t seed) : random_(seed) {}

  static std::vector<topbit::operator_handle> operators() {
    std::vector<topbit::operator_handle> all;
    for (const std::string& name : topbit::registry::process().operators()) {
      if (name.starts_with("topbit::_")) all.push_back(topbit::registry::process().find(name));
    }
    return all;
  }

  // One call, and the gradients of what it returned. False if it threw topbit::error.
  bool call(const topbit::operator_handle& op) {
    text_ = std::string(op.name());
    draw_sizes();
    const bool recorded = below(2) == 0;
    topbit::boxed_stack stack;
    std::vector<topbit::tensor> leaves;
    try {
      for (const topbit::author::schema_item& item : op.parsed_schema()->arguments) {
        topbit::value v = argument(item);
        if (recorded && v.is<topbit::tensor>() && is_differentiable(v.get<topbit::tensor>())) {
          v = topbit::value(topbit::require_grad(topbit::detach(v.get<topbit::tensor>())));
          leaves.push_back(v.get<topbit::tensor>());
        }
        text_ += "\n  " + std::string(item.name) + " = " + to_string(v);
        stack.push(std::move(v));
      }
      op.call_boxed(stack);
      read_results(stack, leaves);
      return true;
    } catch (const topbit::error& e) {
      text_ += "\n  " + std::string(e.what());
      return false;
    }
  }
  // A tensor of another layout, which some arguments are.
  void add_layout(const topbit::tensor& t) { layouts_.push_back(t); }
  // Called with each result of another layout.
  void read_layouts_by(std::function<void(const topbit::tensor&)> f) { read_layout_ = std::move(f); }
  // The last call, for a failure.
  const std::string& text() const { return text_; }

 private:
  using integers = std::vector<std::int64_t>;

  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n)); }
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return all.begin()[below(static_cast<std::int64_t>(all.size()))];
  }
  std::int64_t hostile_number() {
    return one_of<std::int64_t>({-1, 0, 1, 2, 3, 5, 100, 1 << 20, 100000000, std::int64_t{1} << 48,
                                 (std::int64_t{1} << 32) + 8, std::numeric_limits<std::int32_t>::max(),
                                 std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()});
  }

  // None between what is small and what no machine has, which would be a test of the machine.
  std::int64_t hostile_size() {
    return one_of<std::int64_t>({-1, 0, 1, 2, 3, 5, 100, std::int64_t{1} << 48,
                                 std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()});
  }

  static bool is_differentiable(const topbit::tensor& t) {
    return t.defined() && is_floating(t.dtype()) && t.layout() == topbit::layout::strided;
  }

  // What the arguments of one call have in common: a pattern of size_ rows and columns, and a matrix of codes.
  void draw_sizes() {
    size_ = below(5);
    width_ = below(6);
    type_ = one_of({topbit::dtype::float32, topbit::dtype::float32, topbit::dtype::float64, topbit::dtype::float16,
                    topbit::dtype::bfloat16, topbit::dtype::int64, topbit::dtype::int8, topbit::dtype::boolean});
    index_ = one_of({topbit::dtype::int64, topbit::dtype::int64, topbit::dtype::int32});
    offsets_.assign(1, 0);
    columns_.clear();
    rows_.clear();
    for (std::int64_t r = 0; r < size_; ++r) {
      for (std::int64_t c = 0; c < size_; ++c) {
        if (below(3) != 0) continue;
        rows_.push_back(r);
        columns_.push_back(c);
      }
      offsets_.push_back(static_cast<std::int64_t>(columns_.size()));
    }
    bits_ = one_of({8, 4});
    axis_ = one_of({-1, -1, 0, 1});
    group_ = axis_ == -1 ? one_of<std::int64_t>({0, 2, 4}) : 0;
    of_entries_ = below(2) == 0;
  }

  topbit::tensor of_numbers(const integers& numbers, const topbit::shape& sizes, topbit::dtype type) {
    return topbit::to(topbit::reshape(topbit::from_values(numbers, {static_cast<std::int64_t>(numbers.size())}), sizes),
                      type);
  }
  topbit::tensor small_numbers(const topbit::shape& sizes, topbit::dtype type) {
    integers numbers(static_cast<std::size_t>(numel(sizes)));
    for (std::int64_t& x : numbers) x = below(7) - (type == topbit::dtype::uint8 ? 0 : 3);
    return of_numbers(numbers, sizes, type);
  }
  topbit::dtype any_dtype() {
    return one_of({topbit::dtype::float32, topbit::dtype::float64, topbit::dtype::float16, topbit::dtype::bfloat16,
                   topbit::dtype::int64, topbit::dtype::int32, topbit::dtype::int16, topbit::dtype::int8,
                   topbit::dtype::uint8, topbit::dtype::boolean});
  }
  topbit::dtype floating_dtype() { return is_floating(type_) ? type_ : topbit::dtype::float32; }

  // Of the meaning that the name has in the operators of this kind; of random sizes for another name.
  topbit::tensor fitting_tensor(std::string_view name) {
    const auto entries = static_cast<std::int64_t>(columns_.size());
    if (name.ends_with("compressed")) return of_numbers(offsets_, {size_ + 1}, index_);
    if (name.ends_with("plain")) return of_numbers(columns_, {entries}, index_);
    if (name == "positions") return of_numbers(columns_, {entries}, index_);
    if (name == "indices") {
      integers both = rows_;
      both.insert(both.end(), columns_.begin(), columns_.end());
      return of_numbers(both, {2, entries}, topbit::dtype::int64);
    }
    if (name == "left" || name == "right") {
      return of_entries_ ? small_numbers({entries}, type_) : small_numbers({size_, width_}, type_);
    }
    if (name.ends_with("values")) {
      return below(4) == 0 ? small_numbers({entries, width_}, type_) : small_numbers({entries}, type_);
    }
    if (name == "dense") return small_numbers({size_, width_}, type_);
    if (name == "codes") {
      const topbit::dtype type =
          bits_ == 4 ? topbit::dtype::uint8 : one_of({topbit::dtype::int8, topbit::dtype::uint8});
      return small_numbers({size_, bits_ == 4 ? (width_ + 1) / 2 : width_}, type);
    }
    if (name == "scales" || name == "offsets") {
      topbit::shape sizes;
      if (axis_ >= 0) sizes = {axis_ == 0 ? size_ : width_};
      if (group_ > 0) sizes = {size_, (width_ + group_ - 1) / group_};
      const bool points = name == "offsets" && below(2) == 0;
      return small_numbers(sizes, points ? topbit::dtype::int32 : floating_dtype());
    }
    if (name == "input_scales" || name == "input_offsets") {
      const topbit::shape sizes = of_entries_ ? topbit::shape{} : topbit::shape{3};
      return small_numbers(sizes, name == "input_scales" ? topbit::dtype::float32 : topbit::dtype::int32);
    }
    if (name == "input") {
      const topbit::dtype type = below(2) == 0 ? topbit::dtype::int8 : floating_dtype();
      return small_numbers({3, one_of({width_, width_, size_})}, type);
    }
    if (name == "bias") return small_numbers({size_}, floating_dtype());
    if (name == "self") return small_numbers({size_, width_}, floating_dtype());
    return any_tensor();
  }
  topbit::tensor any_tensor() {
    topbit::shape sizes;
    for (std::int64_t d = below(4); d != 0; --d) sizes.push_back(below(5));
    const topbit::dtype type = any_dtype();
    return is_integer(type) ? spoiled(small_numbers(sizes, type)) : small_numbers(sizes, type);
  }
  // Some element is another number.
  topbit::tensor spoiled(const topbit::tensor& t) {
    if (t.numel() == 0) return t;
    const topbit::tensor copy = topbit::clone(t, topbit::arg<"memory_format"> = topbit::memory_format::contiguous);
    topbit::tensor flat = topbit::reshape(copy, {t.numel()});
    const topbit::tensor number = of_numbers({hostile_number()}, {1}, t.dtype());
    topbit::tensor element = topbit::narrow(flat, 0, below(t.numel()), 1);
    topbit::copy_(element, number);
    return copy;
  }
  topbit::tensor almost(const topbit::tensor& t) {
    switch (below(9)) {
      case 0: return any_tensor();
      case 1: return topbit::to(t, any_dtype());
      case 2: return topbit::unsqueeze(t, 0);
      case 3: return t.dim() == 0 || t.size(0) == 0 ? t : topbit::narrow(t, 0, 0, t.size(0) - 1);
      case 4: return topbit::cat({topbit::reshape(t, {t.numel()}), topbit::reshape(t, {t.numel()})}, 0);
      case 5: return t.dim() == 0 ? topbit::tensor() : topbit::transpose(t, 0, -1);
      case 6: return topbit::to(t, topbit::meta);
      case 7: return t.dim() == 0 ? t : topbit::slice(topbit::cat({t, t}, 0), 0, 0, std::nullopt, 2);
      default: return spoiled(t);
    }
  }
  topbit::tensor tensor_named(std::string_view name) {
    const topbit::tensor fits = fitting_tensor(name);
    if (layouts_.empty() || below(20) != 0) return below(6) == 0 ? almost(fits) : fits;
    return layouts_[static_cast<std::size_t>(below(static_cast<std::int64_t>(layouts_.size())))];
  }

  std::int64_t number_named(std::string_view name) {
    if (name == "bits") return below(8) == 0 ? hostile_number() : bits_;
    if (below(8) == 0) return hostile_size();
    if (name == "columns") return of_entries_ ? size_ : width_;
    if (name == "axis") return axis_;
    if (name == "group") return group_;
    return below(5) - 1;
  }
  integers sizes_list() {
    integers sizes = one_of<integers>({{size_, size_}, {size_, width_}, {size_, size_, width_}});
    if (below(8) == 0 && !sizes.empty()) sizes[static_cast<std::size_t>(below(2))] = hostile_size();
    if (below(8) == 0) sizes.pop_back();
    return sizes;
  }

  topbit::value argument(const topbit::author::schema_item& item) {
    using topbit::author::type_modifier;
    const bool is_optional = item.modifiers[0] == type_modifier::optional;
    if (is_optional && below(2) == 0) return {};
    const bool is_list = item.modifiers[0] == type_modifier::list;
    if (item.type == "Tensor" && !is_list) return topbit::value(tensor_named(item.name));
    if (item.type == "Tensor") return topbit::value(std::vector{tensor_named(item.name), any_tensor()});
    if (item.type == "int" || item.type == "SymInt") {
      return is_list ? topbit::value(sizes_list()) : topbit::value(number_named(item.name));
    }
    if (item.type == "bool") return topbit::value(below(2) == 0);
    if (item.type == "float") return topbit::value(static_cast<double>(hostile_number()));
    if (item.type == "str") return topbit::value(one_of<std::string>({"mean", "amax", "amin", "sum", ""}));
    if (item.type == "ScalarType") return topbit::value(below(8) == 0 ? any_dtype() : floating_dtype());
    if (item.type == "Layout") {
      using enum topbit::layout;
      return topbit::value(one_of({sparse_csr, sparse_csc, sparse_csr, sparse_csc, sparse_coo, strided, quantized}));
    }
    throw std::logic_error("hostile_calls: an argument of type " + std::string(item.type) + " is new here");
  }

  // Reads all elements of the results, and of gradients.
  void read_results(const topbit::boxed_stack& stack, const std::vector<topbit::tensor>& leaves) {
    topbit::tensor loss;
    for (const topbit::value& v : stack.top(stack.size())) {
      if (!v.is<topbit::tensor>() || !v.get<topbit::tensor>().defined()) continue;
      const topbit::tensor& t = v.get<topbit::tensor>();
      if (t.device() == topbit::meta) continue;
      if (numel(t.sizes()) > 1'000'000) continue;
      const topbit::tensor dense = t.layout() == topbit::layout::strided ? t : topbit::to_dense(t);
      (void)topbit::equal(topbit::to(dense, topbit::dtype::float64), topbit::to(dense, topbit::dtype::float64));
      if (t.layout() != topbit::layout::strided && read_layout_) read_layout_(t);
      if (!is_floating(dense.dtype())) continue;
      const topbit::tensor sum = topbit::sum(topbit::to(dense, topbit::dtype::float64));
      loss = loss.defined() ? loss + sum : sum;
    }
    if (!loss.defined() || !topbit::requires_grad(loss)) return;
    // And of these the gradients, by the operators that the gradients are computed with.
    const topbit::grad_options options{.create_graph = true, .allow_unused = true};
    topbit::tensor second;
    for (const topbit::tensor& g : topbit::grad({loss}, leaves, options)) {
      if (!g.defined() || g.layout() != topbit::layout::strided) continue;
      const topbit::tensor sum = topbit::sum(topbit::to(g, topbit::dtype::float64));
      second = second.defined() ? second + sum : sum;
    }
    if (second.defined() && topbit::requires_grad(second)) topbit::backward(second);
  }

  std::mt19937_64 random_;
  std::string text_;
  std::vector<topbit::tensor> layouts_;
  std::function<void(const topbit::tensor&)> read_layout_;
  std::int64_t size_ = 0, width_ = 0, group_ = 0;
  int bits_ = 8, axis_ = -1;
  bool of_entries_ = false;
  topbit::dtype type_ = topbit::dtype::float32, index_ = topbit::dtype::int64;
  integers offsets_, columns_, rows_;
};

// So many calls of each operator, each of which returns or throws topbit::error. Some of each do either.
inline void make_hostile_calls(hostile_calls& calls, int count) {
  for (const topbit::operator_handle& op : hostile_calls::operators()) {
    int returned = 0;
    for (int i = 0; i < count; ++i) {
      try {
        returned += calls.call(op) ? 1 : 0;
      } catch (const std::exception& e) {
        FAIL_CHECK(calls.text() << "\n  " << e.what());
      }
    }
    INFO(op.name());
    if (count < 1000) continue;
    CHECK(returned > count / 100);
    CHECK(returned < count);
  }
}

}  // namespace support
