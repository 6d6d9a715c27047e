module topbit.autograd;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

namespace {

constexpr op<
    "aten::_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor">
    to_copy;
constexpr op<"aten::to_dense(Tensor(a) self, ScalarType? dtype=None, *, bool? masked_grad=None) -> Tensor(a)"> to_dense;

// The tensor that has the elements of t, which of a sparse tensor are the values of its entries.
tensor elements_tensor(const tensor& t) {
  if (const author::layout_payload* const payload = author::parts_of(t); payload != nullptr) {
    for (const auto& [name, value] : payload->parts()) {
      if (name == "values") return value;
    }
  }
  return t;
}

void check_inputs(std::string_view who, std::span<const tensor> inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const tensor& t = inputs[i];
    if (!t.defined() || !requires_grad(t)) continue;
    const std::string begin = std::string(who) + ": input " + std::to_string(i + 1) + " is ";
    if (t.dtype() != dtype::float64)
      throw dtype_error(begin + std::string(name_of(t.dtype())) +
                        ", wanted float64: finite differences of other dtypes are too inaccurate");
    if (t.device() != cpu) throw device_error(begin + "on " + to_string(t.device()) + ", wanted it on cpu");
    if (const tensor elements = elements_tensor(t); !author::has_distinct_elements(elements))
      throw error(begin + "of strides " + to_string(elements.strides()) +
                  ", whose elements share memory; clone() it first");
  }
}

// The address of each element, in row-major order of the indices.
std::vector<double*> elements_of(const tensor& from) {
  const tensor t = elements_tensor(from);
  std::vector<double*> all;
  double* const first = t.data_ptr<double>();
  const auto visit = [&](auto&& self, std::int64_t d, std::int64_t at) -> void {
    if (d == t.dim()) return all.push_back(first + at);
    for (std::int64_t i = 0; i < t.sizes()[d]; ++i) self(self, d + 1, at + i * t.strides()[d]);
  };
  visit(visit, 0, 0);
  return all;
}

std::vector<double> values_of(const tensor& given) {
  if (!given.defined()) return {};
  const no_grad guard;
  const tensor t = given.layout() == layout::strided ? given : to_dense(given, std::nullopt, std::nullopt);
  const tensor wide = t.dtype() == dtype::float64
                          ? t
                          : to_copy(t, dtype::float64, std::nullopt, std::nullopt, std::nullopt, false, std::nullopt);
  std::vector<double> values;
  for (const double* x : elements_of(wide)) values.push_back(*x);
  return values;
}

// Of the gradient of a sparse input the values of its entries, which must be at the places of the input's; else all.
std::optional<std::vector<double>> values_for(const tensor& input, const tensor& gradient) {
  const author::layout_payload *const places = author::parts_of(input), *const found = author::parts_of(gradient);
  if (places == nullptr) return values_of(gradient);
  if (found == nullptr || gradient.layout() != input.layout()) return {};
  const std::vector<author::layout_payload::part> wanted = places->parts(), parts = found->parts();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].name == "values") continue;
    if (parts[i].value.sizes() != wanted[i].value.sizes() || values_of(parts[i].value) != values_of(wanted[i].value))
      return {};
  }
  return values_of(elements_tensor(gradient));
}

// Restores an element, also if f throws.
struct restored {
  double* at;
  double before;
  ~restored() { *at = before; }
};

bool is_checked(const tensor& result) { return result.defined() && is_floating(result.dtype()); }

// The values of f's floating-point results at the current inputs.
std::vector<std::vector<double>> results_at(const tensor_function& f, std::span<const tensor> inputs) {
  const no_grad guard;
  std::vector<std::vector<double>> all;
  for (const tensor& t : f(inputs)) {
    if (is_checked(t)) all.push_back(values_of(t));
  }
  return all;
}

std::string text_of(double x) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), x, std::chars_format::general, 8).ptr;
  return {text.data(), end};
}

// A pseudo-random number determined by seed and index, with magnitude in [0.5, 1.5).
double made_up(std::uint64_t seed, std::uint64_t place) {
  std::uint64_t x = seed * 0x9e3779b97f4a7c15u + place * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  const double size = 0.5 + static_cast<double>(x >> 12) * 0x1p-52;
  return (x & 1) != 0 ? size : -size;
}

// A tensor with shape and dtype of `like`: 1 at one element, 0 elsewhere.
tensor unit_at(const tensor& like, std::size_t element) {
  const no_grad guard;
  std::vector<double> values(static_cast<std::size_t>(like.numel()), 0.0);
  values[element] = 1;
  const tensor unit = from_values(values, like.sizes());
  return like.dtype() == dtype::float64
             ? unit
             : to_copy(unit, like.dtype(), std::nullopt, std::nullopt, std::nullopt, false, std::nullopt);
}

}  // namespace

