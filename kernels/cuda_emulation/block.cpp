// Runs emulated blocks: fibers and their scheduler, barriers, warp exchanges.
#include "block.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <memory>
#include <vector>

#if defined(__has_feature)
#  if __has_feature(address_sanitizer)
#    define TOPBIT_FIBERS_UNDER_ASAN
#    include <sanitizer/common_interface_defs.h>
#  endif
#endif

dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace cuda_emulation {

unsigned char* dynamic_shared = nullptr;

namespace {

constexpr size_t stack_bytes = 256 << 10;
constexpr unsigned most_threads = 1024;
constexpr size_t most_shared = 228 << 10;

// swapcontext() sets the signal mask with a system call each time, which longjmp() avoids. The sanitizer supports
// only swapcontext().
#ifdef TOPBIT_FIBERS_UNDER_ASAN
struct resting_place {
  ucontext_t context;
};
void go(resting_place& from, resting_place& to) { swapcontext(&from.context, &to.context); }
#else
struct resting_place {
  ucontext_t context;  // entry point
  bool begun = false;
  jmp_buf at;
};
void go(resting_place& from, resting_place& to) {
  from.begun = true;
  if (_setjmp(from.at) != 0) return;
  if (to.begun) _longjmp(to.at, 1);
  setcontext(&to.context);
}
#endif

enum class state { ready, at_block, at_warp, done };

struct fiber {
  resting_place rest;
  void* stack = nullptr;
  void* fake_stack = nullptr;  // of AddressSanitizer
  state now = state::done;
  unsigned mask = 0;  // lanes it waits for
  bool predicate = false;
  dim3 thread;
  unsigned char slot[widest_exchange];
};

struct block_runner {
  std::vector<fiber> fibers{most_threads};
  resting_place scheduler;
  const void* scheduler_stack = nullptr;
  size_t scheduler_size = 0;
  void* scheduler_fake = nullptr;
  unsigned count = 0;
  unsigned current = 0;
  bool any = false;      // result of the last block_any
  bool faulted = false;  // the thread that ran last touched invalid memory
  pthread_t thread{};    // the host thread that runs kernels
  void (*body)(const void*) = nullptr;
  const void* argument = nullptr;
  std::unique_ptr<unsigned char[]> shared{new unsigned char[most_shared + 256]};

  fiber& mine() { return fibers[current]; }
};

block_runner& runner() {
  static block_runner one;
  return one;
}

[[noreturn]] void stop(const char* why) {
  fprintf(stderr, "a kernel emulated on the host: %s (block %u %u %u, thread %u %u %u)\n", why, blockIdx.x, blockIdx.y,
          blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
  abort();
}

void leave() {
  block_runner& all = runner();
  fiber& f = all.mine();
#ifdef TOPBIT_FIBERS_UNDER_ASAN
  __sanitizer_start_switch_fiber(&f.fake_stack, all.scheduler_stack, all.scheduler_size);
#endif
  go(f.rest, all.scheduler);
#ifdef TOPBIT_FIBERS_UNDER_ASAN
  __sanitizer_finish_switch_fiber(f.fake_stack, &all.scheduler_stack, &all.scheduler_size);
#endif
}

// SIGSEGV in a kernel thread: abandons all fibers with their stacks. In another host thread: the default action.
void on_fault(int) {
  block_runner& all = runner();
  if (!pthread_equal(pthread_self(), all.thread)) {
    signal(SIGSEGV, SIG_DFL);
    return;
  }
  all.faulted = true;
  leave();
}

class fault_handler {
 public:
  fault_handler() {
    struct sigaction wanted{};
    wanted.sa_handler = on_fault;
    wanted.sa_flags = SA_NODEFER;
    sigaction(SIGSEGV, &wanted, &before_);
  }
  fault_handler(const fault_handler&) = delete;
  ~fault_handler() { sigaction(SIGSEGV, &before_, nullptr); }

 private:
  struct sigaction before_{};
};

// Entry point of a fiber, which is reused for one thread of each block.
void enter() {
  block_runner& all = runner();
#ifdef TOPBIT_FIBERS_UNDER_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &all.scheduler_stack, &all.scheduler_size);
#endif
  const unsigned mine = all.current;
  for (;;) {
    all.body(all.argument);
    all.fibers[mine].now = state::done;
    leave();
  }
}

void resume(unsigned i) {
  block_runner& all = runner();
  fiber& f = all.fibers[i];
  all.current = i;
  threadIdx = f.thread;
  if (f.stack == nullptr) {
    f.stack = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (f.stack == MAP_FAILED) stop("no memory for a stack");
    getcontext(&f.rest.context);
    f.rest.context.uc_stack.ss_sp = f.stack;
    f.rest.context.uc_stack.ss_size = stack_bytes;
    f.rest.context.uc_link = nullptr;
    makecontext(&f.rest.context, enter, 0);
  }
  f.now = state::ready;
#ifdef TOPBIT_FIBERS_UNDER_ASAN
  __sanitizer_start_switch_fiber(&all.scheduler_fake, f.stack, stack_bytes);
#endif
  go(all.scheduler, f.rest);
#ifdef TOPBIT_FIBERS_UNDER_ASAN
  __sanitizer_finish_switch_fiber(all.scheduler_fake, nullptr, nullptr);
  // The sanitizer's swapcontext() clears the shadow of the whole stack each time; once it is mapped is enough.
  f.rest.context.uc_stack.ss_size = 0;
#endif
}

// Whether all existing lanes of the mask wait for the same mask.
bool warp_arrived(unsigned i) {
  block_runner& all = runner();
  const fiber& f = all.fibers[i];
  const unsigned first = i / warp * warp;
  for (unsigned k = 0; k < warp && first + k < all.count; ++k) {
    if ((f.mask >> k & 1) == 0) continue;
    const fiber& other = all.fibers[first + k];
    if (other.now == state::done) stop("a thread ended while its warp waits for it");
    if (other.now != state::at_warp || other.mask != f.mask) return false;
  }
  return true;
}

bool release_warps() {
  block_runner& all = runner();
  bool some = false;
  for (unsigned i = 0; i < all.count; ++i) {
    if (all.fibers[i].now != state::at_warp || !warp_arrived(i)) continue;
    const unsigned mask = all.fibers[i].mask, first = i / warp * warp;
    for (unsigned k = 0; k < warp && first + k < all.count; ++k) {
      if ((mask >> k & 1) != 0) all.fibers[first + k].now = state::ready;
    }
    some = true;
  }
  return some;
}

bool release_block() {
  block_runner& all = runner();
  unsigned waiting = 0, done = 0;
  all.any = false;
  for (unsigned i = 0; i < all.count; ++i) {
    waiting += all.fibers[i].now == state::at_block;
    done += all.fibers[i].now == state::done;
    if (all.fibers[i].now == state::at_block) all.any = all.any || all.fibers[i].predicate;
  }
  if (waiting == 0) return false;
  if (done != 0) stop("a thread ended while its block waits for it");
  if (waiting != all.count) return false;
  for (unsigned i = 0; i < all.count; ++i) all.fibers[i].now = state::ready;
  return true;
}

bool run_block(bool backwards) {
  block_runner& all = runner();
  for (;;) {
    unsigned done = 0;
    for (unsigned n = 0; n < all.count; ++n) {
      const unsigned i = backwards ? all.count - 1 - n : n;
      const state now = all.fibers[i].now;
      if (now == state::ready) resume(i);
      if (all.faulted) return false;
      done += all.fibers[i].now == state::done;
    }
    if (done == all.count) return true;
    const bool warps = release_warps();
    if (!release_block() && !warps) stop("threads wait for each other in two places");
  }
}

dim3 position(uint64_t i, dim3 size) {
  return {unsigned(i % size.x), unsigned(i / size.x % size.y), unsigned(i / size.x / size.y)};
}

uint64_t volume(dim3 size) { return uint64_t(size.x) * size.y * size.z; }

}  // namespace

bool run(dim3 grid, dim3 block, size_t shared_bytes, void (*body)(const void*), const void* argument) {
  block_runner& all = runner();
  all.thread = pthread_self();
  const fault_handler while_running;
  static uint64_t launches = 0;
  ++launches;
  all.count = unsigned(volume(block));
  all.body = body;
  all.argument = argument;
  blockDim = block;
  gridDim = grid;
  dynamic_shared = all.shared.get() + (256 - reinterpret_cast<uintptr_t>(all.shared.get()) % 256);
  for (uint64_t b = 0; b < volume(grid); ++b) {
    // Poisons shared memory: its initial contents are undefined.
    memset(dynamic_shared, 0xA5, shared_bytes);
    blockIdx = position(b, grid);
    for (unsigned i = 0; i < all.count; ++i) {
      all.fibers[i].now = state::ready;
      all.fibers[i].thread = position(i, block);
    }
    if (run_block((b + launches) % 2 == 1)) continue;
    for (fiber& f : all.fibers) f = fiber();
    all.faulted = false;
    return false;
  }
  return true;
}

void wait_for_block() {
  runner().mine().predicate = false;
  runner().mine().now = state::at_block;
  leave();
}

bool block_any(bool mine) {
  runner().mine().predicate = mine;
  runner().mine().now = state::at_block;
  leave();
  return runner().any;
}

void wait_for_warp(unsigned mask) {
  if ((mask >> lane() & 1) == 0) stop("a thread waits for lanes of its warp and is not among them");
  runner().mine().mask = mask;
  runner().mine().now = state::at_warp;
  leave();
}

int lane() { return int(runner().current % warp); }

void exchange_bytes(unsigned mask, void* bytes, size_t count, int from) {
  block_runner& all = runner();
  memcpy(all.mine().slot, bytes, count);
  wait_for_warp(mask);
  const unsigned other = all.current / warp * warp + unsigned(from);
  memcpy(bytes, other < all.count ? all.fibers[other].slot : all.mine().slot, count);
  wait_for_warp(mask);
}

unsigned ballot(unsigned mask, bool predicate) {
  block_runner& all = runner();
  all.mine().slot[0] = predicate;
  wait_for_warp(mask);
  unsigned votes = 0;
  const unsigned first = all.current / warp * warp;
  for (unsigned k = 0; k < warp && first + k < all.count; ++k) {
    if ((mask >> k & 1) != 0 && all.fibers[first + k].slot[0] != 0) votes |= 1u << k;
  }
  wait_for_warp(mask);
  return votes;
}

}  // namespace cuda_emulation
