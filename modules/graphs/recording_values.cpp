// What a recording knows of tensors and their memory.
module topbit.graphs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.ops;
import :memory;
import :recording;

namespace topbit::graphs {

namespace {

using tensor_list = std::span<const tensor>;
using optional_tensor_list = std::span<const std::optional<tensor>>;

// Has the same elements in the same order.
bool is_same_view(const graph& g, number n, const author::tensor_record& r, bool requires_grad) {
  const tensor_value& t = g.tensors()[n];
  return t.requires_grad == requires_grad && t.type == r.type && t.offset == r.offset && t.layout == r.how &&
         std::ranges::equal(g.sizes(n), r.sizes) &&
         (r.how != layout::strided || std::ranges::equal(g.strides(n), r.strides));
}

// With the whole of its memory, of which the program may read another part later.
tensor copy_with_memory(const tensor& t) {
  const exclude_guard no_call(key::Tracer);
  const no_grad no_graph;
  const author::tensor_record& r = author::record_of(t);
  if (r.how != layout::strided || r.data->data == nullptr) return aten::clone(t);
  return author::make_view(aten::clone(whole_memory_of(t)), r.sizes, r.strides, r.offset);
}

}  // namespace

argument recording::read(const value& v) {
  if (v.is_none()) return {};
  if (v.is<tensor>()) return read_tensor(v.get<tensor>());
  if (v.is<tensor_list>()) return read_list(v.get<tensor_list>());
  if (v.is<optional_tensor_list>()) return read_list(v.get<optional_tensor_list>());
  if (v.is<std::vector<tensor>>()) return read_list(v.get<std::vector<tensor>>());
  if (v.is<device>() && !has_place_) {
    where_ = v.get<device>();
    has_place_ = true;
  }
  return made_.constant(value(v));
}

template <class Tensors>
argument recording::read_list(const Tensors& all) {
  std::vector<argument> elements;
  for (const auto& one : all) {
    if constexpr (requires { one.has_value(); })
      elements.push_back(one ? read_tensor(*one) : argument{});
    else
      elements.push_back(read_tensor(one));
  }
  return made_.list(elements);
}

argument recording::read_tensor(const tensor& t) {
  if (!t.defined()) return {.is = argument::kind::undefined};
  if (!has_place_) {
    where_ = t.device();
    has_place_ = true;
  }
  const number n = number_of(t);
  touch(made_.so_far().tensors()[n].storage, n);
  return {.is = argument::kind::tensor, .index = n};
}

number recording::number_of(const tensor& t) {
  if (const number known = numbers_.find(address_of(&author::record_of(t))); known != nothing) {
    // A function with a backward() of its own gives its result a gradient after its calls.
    if (!made_.so_far().tensors()[known].requires_grad && requires_grad(t)) made_.require_grad(known);
    return known;
  }
  const storage* const data = author::record_of(t).data.get();
  if (data != nullptr) {
    if (const number known = storage_numbers_.find(address_of(data)); known != nothing) return alias_of(t, known);
  }
  return capture(t);
}

// The number of a tensor over a storage that is known, which no call made: of one with the same elements, or of a view
// that the graph makes.
number recording::alias_of(const tensor& t, number storage) {
  const author::tensor_record& r = author::record_of(t);
  const graph& g = made_.so_far();
  number base = nothing;
  for (number n = storages_[storage].newest; n != nothing; n = next_in_storage_[n]) {
    if (is_same_view(g, n, r, requires_grad(t))) {
      numbers_.set(address_of(&r), n);
      kept_.push_back(t);
      return n;
    }
    if (g.tensors()[n].type == r.type) base = n;
  }
  // No operator gives it, or it has elements that another input would not have.
  if (base == nothing || r.how != layout::strided || !is_inside_an_input(r, storage)) {
    const number n = add(t, storage, source::captured);
    made_.add_captured(std::to_string(g.captured().size()), n, t);
    undeclared_.push_back({n, static_cast<number>(g.nodes().size())});
    return n;
  }
  const operator_handle as_strided = aten::as_strided.handle();
  // Relative to an input, whose offset may be another one in a replay.
  const bool is_relative = g.tensors()[base].offset == r.offset;
  const argument arguments[] = {{.is = argument::kind::tensor, .index = base},
                                made_.constant(value(std::vector<std::int64_t>(r.sizes.begin(), r.sizes.end()))),
                                made_.constant(value(std::vector<std::int64_t>(r.strides.begin(), r.strides.end()))),
                                is_relative ? argument{} : made_.constant(value(r.offset))};
  made_.begin_node(as_strided, arguments, this_thread_recording().phase, this_thread_recording().forward,
                   !requires_grad(t));
  const number n = add(t, storage, source::node);
  const argument result{.is = argument::kind::tensor, .index = n};
  made_.end_node(std::span(&result, 1));
  return n;
}

number recording::capture(const tensor& t) {
  const storage* const data = author::record_of(t).data.get();
  if (options_.capture == capture::share && data != nullptr) {
    const number n = add(t, storage_of(t), source::parameter);
    made_.add_parameter("shared." + std::to_string(made_.so_far().parameters().size()), n, t);
    return n;
  }
  const number n = add(t, storage_of(t), source::captured);
  const finding here{n, static_cast<number>(made_.so_far().nodes().size())};
  const bool is_number =
      t.dim() == 0 && t.device() == cpu && data != nullptr && data->bytes == size_of(t.dtype()) && !requires_grad(t);
  const bool is_copied = data != nullptr && (is_number || options_.capture == capture::copy);
  if (!is_copied) undeclared_.push_back(here);
  if (is_copied && options_.capture != capture::copy) numbers_captured_.push_back(here);
  made_.add_captured(std::to_string(made_.so_far().captured().size()), n, is_copied ? copy_with_memory(t) : t);
  return n;
}

// Whether a view of a storage has no elements but those of an input in it, if there is one.
bool recording::is_inside_an_input(const author::tensor_record& view, number storage) const {
  const graph& g = made_.so_far();
  std::int64_t last = view.offset;
  for (std::size_t d = 0; d < view.sizes.size(); ++d) last += (view.sizes[d] - 1) * view.strides[d];
  bool has_input = false;
  for (number n = storages_[storage].newest; n != nothing; n = next_in_storage_[n]) {
    const tensor_value& t = g.tensors()[n];
    if (t.from != source::input) continue;
    has_input = true;
    const shape sizes = g.sizes(n);
    if (is_dense(sizes, g.strides(n)) && view.offset >= t.offset && last < t.offset + numel(sizes)) return true;
  }
  return !has_input || view.elements == 0;
}

number recording::add(const tensor& t, number storage, source from) {
  const number n = made_.add_tensor(t, storage, from, requires_grad(t));
  numbers_.set(address_of(&author::record_of(t)), n);
  kept_.push_back(t);
  number before = nothing;
  if (storage != nothing) before = std::exchange(storages_[storage].newest, n);
  next_in_storage_.push_back(before);
  return n;
}

number recording::storage_of(const tensor& t) {
  const intrusive_ptr<storage>& data = author::record_of(t).data;
  if (!data) return nothing;
  if (const number known = storage_numbers_.find(address_of(data.get())); known != nothing) return known;
  const auto s = static_cast<number>(storages_.size());
  storage_numbers_.set(address_of(data.get()), s);
  storages_.push_back({.kept = data, .version = version_of(*data)});
  new_bytes_ += data->bytes;
  made_.add_storage(data->where, static_cast<std::int64_t>(data->bytes));
  return s;
}

argument recording::made(const value& v) {
  if (v.is_none()) return {};
  if (v.is<tensor>()) return made_tensor(v.get<tensor>());
  const auto list = [&](tensor_list all) {
    std::vector<argument> elements;
    for (const tensor& one : all) elements.push_back(made_tensor(one));
    return made_.list(elements);
  };
  if (v.is<tensor_list>()) return list(v.get<tensor_list>());
  if (v.is<std::vector<tensor>>()) return list(v.get<std::vector<tensor>>());
  return made_.text(to_string(v));
}

argument recording::made_tensor(const tensor& t) {
  if (!t.defined()) return {.is = argument::kind::undefined};
  const number known = numbers_.find(address_of(&author::record_of(t)));
  const number n = known != nothing ? known : add(t, storage_of(t), source::node);
  return {.is = argument::kind::tensor, .index = n};
}

// ------------------------------------------------------------------------------------------------------ writes

// Before a call reads it: a count that is not the one after the last recorded call is of a write that was none.
void recording::touch(number storage, number tensor) {
  if (storage == nothing) return;
  touched_.push_back(storage);
  known_storage& s = storages_[storage];
  if (version_of(*s.kept) == s.version) return;
  written_outside_.push_back({tensor, static_cast<number>(made_.so_far().nodes().size())});
  s.version = version_of(*s.kept);
}

void recording::mark_written(const known_operator& op, std::span<const argument> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!op.schema->arguments[i].writes) continue;
    made_.so_far().each_tensor(arguments.subspan(i, 1), [&](number t, const argument&) {
      const number s = made_.so_far().tensors()[t].storage;
      if (s == nothing) return;
      storages_[s].is_written = true;
      written_.push_back(s);
    });
  }
}

