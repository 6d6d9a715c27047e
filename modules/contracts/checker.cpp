module topbit.contracts;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import topbit.modes;
import :finding;
import :checker;
import :seen_call;
import :twin;

namespace topbit::contracts {

namespace {

struct count_of_writes {
  std::string op, subject;
  std::uint64_t calls = 0, writes = 0;
};

std::string text_of(const tensor& t) {
  return std::string(name_of(t.dtype())) + " " + to_string(t.sizes()) + " on " + to_string(t.device());
}

// Which kernel such a key set selects, and where it was registered.
std::string kernel_of(const operator_handle& op, key_set keys) {
  // That of a backend, which does the work.
  const force_guard by_arguments_alone(thread_key_state{});
  std::vector<key_set> brought(op.argument_count());
  if (!brought.empty()) brought[0] = keys & below(key::BackendSelect);
  const inspect::explanation e = inspect::explain_keys(op, brought);
  for (const inspect::candidate& c : e.candidates) {
    if (c.taken && !c.file.empty())
      return to_string(c.key) + " kernel, registered at " + c.file + ":" + std::to_string(c.line);
  }
  return {};
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
void leave_in_memory(std::span<const tensor> like, std::byte pattern) {
  std::vector<tensor> blocks;
  for (const tensor& t : like) {
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

// A call and the checks of it.
class checked_call {
 public:
  checked_call(modes::call& c, level depth)
      : call_(c), seen_(c.op(), c.arguments(), depth >= level::bytes), depth_(depth) {}

  void run();
  const std::vector<problem>& found() const noexcept { return found_; }
  const seen_call& seen() const noexcept { return seen_; }

 private:
  using tensors = std::vector<tensor>;
  bool on_host();
  void check_thread();
  void check_placement(std::span<const std::pair<std::size_t, tensor>> results);
  void check_metadata(std::span<const std::pair<std::size_t, tensor>> results);
  // `real`: what the call wrote and returned; `again` makes it on copies, and returns the same.
  void check_repeated(const tensors& real, const std::function<tensors(std::byte, int)>& again);

  modes::call& call_;
  seen_call seen_;
  level depth_;
  std::vector<problem> found_;
  std::optional<twin> meta_;
};

// Wrappers, and what is not strided, have no twins.
bool checked_call::on_host() {
  bool all = true;
  for (const value& v : call_.arguments()) {
    author::each_tensor(v, [&](const tensor& t) { all = all && (!t.defined() || (is_known(t) && t.device() == cpu)); });
  }
  return all;
}

void checked_call::check_thread() {
  if (!call_.kept_keys()) found_.push_back({rule::thread, "", "left other keys on the thread than it found there"});
}

void checked_call::check_placement(std::span<const std::pair<std::size_t, tensor>> results) {
  for (const auto& [result, t] : results) {
    const bool known =
        std::ranges::any_of(seen_.tensors(), [&](const seen_tensor& s) { return s.t.device() == t.device(); });
    if (!known)
      found_.push_back({rule::placement, "result " + std::to_string(result),
                        "is " + text_of(t) + ", where no argument is, and none says a device"});
  }
}

void checked_call::check_metadata(std::span<const std::pair<std::size_t, tensor>> results) {
  try {
    call_.op().call_boxed(meta_->stack());
  } catch (const no_kernel&) {
    return;
  } catch (const std::exception& e) {
    found_.push_back({rule::metadata, "", std::string("its Meta kernel throws: ") + e.what()});
    return;
  }
  const auto on_meta = tensors_in(std::as_const(meta_->stack()).top(call_.op().result_count()));
  for (std::size_t i = 0; i < std::min(results.size(), on_meta.size()); ++i) {
    const tensor &real = results[i].second, &meta = on_meta[i].second;
    bool same = real.sizes() == meta.sizes() && real.dtype() == meta.dtype();
    for (std::int64_t d = 0; same && real.numel() != 0 && d < real.dim(); ++d)
      same = real.size(d) == 1 || real.stride(d) == meta.stride(d);
    if (same) continue;
    found_.push_back({rule::metadata, "result " + std::to_string(results[i].first),
                      "is " + geometry_of(real) + "; by its Meta kernel " + geometry_of(meta)});
  }
  if (results.size() != on_meta.size())
    found_.push_back(
        {rule::metadata, "",
         "returns " + std::to_string(results.size()) + " tensors, its Meta kernel " + std::to_string(on_meta.size())});
}

void checked_call::check_repeated(const tensors& real, const std::function<tensors(std::byte, int)>& again) {
  constexpr std::byte one{0x5a}, other{0xa7};
  // The number of threads is the process's.
  static std::mutex alone;
  const std::lock_guard lock(alone);
  try {
    const tensors first = again(one, 2), second = again(other, 1);
    std::optional<different_element> d = difference(first, second);
    const bool later = !d;
    if (later) d = difference(real, first);
    if (!d) return;
    const std::string subject = d->tensor < seen_.tensors().size()
                                    ? seen_.argument_text(seen_.tensors()[d->tensor].argument)
                                    : "result tensor " + std::to_string(d->tensor - seen_.tensors().size());
    if (!d->element) {
      return found_.push_back(
          {rule::repeatable, subject, "has other sizes or another dtype when the call is repeated"});
    }
    const std::string element = "element " + std::to_string(*d->element);
    if (!later && is_pattern(d->first, one) && is_pattern(d->second, other))
      return found_.push_back({rule::initialised, subject, element + " was not written"});
    const bool by_threads = !later && !difference(first, again(one, 2)) && !difference(second, again(other, 1));
    found_.push_back({by_threads ? rule::threads : rule::repeatable, subject,
                      element + (by_threads ? " has other bits with two threads than with one"
                                            : " has other bits when the call is repeated")});
  } catch (const std::exception& e) {
    found_.push_back({rule::repeatable, "", std::string("throws when the call is repeated: ") + e.what()});
  }
}

void checked_call::run() {
  const operator_handle& op = call_.op();
  const tag_set tags = op.tags();
  const bool repeated = depth_ == level::repeated && on_host();
  const bool sized_by_elements = tags.contains(tag::dynamic_output_shape) ||
                                 tags.contains(tag::data_dependent_output) || tags.contains(tag::escape);
  const bool placed = takes_device(seen_.schema(), call_.arguments());
  if (repeated && !placed && !sized_by_elements && !seen_.tensors().empty()) meta_.emplace(call_.arguments(), meta);
  std::optional<twin> before;
  if (repeated) before.emplace(call_.arguments(), cpu);
  try {
    call_.proceed();
  } catch (...) {
    seen_.check_arguments(found_, true, false);
    check_thread();
    throw;
  }
  check_thread();
  seen_.check_arguments(found_, false, tags.contains(tag::inplace_view) || op.name().starts_with("aten::resize"));
  const std::vector<value> values(call_.results().begin(), call_.results().end());
  const std::vector<std::pair<std::size_t, tensor>> results = tensors_in(values);
  seen_.check_results(found_, values);
  if (!placed && !seen_.tensors().empty()) check_placement(results);
  if (meta_) check_metadata(results);
  const bool chance = tags.contains(tag::random) || tags.contains(tag::nondeterministic) ||
                      tags.contains(tag::collective) || tags.contains(tag::effect) || tags.contains(tag::escape);
  if (!repeated || chance || is_uninitialised(op.name())) return;
  tensors like, real;
  for (const seen_tensor& s : seen_.tensors()) real.push_back(s.t);
  for (const auto& [result, t] : results) {
    like.push_back(t);
    real.push_back(t);
  }
  check_repeated(real, [&](std::byte pattern, int threads) {
    const thread_count these(threads);
    const nested_calls unchecked;
    twin copy(std::as_const(before->stack()).top(op.argument_count()), cpu);
    leave_in_memory(like, pattern);
    call_.proceed(copy.stack());
    tensors all = copy.tensors();
    std::erase_if(all, [](const tensor& t) { return !is_known(t); });
    for (const auto& [result, t] : tensors_in(std::as_const(copy.stack()).top(op.result_count()))) all.push_back(t);
    return all;
  });
}

}  // namespace

struct checker::state {
  options chosen;
  std::atomic<std::uint64_t> calls{0};
  mutable std::mutex mutex;
  std::vector<finding> findings;
  std::vector<count_of_writes> writes;

  // Adds them, and returns the first new one.
  std::optional<finding> add(const modes::call& c, std::span<const problem> found) {
    std::optional<finding> first;
    for (const problem& p : found) {
      const std::lock_guard lock(mutex);
      const auto known = std::ranges::find_if(findings, [&](const finding& f) {
        return f.broken == p.broken && f.op == c.op().name() && f.subject == p.subject;
      });
      if (known != findings.end()) {
        ++known->times;
        continue;
      }
      findings.push_back({p.broken, std::string(c.op().name()), p.subject, p.text, kernel_of(c.op(), c.keys()), 1});
      if (!first) first = findings.back();
    }
    return first;
  }

  void count_writes(const operator_handle& op, const seen_call& seen) {
    seen.each_written([&](std::size_t argument, bool wrote) {
      const std::string subject = seen.argument_text(argument);
      const std::lock_guard lock(mutex);
      auto known = std::ranges::find_if(
          writes, [&](const count_of_writes& w) { return w.op == op.name() && w.subject == subject; });
      if (known == writes.end()) {
        writes.push_back({std::string(op.name()), subject});
        known = writes.end() - 1;
      }
      ++known->calls;
      known->writes += wrote ? 1 : 0;
    });
  }
};

checker::checker(options o) : state_(std::make_unique<state>()) { state_->chosen = o; }
checker::~checker() = default;

void checker::operator()(modes::call& c) {
  if (in_repeat || c.op().parsed_schema() == nullptr) return c.proceed();
  checked_call checked(c, state_->chosen.depth);
  try {
    checked.run();
  } catch (...) {
    state_->add(c, checked.found());
    throw;
  }
  state_->calls.fetch_add(1, std::memory_order_relaxed);
  state_->count_writes(c.op(), checked.seen());
  const std::optional<finding> first = state_->add(c, checked.found());
  if (first && state_->chosen.raises) throw contract_error(*first);
}

std::vector<finding> checker::findings() const {
  const std::lock_guard lock(state_->mutex);
  return state_->findings;
}

std::vector<finding> checker::never_written(std::uint64_t calls) const {
  std::vector<finding> all;
  const std::lock_guard lock(state_->mutex);
  for (const count_of_writes& w : state_->writes) {
    if (w.writes == 0 && w.calls >= calls)
      all.push_back({rule::writes, w.op, w.subject, "was not written, although the schema says so", "", w.calls});
  }
  return all;
}

std::uint64_t checker::calls() const noexcept { return state_->calls.load(std::memory_order_relaxed); }

}  // namespace topbit::contracts
