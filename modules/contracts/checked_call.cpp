module topbit.contracts;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import topbit.modes;
import :checked_call;

namespace topbit::contracts {

namespace {

std::string text_of(const tensor& t) {
  return std::string(name_of(t.dtype())) + " " + to_string(t.sizes()) + " on " + to_string(t.device());
}

bool takes_device(const author::schema_view& s, std::span<const value> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (s.arguments[i].type == "Device" && !arguments[i].is_none()) return true;
  }
  return false;
}

// Results whose elements are what memory held: nothing about their bits is promised.
bool is_uninitialised(std::string_view op) {
  constexpr std::string_view without_elements[] = {"aten::empty", "aten::new_empty", "aten::resize_"};
  return std::ranges::any_of(without_elements, [&](std::string_view name) { return op.starts_with(name); });
}

class thread_count {
 public:
  explicit thread_count(int count) : before_(num_threads()) { set_num_threads(count); }
  thread_count(const thread_count&) = delete;
  thread_count& operator=(const thread_count&) = delete;
  ~thread_count() { set_num_threads(before_); }

 private:
  int before_;
};

// Makes it likely that memory for tensors like these, which the caches of this thread give, has this byte in it.
void leave_in_memory(std::span<const std::pair<std::size_t, tensor>> like, std::byte pattern) {
  std::vector<tensor> blocks;
  for (const auto& [result, t] : like) {
    if (!is_known(t) || t.device() != cpu || t.numel() == 0) continue;
    blocks.push_back(author::make_tensor(t.sizes(), t.dtype(), cpu));
    std::memset(blocks.back().data(), static_cast<int>(pattern),
                static_cast<std::size_t>(t.numel()) * size_of(t.dtype()));
  }
}

// Whether the element is nothing but this byte.
bool is_pattern(const std::vector<std::byte>& element, std::byte pattern) {
  return std::ranges::all_of(element, [&](std::byte b) { return b == pattern; });
}

// Repeats call what the first call has called, which was checked.
constinit thread_local bool in_repeat = false;
class nested_calls {
 public:
  nested_calls() noexcept : before_(std::exchange(in_repeat, true)) {}
  nested_calls(const nested_calls&) = delete;
  nested_calls& operator=(const nested_calls&) = delete;
  ~nested_calls() { in_repeat = before_; }

 private:
  bool before_;
};

// Infinity as an argument is meant.
bool is_finite(const value& v) {
  if (v.is<double>()) return std::isfinite(v.get<double>());
  if (v.is<scalar>()) return std::isfinite(v.get<scalar>().to_double());
  bool all = true;
  author::each_tensor(v, [&](const tensor& t) { all = all && (!t.defined() || !first_not_finite(t)); });
  return all;
}

// Of each tensor the first one that has the same memory; its own number, if none does.
std::vector<std::size_t> shared_memory(std::span<const tensor> all) {
  std::vector<std::size_t> first(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const storage* const memory = memory_of_elements(all[i]);
    while (first[i] < i && (memory == nullptr || memory_of_elements(all[first[i]]) != memory)) ++first[i];
  }
  return first;
}

}  // namespace

bool is_repeating() noexcept { return in_repeat; }

checked_call::checked_call(modes::call& c, const options& chosen)
    : call_(c), chosen_(chosen), seen_(c.op(), c.arguments(), chosen.depth >= level::bytes) {
  if (!chosen.finite || is_uninitialised(c.op().name())) return;
  finite_ = true;
  // What `out` held does not matter.
  for (std::size_t i = 0; i < c.arguments().size(); ++i)
    finite_ = finite_ && (author::is_out(seen_.schema().arguments[i]) || is_finite(c.arguments()[i]));
}

void checked_call::add(rule broken, std::string subject, std::string text) {
  found_.push_back({broken, std::move(subject), std::move(text)});
}

void checked_call::each_promise(const std::function<void(rule, std::size_t, bool)>& kept) const {
  seen_.each_written([&](std::size_t argument, bool did) { kept(rule::writes, argument, did); });
  seen_.each_shared(results_, [&](std::size_t result, bool did) { kept(rule::shares, result, did); });
}

// Wrappers, and what is not strided, have no twins.
bool checked_call::on_host() {
  bool all = true;
  for (const value& v : call_.arguments()) {
    author::each_tensor(v, [&](const tensor& t) { all = all && (!t.defined() || (is_known(t) && t.device() == cpu)); });
  }
  return all;
}