void recording::follow_versions(number node, bool may_write) {
  for (const number s : touched_) {
    const std::uint32_t now = version_of(*storages_[s].kept);
    if (now == std::exchange(storages_[s].version, now) || may_write) continue;
    if (std::ranges::find(written_, s) != written_.end()) continue;
    made_.add_fault(node, "an argument was written, of which the schema says nothing");
  }
}

void recording::look_at_interrupted_writes(const operator_handle& op) {
  for (const number s : touched_) {
    const std::uint32_t now = version_of(*storages_[s].kept);
    if (now == std::exchange(storages_[s].version, now)) continue;
    interrupted_writes_.push_back({storages_[s].newest, std::string(op.name())});
  }
}

// New tensors of a result of which the schema says nothing have memory of their own.
void recording::look_at_aliases(number node, const known_operator& op, std::size_t tensors_before) {
  for (std::size_t i = 0; i < results_.size(); ++i) {
    if (!op.schema->returns[i].alias.empty()) continue;
    made_.so_far().each_tensor(std::span(results_).subspan(i, 1), [&](number t, const argument&) {
      if (t < tensors_before || next_in_storage_[t] == nothing || next_in_storage_[t] >= tensors_before) return;
      made_.add_fault(node, "a result shares the memory of another tensor, of which the schema says nothing");
    });
  }
}

