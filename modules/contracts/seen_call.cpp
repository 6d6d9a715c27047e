module topbit.contracts;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :seen_call;

namespace topbit::contracts {

namespace {

// Clears the marks of the bytes that are an element of the tensor.
void unmark_elements(const seen_tensor& s, std::vector<bool>& marks) {
  const auto size = static_cast<std::int64_t>(size_of(s.type));
  each_element(s.t.sizes(), s.t.strides(), s.offset,
               [&](std::int64_t at) { std::fill(marks.begin() + at * size, marks.begin() + (at + 1) * size, false); });
}
// Whether a dense tensor fills the memory.
bool fills(const seen_tensor& s, std::size_t bytes) {
  return is_dense(s.t.sizes(), s.t.strides()) && s.offset == 0 &&
         static_cast<std::size_t>(s.t.numel()) * size_of(s.type) == bytes;
}

bool may_share(const author::schema_item& a, const author::schema_item& b) {
  return author::have_common_set(a.alias, b.alias) || author::have_common_set(a.alias_after, b.alias);
}

bool has_bytes(const storage& s, const std::vector<std::byte>& before) {
  const std::byte* const now = static_cast<const std::byte*>(s.data);
  return std::equal(before.begin(), before.end(), now);
}

}  // namespace

const storage* memory_of_elements(const tensor& t) noexcept {
  return t.numel() == 0 ? nullptr : author::record_of(t).data.get();
}

std::optional<std::size_t> first_not_finite(const tensor& t) {
  if (!is_known(t) || t.device() != cpu || !is_floating(t.dtype())) return std::nullopt;
  std::optional<std::size_t> found;
  std::size_t i = 0;
  with_element_type(t.dtype(), [&]<class E>(E) {
    const E* const first = t.data_ptr<E>();
    each_element(t.sizes(), t.strides(), 0, [&](std::int64_t at) {
      if (!found && !std::isfinite(static_cast<double>(first[at]))) found = i;
      ++i;
    });
  });
  return found;
}

std::string geometry_of(const tensor& t) {
  return std::string(name_of(t.dtype())) + " " + to_string(t.sizes()) + ", strides " + to_string(t.strides());
}

bool is_known(const tensor& t) noexcept {
  if (!t.defined() || author::is_wrapper(t)) return false;
  const author::tensor_record& r = author::record_of(t);
  return r.how == layout::strided && r.data;
}

std::vector<std::pair<std::size_t, tensor>> tensors_in(std::span<const value> results) {
  std::vector<std::pair<std::size_t, tensor>> all;
  for (std::size_t i = 0; i < results.size(); ++i) {
    author::each_tensor(results[i], [&](const tensor& t) {
      if (is_known(t)) all.emplace_back(i, t);
    });
  }
  return all;
}

seen_call::seen_call(const operator_handle& op, std::span<const value> arguments, bool keeps_bytes)
    : schema_(*op.parsed_schema()) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    author::each_tensor(arguments[i], [&](const tensor& t) {
      if (!is_known(t)) return;
      const author::tensor_record& r = author::record_of(t);
      auto memory = std::ranges::find(memories_, r.data.get(), &seen_memory::data);
      if (memory == memories_.end()) {
        memories_.push_back({r.data.get(), {}, false});
        memory = memories_.end() - 1;
        if (keeps_bytes && r.where == cpu && r.data->data != nullptr) {
          const std::byte* const first = static_cast<const std::byte*>(r.data->data);
          memory->before.assign(first, first + r.data->bytes);
        }
      }
      const bool written = schema_.arguments[i].writes;
      memory->written = memory->written || written;
      tensors_.push_back(
          {t, i, written, r.offset, r.type, r.data, static_cast<std::size_t>(memory - memories_.begin())});
    });
  }
}

void seen_call::check_arguments(std::vector<problem>& found, bool threw, bool resizes) const {
  for (const seen_tensor& s : tensors_) {
    const author::tensor_record& r = author::record_of(s.t);
    if (s.written && (resizes || author::is_out(schema_.arguments[s.argument])) && !threw) continue;
    if (r.offset == s.offset && r.type == s.type && r.data == s.data) continue;
    const auto placed = [](dtype type, std::int64_t offset) {
      return std::string(name_of(type)) + " from element " + std::to_string(offset);
    };
    found.push_back({rule::geometry, argument_text(s.argument),
                     "is " + placed(r.type, r.offset) + (r.data == s.data ? "" : " of other memory") +
                         " after the call, was " + placed(s.type, s.offset)});
  }
  check_bytes(found, threw);
}

