// How an operator is declared: once, as a call of namespace lib with some inputs. The files of cells/ are compiled for
// each library: `lib` is topbit/lib.h or torch/lib.h, whichever folder comes first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "plan.h"
#include "shape.h"
// lib.h may import modules, so it comes last.
#include "lib.h"

namespace bench::operators {

using lib::tensor;

struct arguments {
  std::vector<tensor> tensors;
  std::vector<tensor> leaves;  // those of the tensors whose gradients are wanted
  shape numbers;
  const tensor& operator[](std::size_t i) const { return tensors[i]; }
  std::int64_t n(std::size_t i) const { return numbers[i]; }
};
using args = const arguments&;

// A size of an input: a number of the cell's shape by its place; below zero that size itself, so that {0, -10} has ten
// columns; or one of the names below.
using size_list = std::vector<std::int64_t>;
inline constexpr std::int64_t all_elements = 100;                   // as many as the whole shape has
inline constexpr std::int64_t tenth = 101;                          // a tenth of that
inline constexpr std::int64_t half_rows = 102, half_columns = 103;  // of the first and the second number

inline std::int64_t size_of(std::int64_t size, const shape& numbers) {
  std::int64_t elements = 1;
  for (const std::int64_t n : numbers) elements *= n;
  switch (size) {
    case all_elements: return elements;
    case tenth: return elements / 10;
    case half_rows: return numbers[0] / 2;
    case half_columns: return numbers[1] / 2;
    default: return size < 0 ? -size : numbers[static_cast<std::size_t>(size)];
  }
}

struct input {
  enum class content { uniform, whole, ramp };

  size_list sizes = {};  // empty: all numbers of the shape
  content filled = content::uniform;
  double low = -3, high = 3;
  std::int64_t below = 0;  // of whole numbers: like a size
  lib::element type = lib::f32;
  bool fixed = false;  // has no gradient
  tensor (*view)(const tensor&) = nullptr;

  input as(lib::element other) const {
    input changed = *this;
    changed.type = other;
    return changed;
  }
  // A target or a statistic, no parameter.
  input without_gradient() const {
    input changed = *this;
    changed.fixed = true;
    return changed;
  }
  // What the call gets is a view of the tensor, made before anything is timed.
  input seen(tensor (*as_what)(const tensor&)) const {
    input changed = *this;
    changed.view = as_what;
    return changed;
  }
};

inline input in(double low = -3, double high = 3) { return {.low = low, .high = high}; }
inline input sized(size_list sizes, double low = -3, double high = 3) {
  return {.sizes = std::move(sizes), .low = low, .high = high};
}
inline input whole(std::int64_t below, size_list sizes = {}, double low = 0) {
  return {.sizes = std::move(sizes),
          .filled = input::content::whole,
          .low = low,
          .below = below,
          .type = lib::i64,
          .fixed = true};
}
// 0, 1/n, 2/n, ...
inline input ramp(size_list sizes) { return {.sizes = std::move(sizes), .filled = input::content::ramp}; }
inline input mask() { return whole(-2).as(lib::boolean); }

class call {
 public:
  virtual ~call() = default;
  virtual void run(args a, std::int64_t times) const = 0;
  virtual void run_recorded(args a, const tensor& gradient, std::int64_t times) const = 0;
  virtual std::vector<tensor> results(args a) const = 0;
};

struct cell : operation {
  std::vector<input> inputs = {};
  std::shared_ptr<const call> body = {};
  bool recorded = false;  // forward and backward

  cell& compared(check by) {
    how = by;
    return *this;
  }
  cell& within(double factor) {
    slack = factor;
    return *this;
  }
};

namespace detail {

inline std::vector<tensor> listed(const tensor& one) { return {one}; }
template <class... T>
std::vector<tensor> listed(const std::tuple<T...>& several) {
  return std::apply([](const auto&... each) { return std::vector<tensor>{each...}; }, several);
}

inline const tensor& first(const tensor& one) { return one; }
template <class... T>
const tensor& first(const std::tuple<T...>& several) {
  return std::get<0>(several);
}

template <class Body>
class call_of final : public call {
 public:
  explicit call_of(Body body) : body_(body) {}
  void run(args a, std::int64_t times) const override {
    for (std::int64_t i = 0; i < times; ++i) {
      [[maybe_unused]] const auto dropped = body_(a);
    }
  }
  void run_recorded(args a, const tensor& gradient, std::int64_t times) const override {
    for (std::int64_t i = 0; i < times; ++i) {
      [[maybe_unused]] const auto dropped = lib::gradients(first(body_(a)), a.leaves, gradient);
    }
  }
  std::vector<tensor> results(args a) const override { return listed(body_(a)); }

 private:
  Body body_;
};

}  // namespace detail

// Collects the cells of a family; one line declares one operator.
class family {
 public:
  family(std::vector<cell>& all, std::string name, shape_set shapes)
      : all_(&all), name_(std::move(name)), shapes_(std::move(shapes)) {}

  template <class Body>
  cell& add(std::string operation, std::vector<input> inputs, Body body) {
    return add(std::move(operation), shapes_, std::move(inputs), body);
  }
  template <class Body>
  cell& add(std::string operation, shape_set shapes, std::vector<input> inputs, Body body) {
    return put(name_, std::move(operation), std::move(shapes), std::move(inputs),
               std::make_shared<detail::call_of<Body>>(body));
  }
  // In this family and, recorded, in the family "backward" at other shapes.
  template <class Body>
  void both(std::string operation, std::vector<input> inputs, Body body, shape_set recorded = {&matrices, {"M", "1e6"}},
            double slack = 1) {
    cell& forward = add(operation, inputs, body).within(slack);
    const std::shared_ptr<const call> shared = forward.body;
    put("backward", std::move(operation), std::move(recorded), std::move(inputs), shared).within(slack).recorded = true;
  }
  template <class Body>
  cell& recorded(std::string operation, shape_set shapes, std::vector<input> inputs, Body body) {
    cell& made = put("backward", std::move(operation), std::move(shapes), std::move(inputs),
                     std::make_shared<detail::call_of<Body>>(body));
    made.recorded = true;
    return made;
  }

 private:
  cell& put(std::string group, std::string operation, shape_set shapes, std::vector<input> inputs,
            std::shared_ptr<const call> body) {
    all_->push_back({{std::move(group), std::move(operation), std::move(shapes)}, std::move(inputs), std::move(body)});
    return all_->back();
  }

  std::vector<cell>* all_;
  std::string name_;
  shape_set shapes_;
};

// The files of cells/.
void add_unary(std::vector<cell>& all);
void add_binary(std::vector<cell>& all);
void add_reductions(std::vector<cell>& all);
void add_shapes(std::vector<cell>& all);
void add_networks(std::vector<cell>& all);
void add_products(std::vector<cell>& all);
void add_models(std::vector<cell>& all);

}  // namespace bench::operators