void checked_call::check_keys() {
  // Modes hide and show their own keys.
  constexpr key_set of_modes{key::ModesAbove, key::ModesBelow};
  const key_set lower = below(call_.at() == modes::above ? key::ModesAbove : key::ModesBelow) - of_modes;
  const key_set found = call_.keys() & lower;
  key_set brought;
  for (const value& v : call_.arguments()) brought = brought | v.keys();
  thread_key_state thread = current_thread_keys();
  thread.exclude = thread.exclude | of_modes;
  if ((((brought | thread.include) - thread.exclude) & lower) == found) return;
  const force_guard without_modes(thread);
  const inspect::explanation e = inspect::explain_keys(call_.op(), std::array{brought});
  const auto of_call = [&](key_set keys) { return (keys - e.masked) & lower; };
  // A layer may exclude a key for what is called inside the call, and pass it on. Keys of all threads are known here
  // alone, so that they are allowed, and not wanted.
  const key_set wanted =
      of_call((brought | e.included) - e.excluded) | (of_call(brought | e.included | e.always) & found);
  if (found == wanted) return;
  const auto first = std::ranges::find_if(
      e.candidates, [&](const inspect::candidate& c) { return c.taken && !lower.has(c.key.layer); });
  add(rule::keys, "",
      "was passed on with the keys " + to_string(found) + ", wanted " + to_string(wanted) +
          (first == e.candidates.end() ? ""
                                       : "; its first layer is " + to_string(first->key) + ", registered at " +
                                             first->file + ":" + std::to_string(first->line)));
}

void checked_call::check_thread() {
  if (!call_.kept_keys()) add(rule::thread, "", "left other keys on the thread than it found there");
}

void checked_call::check_placement(numbered_tensors results) {
  for (const auto& [result, t] : results) {
    const bool known =
        std::ranges::any_of(seen_.tensors(), [&](const seen_tensor& s) { return s.t.device() == t.device(); });
    if (!known)
      add(rule::placement, result_text(result), "is " + text_of(t) + ", where no argument is, and none says a device");
  }
}

void checked_call::check_finite(numbered_tensors results) {
  for (const auto& [result, t] : results) {
    if (const std::optional<std::size_t> element = first_not_finite(t))
      add(rule::finite, result_text(result),
          "element " + std::to_string(*element) + " is NaN or infinite, and all arguments are finite");
  }
}

void checked_call::check_metadata(numbered_tensors results) {
  try {
    call_.op().call_boxed(meta_->stack());
  } catch (const no_kernel&) {
    return;
  } catch (const std::exception& e) {
    return add(rule::metadata, "", std::string("its Meta kernel throws: ") + e.what());
  }
  const auto on_meta = tensors_in(std::as_const(meta_->stack()).top(call_.op().result_count()));
  if (results.size() != on_meta.size())
    return add(
        rule::metadata, "",
        "returns " + std::to_string(results.size()) + " tensors, its Meta kernel " + std::to_string(on_meta.size()));
  tensors real_all, meta_all = meta_->tensors();
  std::erase_if(meta_all, [](const tensor& t) { return !is_known(t); });
  for (const seen_tensor& s : seen_.tensors()) real_all.push_back(s.t);
  const std::size_t arguments = real_all.size();
  for (std::size_t i = 0; i < results.size(); ++i) {
    real_all.push_back(results[i].second);
    meta_all.push_back(on_meta[i].second);
  }
  const std::vector<std::size_t> real_memory = shared_memory(real_all), meta_memory = shared_memory(meta_all);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const tensor &real = results[i].second, &meta = on_meta[i].second;
    const std::string subject = result_text(results[i].first);
    bool same = real.sizes() == meta.sizes() && real.dtype() == meta.dtype();
    for (std::int64_t d = 0; same && real.numel() != 0 && d < real.dim(); ++d)
      same = real.size(d) == 1 || real.stride(d) == meta.stride(d);
    if (!same) {
      add(rule::metadata, subject, "is " + geometry_of(real) + "; by its Meta kernel " + geometry_of(meta));
    } else if (real_memory[arguments + i] != meta_memory[arguments + i]) {
      add(rule::metadata, subject, "shares memory with other tensors than by its Meta kernel");
    } else if (real.numel() != 0 && author::record_of(real).offset != author::record_of(meta).offset) {
      add(rule::metadata, subject,
          "begins at element " + std::to_string(author::record_of(real).offset) +
              " of its memory; by its Meta kernel " + std::to_string(author::record_of(meta).offset));
    }
  }
}

void checked_call::check_after_throw() {
  seen_.check_arguments(found_, true, false);
  check_thread();
}

void checked_call::check_refusal() {
  if (!meta_) return;
  try {
    call_.op().call_boxed(meta_->stack());
  } catch (const std::exception&) {
    return;
  }
  add(rule::metadata, "", "throws a dtype_error, its Meta kernel throws nothing");
}

checked_call::tensors checked_call::repeat(std::byte pattern, int threads, twin_memory where,
                                           numbered_tensors results) {
  const thread_count these(threads);
  const nested_calls unchecked;
  twin copy(std::as_const(before_->stack()).top(call_.op().argument_count()), where);
  leave_in_memory(results, pattern);
  call_.proceed(copy.stack());
  tensors all = copy.tensors();
  std::erase_if(all, [](const tensor& t) { return !is_known(t); });
  for (const auto& [result, t] : tensors_in(std::as_const(copy.stack()).top(call_.op().result_count())))
    all.push_back(t);
  return all;
}