void seen_call::check_bytes(std::vector<problem>& found, bool threw) const {
  for (std::size_t m = 0; m < memories_.size(); ++m) {
    const seen_memory& memory = memories_[m];
    if (memory.before.empty()) continue;
    const std::byte* const now = static_cast<const std::byte*>(memory.data->data);
    if (has_bytes(*memory.data, memory.before)) continue;
    const seen_tensor* first = nullptr;
    bool all_written = false;
    for (const seen_tensor& s : tensors_) {
      if (s.memory != m) continue;
      if (first == nullptr || (s.written && !first->written)) first = &s;
      all_written = all_written || (s.written && !threw && fills(s, memory.before.size()));
    }
    if (all_written) continue;
    std::vector<bool> changed(memory.before.size());
    for (std::size_t i = 0; i < changed.size(); ++i) changed[i] = now[i] != memory.before[i];
    for (const seen_tensor& s : tensors_) {
      if (s.memory == m && s.written && !threw) unmark_elements(s, changed);
    }
    const auto at = std::ranges::find(changed, true);
    if (at == changed.end()) continue;
    const std::string where =
        " at byte " + std::to_string(at - changed.begin()) + " of " + std::to_string(changed.size());
    const rule broken = threw ? rule::exception : memory.written ? rule::within_view : rule::unwritten;
    found.push_back({broken, argument_text(first->argument),
                     (broken == rule::within_view ? "its memory was written outside of it,"
                      : threw                     ? "was written by a call that threw,"
                                                  : "was written,") +
                         where});
  }
}

void seen_call::each_written(const std::function<void(std::size_t, bool)>& wrote) const {
  for (const seen_tensor& s : tensors_) {
    const seen_memory& memory = memories_[s.memory];
    if (!s.written || memory.before.empty() || s.t.numel() == 0) continue;
    // Other memory: it was resized, so that it was written.
    const bool same = author::record_of(s.t).data == s.data && has_bytes(*memory.data, memory.before);
    wrote(s.argument, !same);
  }
}

void seen_call::each_shared(std::span<const value> results,
                            const std::function<void(std::size_t, bool)>& shared) const {
  for (const auto& [result, t] : tensors_in(results)) {
    const author::schema_item& of_result = schema_.returns[result];
    const storage* const memory = memory_of_elements(t);
    if (memory == nullptr || of_result.writes) continue;
    const bool may = std::ranges::any_of(
        tensors_, [&](const seen_tensor& s) { return may_share(schema_.arguments[s.argument], of_result); });
    if (may) shared(result, is_of_argument(memory));
  }
}

void seen_call::check_alias(std::vector<problem>& found, std::size_t result, const tensor& t) const {
  const std::string subject = result_text(result);
  const author::schema_item& of_result = schema_.returns[result];
  const storage* const memory = memory_of_elements(t);
  bool is_marked = false, is_it = false, may = memory == nullptr;
  for (const seen_tensor& s : tensors_) {
    const author::schema_item& of_argument = schema_.arguments[s.argument];
    if (!may_share(of_argument, of_result)) continue;
    may = may || memory == s.data.get() || memory == author::record_of(s.t).data.get();
    if (!of_result.writes || !of_argument.writes) continue;
    is_marked = true;
    is_it = is_it || s.t.same_as(t);
  }
  if (is_marked && !is_it) {
    found.push_back({rule::argument, subject, "is another tensor than the written argument that the schema returns"});
    return;
  }
  if (may) return;
  for (const seen_tensor& s : tensors_) {
    if (memory != s.data.get() && memory != author::record_of(s.t).data.get()) continue;
    found.push_back({rule::alias, subject,
                     (s.t.same_as(t) ? "is " : "shares memory with ") + argument_text(s.argument) +
                         ", of which the schema says nothing"});
    return;
  }
}

bool seen_call::is_of_argument(const storage* memory) const {
  return std::ranges::any_of(tensors_, [&](const seen_tensor& s) { return s.data.get() == memory; });
}

void seen_call::check_results(std::vector<problem>& found, std::span<const value> results) const {
  const std::vector<std::pair<std::size_t, tensor>> all = tensors_in(results);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [result, t] = all[i];
    check_alias(found, result, t);
    for (std::size_t j = 0; j < i; ++j) {
      const storage* const memory = memory_of_elements(t);
      if (memory == nullptr || memory != memory_of_elements(all[j].second) || is_of_argument(memory)) continue;
      if (may_share(schema_.returns[result], schema_.returns[all[j].first])) continue;
      found.push_back({rule::alias, result_text(result),
                       "shares memory with " + result_text(all[j].first) + ", of which the schema says nothing"});
    }
  }
}

}  // namespace topbit::contracts
