module topbit.backend_test;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :session;

namespace topbit::backend_test {

namespace {

constexpr std::size_t most_failures = 20;

double epsilon_of(dtype t) noexcept {
  switch (t) {
    case dtype::float16: return 0x1p-10;
    case dtype::bfloat16: return 0x1p-7;
    case dtype::float64: return 0x1p-52;
    default: return 0x1p-23;
  }
}

// Elements in row-major order, as doubles; int64 as they are, since doubles do not hold all of them.
template <class T>
std::vector<T> elements_of(const tensor& t) {
  const tensor dense = contiguous(to(t, std::is_same_v<T, double> ? dtype::float64 : dtype::int64));
  const auto* at = static_cast<const T*>(dense.data());
  return {at, at + dense.numel()};
}

// Each returns the first difference as a sentence; empty if there is none.
std::string first_unequal(const tensor& found, const tensor& wanted) {
  const std::vector<std::int64_t> x = elements_of<std::int64_t>(found), y = elements_of<std::int64_t>(wanted);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] == y[i]) continue;
    return "element " + std::to_string(i) + ": found " + std::to_string(x[i]) + ", wanted " + std::to_string(y[i]);
  }
  return {};
}

// Of those that are finite.
double largest_of(std::span<const double> elements) {
  double largest = 0;
  for (const double v : elements) {
    if (std::abs(v) < std::numeric_limits<double>::infinity()) largest = std::max(largest, std::abs(v));
  }
  return largest;
}

double least_normal(dtype t) {
  switch (t) {
    case dtype::float16: return 0x1p-14;
    case dtype::float64: return 0x1p-1022;
    default: return 0x1p-126;
  }
}

std::string first_far(const tensor& found, const tensor& wanted, bound b) {
  const std::vector<double> x = elements_of<double>(found), y = elements_of<double>(wanted);
  // Elements are rounded to their dtype; sums of narrow dtypes are computed in float32.
  const double epsilon = epsilon_of(wanted.dtype());
  const double epsilon_of_sums = wanted.dtype() == dtype::float64 ? epsilon : epsilon_of(dtype::float32);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double largest = std::max(b.largest_argument, largest_of(y));
  // Below the normal numbers the unit does not shrink any more.
  const double least = least_normal(wanted.dtype());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] == y[i] || (x[i] != x[i] && y[i] != y[i])) continue;
    const double allowed =
        epsilon * b.of_element * std::max(std::abs(y[i]), least) + epsilon_of_sums * b.of_largest * largest;
    if (std::abs(y[i]) < infinity && std::abs(x[i] - y[i]) <= allowed) continue;
    return "element " + std::to_string(i) + ": found " + text_of(x[i]) + ", wanted " + text_of(y[i]);
  }
  return {};
}

outcome call(const operator_handle& op, std::vector<value> arguments) {
  outcome made;
  boxed_stack stack;
  for (const value& v : arguments) stack.push(v.lend());
  try {
    op.call_boxed(stack);
    for (const value& v : stack.top(op.result_count())) made.results.emplace_back(v);
  } catch (const std::exception& e) {
    made.error = e.what();
  }
  made.arguments = std::move(arguments);
  return made;
}

std::string without(std::string text, const std::string& name, const std::string& instead) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += instead.size())
    text.replace(at, name.size(), instead);
  return text;
}

bool is_named(std::string_view op, std::string_view pattern) {
  if (!pattern.ends_with('*')) return op == pattern;
  return op.starts_with(pattern.substr(0, pattern.size() - 1));
}

// A defined tensor in other memory, which `copy` makes of the whole memory around it.
template <class Copy>
tensor in_copied_memory(const tensor& t, Copy copy) {
  const author::tensor_record& r = author::record_of(t);
  const auto whole = static_cast<std::int64_t>(r.data->bytes / size_of(r.type));
  return author::make_view(copy(author::make_view(t, {whole}, {1}, 0)), r.sizes, r.strides, r.offset);
}

// Results of these hold no values.
bool has_values(std::string_view op) {
  constexpr std::array<std::string_view, 3> without_values{"aten::empty", "aten::new_empty", "aten::resize_"};
  return !std::ranges::any_of(without_values, [&](std::string_view name) { return op.starts_with(name); });
}

}  // namespace

std::string text_of(double x) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), x).ptr};
}

bool session::begin_level(int level, std::string_view name) {
  if (level < how_.first_level || level > how_.last_level) return false;
  if (!report_.levels.empty() && report_.levels.back().failed != 0) return false;
  report_.levels.push_back({.level = level, .name = std::string(name)});
  began_ = observe::clock_ns();
  return true;
}
void session::end_level() { report_.levels.back().seconds = static_cast<double>(observe::clock_ns() - began_) * 1e-9; }

void session::check(bool holds, std::string what, std::string reproduce) {
  const std::lock_guard lock(mutex_);
  level_result& level = report_.levels.back();
  ++level.checks;
  if (holds) return;
  ++level.failed;
  if (level.failures.size() < most_failures) level.failures.push_back({std::move(what), std::move(reproduce)});
}

void session::part(std::string_view name, const std::function<void()>& run) {
  try {
    run();
  } catch (const std::exception& e) {
    check(false, std::string(name) + ": threw: " + e.what());
  }
}

tensor session::there(const tensor& t) const {
  if (!t.defined() || t.device() == where_) return t;
  return in_copied_memory(t, [&](const tensor& all) { return to(all, where_); });
}