// No one else has copies of the arguments, so the references to them are known once the results are gone.
void checked_call::check_kept() {
  const nested_calls unchecked;
  twin copy(std::as_const(before_->stack()).top(call_.op().argument_count()), twin_memory::host);
  call_.proceed(copy.stack());
  copy.stack().drop(call_.op().result_count());
  const tensors arguments = copy.tensors(), bases = copy.bases();
  std::map<const author::tensor_record*, std::uint32_t> handles;
  for (const tensor& t : arguments) handles[&author::record_of(t)] += 2;  // the twin's and this list's
  for (const tensor& t : bases) handles[&author::record_of(t)] += 2;
  std::map<const storage*, std::uint32_t> owners;
  for (const auto& [record, count] : handles) ++owners[record->data.get()];
  std::size_t known = 0;
  for (const tensor& t : arguments) {
    if (!is_known(t)) continue;
    const author::tensor_record& r = author::record_of(t);
    const std::size_t argument = seen_.tensors()[known++].argument;
    const bool tensor_kept = r.references.load() > handles.at(&r);
    if (!tensor_kept && r.data->references.load() <= owners.at(r.data.get())) continue;
    add(rule::keeps, seen_.argument_text(argument),
        tensor_kept ? "is kept after the call" : "has memory that is kept after the call");
  }
}

void checked_call::check_repeated(const tensors& real, numbered_tensors results) {
  constexpr std::byte one{0x5a}, other{0xa7};
  const auto again = [&](std::byte pattern, int threads, twin_memory where) {
    return repeat(pattern, threads, where, results);
  };
  // The number of threads is the process's. A kernel may wait for a thread whose calls are checked, so none waits here.
  static std::mutex alone;
  if (!alone.try_lock()) return;
  const std::unique_ptr<std::mutex, decltype([](std::mutex* m) { m->unlock(); })> lock(&alone);
  try {
    check_kept();
    const tensors first = again(one, 2, twin_memory::host), second = again(other, 1, twin_memory::shifted);
    std::optional<different_element> d = difference(first, second);
    const bool later = !d;
    if (later) d = difference(real, first);
    if (!d) return;
    const std::string subject = d->tensor < seen_.tensors().size()
                                    ? seen_.argument_text(seen_.tensors()[d->tensor].argument)
                                    : "result tensor " + std::to_string(d->tensor - seen_.tensors().size());
    if (!d->element)
      return add(rule::repeatable, subject, "has other sizes or another dtype when the call is repeated");
    const std::string element = "element " + std::to_string(*d->element);
    if (!later && is_pattern(d->first, one) && is_pattern(d->second, other))
      return add(rule::initialised, subject, element + " was not written");
    // Each repeated once more, and what differs then is due to what they differ in.
    const bool steady = !later && !difference(first, again(one, 2, twin_memory::host)) &&
                        !difference(second, again(other, 1, twin_memory::shifted));
    if (!steady) return add(rule::repeatable, subject, element + " has other bits when the call is repeated");
    if (difference(second, again(other, 1, twin_memory::host)))
      return add(rule::alignment, subject, element + " has other bits where memory is aligned in another way");
    add(rule::threads, subject, element + " has other bits with two threads than with one");
  } catch (const std::exception& e) {
    add(rule::repeatable, "", std::string("throws when the call is repeated: ") + e.what());
  }
}

void checked_call::run() {
  check_keys();
  const operator_handle& op = call_.op();
  const tag_set tags = op.tags();
  const bool repeated = chosen_.depth == level::repeated && on_host();
  const bool sized_by_elements = tags.contains(tag::dynamic_output_shape) ||
                                 tags.contains(tag::data_dependent_output) || tags.contains(tag::escape);
  const bool placed = takes_device(seen_.schema(), call_.arguments());
  if (repeated && !placed && !sized_by_elements && !seen_.tensors().empty())
    meta_.emplace(call_.arguments(), twin_memory::meta);
  if (repeated) before_.emplace(call_.arguments(), twin_memory::host);
  try {
    call_.proceed();
  } catch (const dtype_error&) {
    check_after_throw();
    check_refusal();
    throw;
  } catch (...) {
    check_after_throw();
    throw;
  }
  check_thread();
  seen_.check_arguments(found_, false, tags.contains(tag::inplace_view) || op.name().starts_with("aten::resize"));
  results_.assign(call_.results().begin(), call_.results().end());
  const std::vector<std::pair<std::size_t, tensor>> results = tensors_in(results_);
  seen_.check_results(found_, results_);
  if (!placed && !seen_.tensors().empty()) check_placement(results);
  if (finite_) check_finite(results);
  if (meta_) check_metadata(results);
  const bool chance = tags.contains(tag::random) || tags.contains(tag::nondeterministic) ||
                      tags.contains(tag::collective) || tags.contains(tag::effect) || tags.contains(tag::escape);
  if (!repeated || chance || is_uninitialised(op.name())) return;
  tensors real;
  for (const seen_tensor& s : seen_.tensors()) real.push_back(s.t);
  for (const auto& [result, t] : results) real.push_back(t);
  check_repeated(real, results);
}

}  // namespace topbit::contracts
