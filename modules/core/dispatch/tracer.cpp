module topbit.core;

import topbit.std;
import :registry.registry_state;
import :observe.event;
import :observe.listener;

namespace topbit::detail {

constinit thread_local thread_observed this_thread_observed [[gnu::tls_model("initial-exec")]];
constinit std::atomic<std::uint64_t> observer_changes = 0;

namespace {

// The key set that a call with these arguments would select with in the current thread state.
key_set set_of_call(const entry_head& head, key_set brought, key_set given) noexcept {
  key_set keys = keys_of_call(head, brought.raw());
  while (keys != given && !keys.empty() && head.slot(keys.row())->kind == kernel_kind::skip) {
    keys = keys.below_highest();
  }
  return keys;
}

}  // namespace

observed_call::observed_call(const selected_kernel& w, key_set given, key_set brought) noexcept
    : observers_(thread_observers::of_this_thread()) {
  if (observers_ == nullptr) return;
  if (!observers_->choose_for_call()) {
    observers_ = nullptr;
    return;
  }
  const bool redispatched = set_of_call(*w.op, brought, given) != given;
  event_.ran = &w;
  event_.keys = given.raw();
  event_.what = static_cast<std::uint8_t>(redispatched ? observe::kind::redispatch : observe::kind::call);
  event_.threw = true;
  wants_results_ = observers_->want_results();
  wants_arguments_ = observers_->want_arguments();
  if (!wants_arguments_) begin({});
}

void observed_call::begin(std::span<const value> arguments) noexcept {
  event_.arguments = arguments;
  observers_->begin(event_);
  event_.arguments = {};
}

void observed_call::returned(std::span<const value> results) noexcept {
  event_.threw = false;
  event_.results = results;
  end();
  observers_ = nullptr;
}

void observed_call::end() noexcept { observers_->end(event_); }

observed_call::~observed_call() {
  if (observers_ == nullptr) return;
  event_.results = {};
  end();
}

void trace_boxed(const kernel* tracer, const operator_handle& op, key_set keys, boxed_stack& s) {
  const selected_kernel& w = selected_kernel_at(tracer, keys);
  if (!this_thread_is_observed()) return w.record->boxed(w.record, op, keys, s);
  const std::span<value> arguments = s.top(std::min(op.argument_count(), s.size()));
  key_set brought;
  for (const value& v : arguments) brought = brought | v.keys();
  observed_call seen(w, keys, brought);
  if (seen.wants_arguments()) seen.begin(arguments);
  w.record->boxed(w.record, op, keys, s);
  if (seen.wants_results())
    seen.returned(s.top(std::min(op.result_count(), s.size())));
  else
    seen.returned();
}

// ------------------------------------------------------------------------------------- slots while calls are observed

// Trace state of an entry, allocated on first use.
struct tracing {
  record_ptr tracer;
  traced_slots slots;
  std::vector<std::unique_ptr<const selected_kernel>> known;  // every selection traced so far; few per operator
};
void free_tracing::operator()(tracing* t) const noexcept { delete t; }

kernel* entry::tracer() const noexcept { return tracing_ == nullptr ? nullptr : tracing_->tracer.get(); }

const kernel* entry::behind(unsigned slot) const noexcept {
  const kernel* k = stored(slot);
  return k->kind == kernel_kind::tracer ? tracing_->slots.selected[slot].load(std::memory_order_relaxed)->record : k;
}

const kernel* entry::traced(unsigned slot, const slot_choice<live_registration>& choice,
                            const kernel* record) noexcept {
  if (record == skip_.get()) return record;
  try {
    if (tracing_ == nullptr) {
      std::unique_ptr<tracing, free_tracing> made(new tracing);
      made->tracer = make(kernel_kind::tracer);
      made->tracer->state = &made->slots;
      made->tracer->boxed = &trace_boxed;
      tracing_ = std::move(made);
    }
    selected_kernel wanted{record, this, choice.why, std::nullopt, "", 0};
    if (record != raiser_.get()) {
      wanted.registered_for = choice.from->target;
      wanted.file = choice.from->file;
      wanted.line = choice.from->line;
    } else if (choice.why != inspect::row_reason::ambiguous) {
      wanted.why = inspect::row_reason::missing;  // fallthrough, and no lower key remains
    }
    std::atomic<const selected_kernel*>& now = tracing_->slots.selected[slot];
    const selected_kernel* found = now.load(std::memory_order_relaxed);
    if (found == nullptr || *found != wanted) {
      const auto known = std::ranges::find_if(tracing_->known, [&](const auto& w) { return *w == wanted; });
      if (known != tracing_->known.end()) {
        found = known->get();
      } else {
        found = tracing_->known.emplace_back(std::make_unique<const selected_kernel>(wanted)).get();
      }
      now.store(found, std::memory_order_release);
    }
    return tracing_->tracer.get();
  } catch (const std::bad_alloc&) {
    return record;  // publishing is noexcept: calls through this slot are not traced
  }
}

void entry::follow_trace() noexcept {
  const live_kernels live(*this);
  for (unsigned slot = 0; slot < author::row_count; ++slot) {
    if (reachable_)
      store(slot, choose_for_slot(live, slot, [](auto&&...) {}));
    else
      store(slot, {});
  }
}

void registry_state::follow_trace(bool on) noexcept {
  traced = on;
  for (const auto& e : entries) e->follow_trace();
}

}  // namespace topbit::detail