std::string session::difference(const tensor& found, const tensor& wanted, bound b) const {
  if (!found.defined() || !wanted.defined()) {
    return found.defined() == wanted.defined() ? "" : "one of the two is undefined";
  }
  const auto differs = [&](const std::string& property, const std::string& f, const std::string& w) {
    return "found " + property + " " + f + ", wanted " + w;
  };
  if (found.device() != where_) {
    return differs("device", to_string(found.device()), to_string(where_));
  }
  if (found.dtype() != wanted.dtype())
    return differs("dtype", std::string(name_of(found.dtype())), std::string(name_of(wanted.dtype())));
  if (found.sizes() != wanted.sizes()) return differs("sizes", to_string(found.sizes()), to_string(wanted.sizes()));
  if (found.strides() != wanted.strides() && wanted.numel() > 1)
    return differs("strides", to_string(found.strides()), to_string(wanted.strides()));
  const tensor here = to(found, cpu);
  return is_floating(wanted.dtype()) ? first_far(here, wanted, b) : first_unequal(here, wanted);
}

void session::compare(const std::string& what, const tensor& found, const tensor& wanted, bound b,
                      const std::string& reproduce) {
  const std::string found_difference = difference(found, wanted, b);
  check(found_difference.empty(), what + ": " + found_difference, reproduce);
}

bool session::is_hole(std::string_view op, std::span<const value> arguments, bool works) {
  const std::lock_guard lock(mutex_);
  bool found = false;
  for (std::size_t i = 0; i < how_.holes.size(); ++i) {
    const hole& h = how_.holes[i];
    bool has_type = !h.type.has_value();
    for (const value& v : arguments) {
      author::each_tensor(v, [&](const tensor& t) { has_type |= t.defined() && t.dtype() == h.type; });
    }
    if (!has_type || !is_named(op, h.op)) continue;
    ++holes_[i].calls;
    holes_[i].failures += works ? 0 : 1;
    found = true;
  }
  return found;
}

void session::compare_call(const operator_handle& op, std::span<const value> arguments, bound b,
                           const std::string& reproduce) {
  std::vector<value> host, far;
  const std::span<const author::schema_item> items = op.parsed_schema()->arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    // Copies, since some are written.
    host.push_back(author::map_tensors(arguments[i], [](const tensor& t) {
      return t.defined() ? in_copied_memory(t, [](const tensor& all) { return clone(all); }) : t;
    }));
    // tensor_split() reads this argument on the host, wherever the others are.
    const bool stays = items[i].name == "tensor_indices_or_sections";
    // Where no argument says where results go, a device does.
    const bool asks = items[i].type == "Device";
    far.push_back(asks ? value(where_) : author::map_tensors(host.back(), [&](const tensor& t) {
      return stays || !t.defined() ? t : there(t);
    }));
  }
  manual_seed(how_.seed);
  const outcome wanted = call(op, std::move(host));
  manual_seed(how_.seed);
  const outcome found = call(op, std::move(far));
  if (b.of_largest != 0) {
    const auto look = [&](const tensor& t) {
      if (t.defined() && is_floating(t.dtype()))
        b.largest_argument = std::max(b.largest_argument, largest_of(elements_of<double>(t)));
    };
    for (const value& v : arguments) author::each_tensor(v, look);
  }
  const std::string different = difference(op, found, wanted, b);
  if (!is_hole(op.name(), arguments, different.empty()))
    check(different.empty(), std::string(op.name()) + ": " + different, reproduce);
}

// Of results, written arguments, errors: the first.
std::string session::difference(const operator_handle& op, const outcome& found, const outcome& wanted, bound b) const {
  const std::string found_error = without(found.error, to_string(where_), "cpu");
  if (found_error != wanted.error) {
    const auto quoted = [](const std::string& e) { return e.empty() ? "no error" : "the error '" + e + "'"; };
    return "found " + quoted(found.error) + ", wanted " + quoted(wanted.error);
  }
  // After an error there are no results; what it must not have written is compared below.
  if (!has_values(op.name())) return {};
  for (std::size_t i = 0; i < wanted.results.size(); ++i) {
    if (const std::string d = difference(found.results[i], wanted.results[i], b); !d.empty())
      return "result " + std::to_string(i + 1) + ": " + d;
  }
  const author::schema_view& schema = *op.parsed_schema();
  for (std::size_t i = 0; i < wanted.arguments.size(); ++i) {
    if (!schema.arguments[i].writes) continue;
    if (const std::string d = difference(found.arguments[i], wanted.arguments[i], b); !d.empty())
      return "argument '" + std::string(schema.arguments[i].name) + "', which it writes: " + d;
  }
  return {};
}

std::string session::difference(const value& found, const value& wanted, bound b) const {
  std::vector<tensor> f, w;
  author::each_tensor(found, [&](const tensor& t) { f.push_back(t); });
  author::each_tensor(wanted, [&](const tensor& t) { w.push_back(t); });
  if (f.size() != w.size()) {
    return "found " + std::to_string(f.size()) + " tensors, wanted " + std::to_string(w.size());
  }
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (std::string d = difference(f[i], w[i], b); !d.empty()) return d;
  }
  if (!w.empty() || wanted.is<device>() || topbit::to_string(found) == topbit::to_string(wanted)) return {};
  return "found " + topbit::to_string(found) + ", wanted " + topbit::to_string(wanted);
}

void session::check_holes() {
  for (std::size_t i = 0; i < how_.holes.size(); ++i) {
    const hole& h = how_.holes[i];
    if (holes_[i].failures != 0) continue;
    if (holes_[i].calls == 0) {
      report_.false_holes.push_back(h.op + ": declared a hole (" + h.reason +
                                    "), and no call was made of it; check its name");
      continue;
    }
    report_.false_holes.push_back(h.op + ": declared a hole (" + h.reason + "), and all " +
                                  std::to_string(holes_[i].calls) + " calls agree with the CPU; remove it");
  }
}

}  // namespace topbit::backend_test