check_result gradcheck(const tensor_function& f, std::span<const tensor> inputs, const check_options& options) {
  check_inputs("gradcheck", inputs);
  std::vector<tensor> checked;
  std::vector<std::size_t> number;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].defined() && requires_grad(inputs[i])) {
      checked.push_back(inputs[i]);
      number.push_back(i + 1);
    }
  }
  if (checked.empty()) throw error("gradcheck: found no input that requires a gradient, wanted one or more");

  std::vector<tensor> results;
  {
    const enable_grad recording;
    for (const tensor& t : f(inputs)) {
      if (is_checked(t)) results.push_back(t);
    }
  }
  for (std::size_t i = 0; i < checked.size(); ++i) {
    const std::vector<double*> elements = elements_of(checked[i]);
    // [element of the input][result][element of the result]
    std::vector<std::vector<std::vector<double>>> slopes;
    for (double* x : elements) {
      const restored element{x, *x};
      *x = element.before + options.step;
      auto high = results_at(f, inputs);
      *x = element.before - options.step;
      const auto low = results_at(f, inputs);
      for (std::size_t r = 0; r < high.size(); ++r) {
        for (std::size_t e = 0; e < high[r].size(); ++e) high[r][e] = (high[r][e] - low[r][e]) / (2 * options.step);
      }
      slopes.push_back(std::move(high));
    }
    for (std::size_t r = 0; r < results.size(); ++r) {
      for (std::size_t e = 0; e < static_cast<std::size_t>(results[r].numel()); ++e) {
        std::vector<double> found(elements.size(), 0.0);
        if (requires_grad(results[r])) {
          const tensor unit = unit_at(results[r], e);
          const tensor g = grad(std::span(&results[r], 1), std::span(&checked[i], 1),
                                {.retain_graph = true, .allow_unused = true, .gradients = {unit}})[0];
          if (g.defined()) {
            std::optional<std::vector<double>> values = values_for(checked[i], g);
            if (!values) {
              return {false, "input " + std::to_string(number[i]) + ": the gradient of result " +
                                 std::to_string(r + 1) + ", element " + std::to_string(e) +
                                 ", has entries at other places than the input, wanted its pattern"};
            }
            found = std::move(*values);
          }
        }
        for (std::size_t x = 0; x < elements.size(); ++x) {
          const double wanted = slopes[x][r][e];
          if (std::abs(found[x] - wanted) <= options.absolute + options.relative * std::abs(wanted)) continue;
          return {false, "input " + std::to_string(number[i]) + ", element " + std::to_string(x) +
                             ": the gradient of result " + std::to_string(r + 1) + ", element " + std::to_string(e) +
                             ", is " + text_of(found[x]) + ", finite differences give " + text_of(wanted)};
        }
      }
    }
  }
  return {};
}

check_result gradgradcheck(const tensor_function& f, std::span<const tensor> inputs, const check_options& options,
                           std::uint64_t seed) {
  check_inputs("gradgradcheck", inputs);
  std::vector<tensor> all(inputs.begin(), inputs.end());
  std::size_t results = 0;
  {
    const enable_grad recording;
    for (const tensor& t : f(inputs)) {
      if (!is_checked(t) || !requires_grad(t)) continue;
      std::vector<double> values;
      for (std::int64_t i = 0; i < t.numel(); ++i)
        values.push_back(made_up(seed + results, static_cast<std::uint64_t>(i)));
      const tensor gradient = from_values(values, t.sizes());
      all.push_back(require_grad(gradient));
      ++results;
    }
  }
  if (results == 0) throw error("gradgradcheck: found no result that requires a gradient, wanted one or more");
  const std::size_t given = inputs.size();
  const auto gradients = [&f, given](std::span<const tensor> x) {
    const bool recorded = grad_enabled();
    const enable_grad recording;
    std::vector<tensor> outputs, wanted, of_outputs;
    for (const tensor& t : f(x.first(given))) {
      if (is_checked(t) && requires_grad(t)) outputs.push_back(t);
    }
    for (const tensor& t : x.first(given)) {
      if (t.defined() && requires_grad(t)) wanted.push_back(t);
    }
    of_outputs.assign(x.begin() + static_cast<std::ptrdiff_t>(given), x.end());
    std::vector<tensor> found =
        grad(outputs, wanted, {.create_graph = recorded, .allow_unused = true, .gradients = of_outputs});
    std::erase_if(found, [](const tensor& t) { return !t.defined(); });
    return found;
  };
  check_result found = gradcheck(gradients, all, options);
  if (!found.ok)
    found.text = "gradient of the gradient, its inputs are f's and the gradients of f's results: " + found.text;
  return found;
}

}  // namespace topbit
