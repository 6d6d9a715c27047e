// A device that works asynchronously: each stream is a thread with a queue of work, which it begins late. So whoever
// does not wait for what must be waited for finds wrong elements. Copies, elementwise operations and reductions are
// queued; the host computes the rest. Include this file after every other header: it imports.
#pragma once

#include <topbit/kernel_abi.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "far_memory.h"

import topbit;
import topbit.backend;

namespace queued {

namespace tb = topbit;
using far_memory::flipped;

// What can be wrong with a device's streams.
enum fault {
  none,
  waits_for_nothing,
  is_always_done,
  synchronizes_nothing,
  reads_early,
  frees_early,
  forgets_owners,
  ignores_streams
};
inline std::atomic<fault> planted = none;
// Released blocks are kept from the first fault on: late work of a faulty device may still write to them.
inline std::atomic<bool> keeps_blocks = false;
inline void keep(void* p) {
  static std::vector<void*>& all = *new std::vector<void*>;
  static std::mutex& mutex = *new std::mutex;
  const std::lock_guard held(mutex);
  all.push_back(p);
}

class stream {
 public:
  stream() : worker_([this] { run(); }) {}
  stream(const stream&) = delete;
  ~stream() = delete;
  void push(std::function<void()> work) {
    const std::lock_guard held(mutex_);
    work_.push_back(std::move(work));
    changed_.notify_one();
  }
  void wait() {
    std::mutex m;
    std::condition_variable done;
    bool is_done = false;
    push([&] {
      const std::lock_guard held(m);
      is_done = true;
      done.notify_one();
    });
    std::unique_lock lock(m);
    done.wait(lock, [&] { return is_done; });
  }

 private:
  void run() {
    while (true) {
      std::function<void()> next;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !work_.empty(); });
        next = std::move(work_.front());
        work_.pop_front();
      }
      std::this_thread::sleep_for(std::chrono::microseconds(20));
      next();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  std::thread worker_;
};

struct event {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::chrono::steady_clock::time_point when;

  void wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return done; });
  }
};
using shared_event = std::shared_ptr<event>;

// All streams, the default one first. They end with the process: tensors in statics may be released after anything.
struct all_streams {
  std::mutex mutex;
  std::vector<stream*> made;
  // Of each block: the stream that it was allocated in, then those of record_stream().
  std::map<void*, std::vector<stream*>> users;
  std::map<void*, std::size_t> sizes;
  all_streams() { made.push_back(new stream); }
};
inline all_streams& all() {
  static all_streams& streams = *new all_streams;
  return streams;
}
inline stream& stream_of(void* native) {
  return native == nullptr ? *all().made.front() : *static_cast<stream*>(native);
}
inline stream& current(tb::device d) { return stream_of(tb::author::current_stream(d)); }

// Of an entry.
inline stream& stream_of(const tb_call* call) {
  return planted == ignores_streams ? *all().made.front() : stream_of(call->stream);
}

inline shared_event record(stream& s) {
  auto e = std::make_shared<event>();
  s.push([e] {
    const std::lock_guard held(e->mutex);
    e->done = true;
    e->when = std::chrono::steady_clock::now();
    e->changed.notify_all();
  });
  return e;
}

inline void* make(tb::device, bool) {
  const std::lock_guard held(all().mutex);
  return all().made.emplace_back(new stream);
}
inline void* record_event(tb::device, void* s, bool) { return new shared_event(record(stream_of(s))); }
inline shared_event& event_of(void* e) { return *static_cast<shared_event*>(e); }
inline void destroy_event(tb::device, void* e) noexcept { delete &event_of(e); }
inline void wait(tb::device, void* s, void* e) {
  if (planted != waits_for_nothing) stream_of(s).push([before = event_of(e)] { before->wait(); });
}
inline bool done(tb::device, void* e) {
  const std::lock_guard held(event_of(e)->mutex);
  return event_of(e)->done || planted == is_always_done;
}
inline void synchronize_event(tb::device, void* e) {
  if (planted != is_always_done) event_of(e)->wait();
}
inline double milliseconds(tb::device, void* from, void* to) {
  return std::chrono::duration<double, std::milli>(event_of(to)->when - event_of(from)->when).count();
}
inline void use_memory(tb::device, void* data, void* s) {
  const std::lock_guard held(all().mutex);
  all().users[data].push_back(&stream_of(s));
}
inline void synchronize(tb::device) {
  if (planted == synchronizes_nothing) return;
  const std::lock_guard held(all().mutex);
  for (stream* s : all().made) s->wait();
}

