// A library as the program sees it: inputs, calls and results of the cells, by namespace lib.
#include <exception>

#include "cell.h"
#include "library.h"
#include "side.h"

namespace bench::operators {

namespace {

const std::vector<cell>& cells() {
  static const std::vector<cell> all = [] {
    std::vector<cell> made;
    for (const auto add : {add_unary, add_binary, add_reductions, add_shapes, add_networks, add_products, add_models})
      add(made);
    return made;
  }();
  return all;
}

// SplitMix64's output function of a counter: element i needs no element before it, and both libraries get the same.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

std::vector<std::int64_t> sizes_of(const input& made, const shape& numbers) {
  if (made.sizes.empty()) return numbers;
  std::vector<std::int64_t> sizes;
  for (const std::int64_t size : made.sizes) sizes.push_back(size_of(size, numbers));
  return sizes;
}

// Numbers of a float tensor in float32, of whole numbers and bool in int64, converted by the library.
tensor filled(const input& made, const shape& numbers, std::uint64_t seed) {
  const bool is_whole = made.filled == input::content::whole;
  const tensor t = lib::zeros_of(sizes_of(made, numbers), is_whole ? lib::i64 : lib::f32);
  const std::int64_t count = t.numel();
  const std::uint64_t first = seed << 40;
  if (is_whole) {
    auto* to = static_cast<std::int64_t*>(lib::data(t));
    const auto low = static_cast<std::int64_t>(made.low);
    const auto range = static_cast<std::uint64_t>(size_of(made.below, numbers) - low);
    for (std::int64_t i = 0; i < count; ++i)
      to[i] = low + static_cast<std::int64_t>((mixed(first + static_cast<std::uint64_t>(i)) >> 32) * range >> 32);
  } else {
    auto* to = static_cast<float*>(lib::data(t));
    const auto low = static_cast<float>(made.low), range = static_cast<float>(made.high - made.low);
    for (std::int64_t i = 0; i < count; ++i) {
      const float unit = static_cast<float>(mixed(first + static_cast<std::uint64_t>(i)) >> 40) * 0x1p-24F;
      to[i] =
          made.filled == input::content::ramp ? static_cast<float>(i) / static_cast<float>(count) : low + range * unit;
    }
  }
  return lib::to(t, made.type);
}

double precision_of(lib::element type) {
  if (type == lib::f32) return 1e-5;
  if (type == lib::f64) return 1e-13;
  if (type == lib::bf16) return 2e-2;
  if (type == lib::f16) return 2.5e-3;
  return 0;
}

// PyTorch's messages end with a stack.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

class side final : public library {
 public:
  const char* name() override { return lib::name; }
  const char* version() override { return (version_ = lib::version_text()).c_str(); }
  const char* setting() override { return (setting_ = lib::setting_text()).c_str(); }
  void set_threads(int count) override { lib::set_num_threads(count); }

  std::size_t count() override { return cells().size(); }
  const char* family(std::size_t index) override { return cells()[index].family.c_str(); }
  const char* name(std::size_t index) override { return cells()[index].name.c_str(); }

  const char* prepare(std::size_t index, const std::int64_t* numbers, std::size_t count) override {
    drop();
    return caught([&] {
      cell_ = &cells()[index];
      now_.numbers.assign(numbers, numbers + count);
      std::uint64_t seed = 0;
      for (const input& made : cell_->inputs) {
        tensor t = filled(made, now_.numbers, ++seed);
        if (made.view != nullptr) t = made.view(t);
        if (cell_->recorded && !made.fixed) now_.leaves.push_back(t = lib::leaf(t));
        now_.tensors.push_back(t);
      }
      if (!cell_->recorded) return;
      const tensor y = cell_->body->results(now_).at(0);
      gradient_ = filled({.sizes = {}, .type = y_type(y)}, sizes_of_tensor(y), 99);
    });
  }

  const char* run(std::int64_t times) override {
    return caught([&] {
      if (cell_->recorded) {
        cell_->body->run_recorded(now_, gradient_, times);
      } else {
        const lib::inference_mode guard;
        cell_->body->run(now_, times);
      }
    });
  }

  const char* compute() override {
    drop_results();
    return caught([&] {
      if (!cell_->recorded) {
        const lib::inference_mode guard;
        for (const tensor& t : cell_->body->results(now_)) keep(t);
        return;
      }
      const tensor y = cell_->body->results(now_).at(0);
      keep(y);
      for (const tensor& gradient : lib::gradients(y, now_.leaves, gradient_)) keep(gradient);
    });
  }
  std::size_t results() override { return results_.size(); }
  result_view result(std::size_t index) override {
    const kept_result& r = results_[index];
    return {static_cast<const double*>(lib::data(r.values)), r.values.numel(), r.precision};
  }

  void drop_results() override { results_.clear(); }
  void drop() override {
    drop_results();
    now_ = {};
    gradient_ = tensor();
    cell_ = nullptr;
  }

  std::int64_t elements() override {
    std::int64_t largest = 0;
    for (const tensor& t : now_.tensors) largest = std::max(largest, static_cast<std::int64_t>(t.numel()));
    for (const kept_result& r : results_) largest = std::max(largest, static_cast<std::int64_t>(r.values.numel()));
    return largest;
  }

 private:
  struct kept_result {
    tensor values;
    double precision;
  };

  static lib::element y_type(const tensor& y) { return lib::type_of(y); }
  static shape sizes_of_tensor(const tensor& y) {
    shape sizes;
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(y.dim()); ++d) sizes.push_back(y.size(d));
    return sizes;
  }

  void keep(const tensor& t) {
    results_.push_back({lib::contiguous(lib::to(lib::detach(t), lib::f64)), precision_of(lib::type_of(t))});
  }

  template <class Work>
  const char* caught(Work work) {
    try {
      work();
      return nullptr;
    } catch (const std::exception& e) {
      return (error_ = first_line(e.what())).c_str();
    }
  }

  const cell* cell_ = nullptr;
  arguments now_;
  tensor gradient_;
  std::vector<kept_result> results_;
  std::string version_, setting_, error_;
};

}  // namespace

std::vector<operation> operations() { return {cells().begin(), cells().end()}; }

library& this_library() {
  static side one;
  return one;
}

}  // namespace bench::operators