// What only the recording keeps, the program cannot name any more.
void recording::forget_dead() {
  std::vector<tensor> dead;  // ended after the walk: what ends with a tensor may make calls
  std::vector<tensor> kept;
  std::vector<number> numbers;
  for (tensor& t : kept_) {
    const author::tensor_record& r = author::record_of(t);
    const bool is_dead = r.references.load(std::memory_order_acquire) == 1;
    if (!is_dead) numbers.push_back(numbers_.find(address_of(&r)));
    (is_dead ? dead : kept).push_back(std::move(t));
  }
  sweep_at_ = std::max<std::size_t>(1024, 2 * kept.size());
  numbers_.restart(sweep_at_);
  for (std::size_t i = 0; i < kept.size(); ++i) numbers_.set(address_of(&author::record_of(kept[i])), numbers[i]);
  kept_ = std::move(kept);
  dead.clear();
  new_bytes_ = live_bytes_ = 0;
  storage_numbers_.erase_if([&](number s) {
    intrusive_ptr<storage>& kept = storages_[s].kept;
    const bool is_dead = kept->references.load(std::memory_order_acquire) == 1;
    if (is_dead)
      kept = {};
    else
      live_bytes_ += kept->bytes;
    return is_dead;
  });
}

}  // namespace topbit::graphs