inline void* allocate(tb::device d, std::size_t bytes) {
  void* const p = far_memory::allocate(d, bytes);
  const std::lock_guard held(all().mutex);
  all().sizes[p] = bytes;
  all().users[p] = {planted == forgets_owners ? all().made.front() : &current(d)};
  return p;
}
inline void release(tb::device d, void* p) noexcept {
  std::vector<stream*> users;
  std::size_t bytes = 0;
  {
    const std::lock_guard held(all().mutex);
    users = all().users.extract(p).mapped();
    bytes = all().sizes.extract(p).mapped();
  }
  stream& owner = *users.front();
  if (planted == frees_early) users.clear();
  for (stream* s : users) {
    if (s != &owner) owner.push([e = record(*s)] { e->wait(); });
  }
  // Overwritten first, so that who reads it late finds other elements.
  if (planted != none) keeps_blocks = true;
  owner.push([d, p, bytes] {
    std::memset(flipped(p), 0xFF, bytes);
    keeps_blocks ? keep(flipped(p)) : far_memory::release(d, p);
  });
}
inline void copy_in(tb::device d, void* to, const void* from, std::size_t bytes) {
  current(d).push([=] { far_memory::copy_in(d, to, from, bytes); });
  current(d).wait();
}
inline void copy_out(tb::device d, void* to, const void* from, std::size_t bytes) {
  if (planted != reads_early) current(d).wait();
  far_memory::copy_out(d, to, from, bytes);
}

inline tb_plan here(tb_plan p) {
  for (int i = 0; i < p.operands; ++i) p.operand[i].data = flipped(p.operand[i].data);
  return p;
}
inline tb_status copy(const tb_plan* given, const tb_call* call) {
  stream_of(call).push([p = here(*given)] {
    const tb_call on_cpu{};
    tb_cpu_kernels()->copy(&p, &on_cpu);
  });
  return TB_OK;
}
inline tb_status elementwise(const tb_elementwise* given, const tb_call* call) {
  // An integer division finds divisors of 0, which has to be told at once.
  if (given->op == TB_DIV_FLOOR || given->op == TB_DIV_TRUNC || given->op == TB_FMOD || given->op == TB_REMAINDER)
    return TB_UNSUPPORTED_DTYPE;
  tb_elementwise e = *given;
  e.plan = here(e.plan);
  // Numbers on the host are read before the call returns.
  std::array<std::uint64_t, TB_MAX_OPERANDS> numbers{};
  for (int i = 0; i < e.plan.operands; ++i) {
    const tb_operand& o = given->plan.operand[i];
    if (o.on_host != 0)
      std::memcpy(&numbers[static_cast<std::size_t>(i)], o.data, size_of(static_cast<tb::dtype>(o.dtype)));
  }
  stream_of(call).push([e, numbers]() mutable {
    for (int i = 0; i < e.plan.operands; ++i) {
      if (e.plan.operand[i].on_host != 0) e.plan.operand[i].data = &numbers[static_cast<std::size_t>(i)];
    }
    const tb_call on_cpu{};
    tb_cpu_kernels()->elementwise(&e, &on_cpu);
  });
  return TB_OK;
}
inline tb_status reduce(const tb_reduction* given, const tb_call* call) {
  tb_reduction r = *given;
  r.plan = here(r.plan);
  stream_of(call).push([r] {
    const tb_call on_cpu{};
    tb_cpu_kernels()->reduce(&r, &on_cpu);
  });
  return TB_OK;
}

inline const tb_kernels kernels = [] {
  tb_kernels k{};
  k.size = sizeof k;
  k.version = TB_ABI_VERSION;
  k.name = "queued";
  k.copy = copy;
  k.elementwise = elementwise;
  k.reduce = reduce;
  k.host_scalars = 1;  // else each number is a copy, which waits
  return k;
}();

inline void* allocate_pinned(tb::device, std::size_t bytes) { return std::malloc(bytes); }
inline void release_pinned(tb::device, void* p) noexcept { std::free(p); }

// While it lives, the stream does nothing.
class held {
 public:
  explicit held(void* native) {
    stream_of(native).push([e = event_] { e->wait(); });
  }
  held(const held&) = delete;
  ~held() {
    const std::lock_guard lock(event_->mutex);
    event_->done = true;
    event_->changed.notify_all();
  }

 private:
  shared_event event_ = std::make_shared<event>();
};

// Once in a process.
inline tb::device device() {
  static const tb::backend b =
      tb::author::register_backend("queued", {.memory = {allocate, release, copy_in, copy_out},
                                              .device = {.synchronize = synchronize,
                                                         .streams = {.make = make,
                                                                     .record = record_event,
                                                                     .destroy_event = destroy_event,
                                                                     .wait = wait,
                                                                     .done = done,
                                                                     .synchronize = synchronize_event,
                                                                     .milliseconds = milliseconds,
                                                                     .record_stream = use_memory},
                                                         .allocate_pinned = allocate_pinned,
                                                         .release_pinned = release_pinned},
                                              .kernels = &kernels});
  return {b};
}

}  // namespace queued
