module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :index.advanced_index_kernels;

namespace topbit {

namespace {

std::string to_string(const index_item& item) {
  if (const auto* i = item.get<std::int64_t>()) return std::to_string(*i);
  if (item.get<ellipsis_t>() != nullptr) return "...";
  if (item.get<newaxis_t>() != nullptr) return "newaxis";
  if (const auto* t = item.get<tensor>()) return t->defined() ? detail::describe(*t) : "undefined tensor";
  const auto& s = *item.get<slice_item>();
  const auto bound = [](std::optional<std::int64_t> b) { return b ? std::to_string(*b) : std::string(); };
  return bound(s.start) + ":" + bound(s.end) + (s.step == 1 ? "" : ":" + std::to_string(s.step));
}

// A resolved index: a view, and index tensors for dimensions of that view.
struct meaning {
  tensor view;
  std::vector<std::optional<tensor>> indices;  // arguments of aten::index.Tensor; empty without tensors
};

// Applies one index item after the other to the next dimension of the view.
class walk {
 public:
  walk(const tensor& x, std::span<const index_item> items) : x_(x), items_(items), view_(x) {
    if (!x.defined()) throw error("index: found an undefined tensor, wanted one with elements");
    std::size_t ellipses = 0;
    for (const index_item& item : items) {
      ellipses += item.get<ellipsis_t>() != nullptr ? 1 : 0;
      taken_ += item.get<ellipsis_t>() == nullptr && item.get<newaxis_t>() == nullptr ? 1 : 0;
      if (const auto* t = item.get<tensor>()) count(*t);
    }
    if (ellipses > 1) refuse(std::to_string(ellipses) + " ellipses, wanted at most one");
    if (taken_ > x.dim()) {
      refuse(std::to_string(taken_) + (taken_ == 1 ? " index" : " indices") + " for " + std::to_string(x.dim()) +
             (x.dim() == 1 ? " dimension" : " dimensions"));
    }
  }

  meaning result() {
    for (const index_item& item : items_) {
      if (const auto* i = item.get<std::int64_t>()) {
        take(*i);
      } else if (const auto* s = item.get<slice_item>()) {
        take(*s);
      } else if (const auto* t = item.get<tensor>()) {
        take(*t);
      } else if (item.get<newaxis_t>() != nullptr) {
        view_ = aten::unsqueeze(view_, next_++);
        indices_.emplace_back();
      } else {
        pass(x_.dim() - taken_);
      }
    }
    if (!has_tensors_) indices_.clear();
    return {view_, std::move(indices_)};
  }

 private:
  // A mask consumes as many dimensions as it has.
  void count(const tensor& t) {
    if (!t.defined()) refuse("an undefined tensor, wanted indices or a mask");
    has_tensors_ = true;
    if (!detail::is_mask(t)) return;
    if (t.dim() == 0) refuse("a zero-dimensional mask, wanted at least one dimension");
    taken_ += t.dim() - 1;
  }
  void pass(std::int64_t dimensions) {
    next_ += dimensions;
    source_ += dimensions;
    indices_.resize(indices_.size() + static_cast<std::size_t>(dimensions));
  }
  void take(std::int64_t i) {
    const std::int64_t n = x_.sizes()[source_];
    if (i < -n || i >= n) {
      refuse("index " + std::to_string(i) + " in dimension " + std::to_string(source_) + ", wanted " +
             (n == 0 ? "none, it has no elements" : std::to_string(-n) + " to " + std::to_string(n - 1)));
    }
    view_ = aten::select_int(view_, next_, i);
    ++source_;
  }
  void take(const slice_item& s) {
    if (s.step < 1) {
      refuse("step " + std::to_string(s.step) + " in dimension " + std::to_string(source_) + ", wanted 1 or more");
    }
    if (s.start || s.end || s.step != 1) view_ = aten::slice_Tensor(view_, next_, s.start, s.end, s.step);
    pass(1);
  }
  void take(const tensor& t) {
    if (!detail::is_mask(t)) return choose(t, 1);
    for (std::int64_t d = 0; d < t.dim(); ++d) {
      if (t.sizes()[d] == x_.sizes()[source_ + d]) continue;
      refuse("a mask " + topbit::to_string(t.sizes()) + " at dimension " + std::to_string(source_) +
             ", wanted the same sizes");
    }
    choose(t, t.dim());
  }
  void choose(const tensor& t, std::int64_t dimensions) {
    indices_.emplace_back(t);
    next_ += dimensions;
    source_ += dimensions;
  }

  [[noreturn]] void refuse(const std::string& found) const {
    throw shape_error(
        "index: found " + topbit::to_string(items_) + " for a tensor " + topbit::to_string(x_.sizes()) + ": " + found,
        "index");
  }

  const tensor& x_;
  std::span<const index_item> items_;
  tensor view_;
  std::vector<std::optional<tensor>> indices_;
  std::int64_t taken_ = 0;   // dimensions that items consume
  std::int64_t source_ = 0;  // next dimension of x
  std::int64_t next_ = 0;    // the same dimension in the view
  bool has_tensors_ = false;
};

// Without leading dimensions of size 1, which do not affect broadcasting.
tensor without_ones(const tensor& values, std::int64_t most) {
  tensor given = values;
  while (given.dim() > most && given.size(0) == 1) given = aten::select_int(given, 0, 0);
  return given;
}

}  // namespace

std::string to_string(std::span<const index_item> items) {
  std::string text = "[";
  for (const index_item& item : items) text += (text.size() > 1 ? ", " : "") + to_string(item);
  return text + "]";
}

tensor detail::index_function::operator()(const tensor& x, std::span<const std::optional<tensor>> indices) const {
  return aten::index_Tensor(x, indices);
}

tensor detail::index_function::operator()(const tensor& x, std::initializer_list<index_item> items) const {
  return (*this)(x, std::span<const index_item>(items.begin(), items.size()));
}
tensor detail::index_function::operator()(const tensor& x, std::span<const index_item> items) const {
  const meaning m = walk(x, items).result();
  if (!m.indices.empty()) return aten::index_Tensor(m.view, m.indices);
  return m.view.same_as(x) ? aten::alias(x) : m.view;
}

void assign(const tensor& destination, const tensor& values) {
  tensor to = destination;
  aten::copy_(to, without_ones(values, destination.dim()));
}

void assign(const tensor& destination, const scalar& value) {
  tensor to = destination;
  aten::fill_Scalar_(to, value);
}

void assign(const tensor& x, const tensor& values, std::span<const index_item> items) {
  meaning m = walk(x, items).result();
  if (m.indices.empty()) return assign(m.view, values);
  aten::index_put_(m.view, m.indices, without_ones(to(values, x.dtype()), 0));
}

void assign(const tensor& x, const scalar& value, std::span<const index_item> items) {
  meaning m = walk(x, items).result();
  if (m.indices.empty()) return assign(m.view, value);
  const tensor one =
      aten::full(std::span<const std::int64_t>(), value, arg<"dtype"> = x.dtype(), arg<"device"> = x.device());
  aten::index_put_(m.view, m.indices, one);
}

}  // namespace topbit
