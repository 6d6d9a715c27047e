// The caching allocator: size classes, slabs, the caches of streams and graphs.
#include "runtime/caching_allocator.cuh"

#include <stdio.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace tb_cuda {
namespace {

constexpr uint64_t granule = 512;
constexpr uint64_t slab_bytes = uint64_t(2) << 20;
constexpr uint64_t largest_small = uint64_t(256) << 10;
constexpr int classes = 400;
constexpr int classes_beside = 2;  // a block may exceed its requested class by two classes: a quarter

// Size classes: multiples of 512 bytes up to 8 KiB, then 8 per power of two.
int class_of(uint64_t bytes) {
  const uint64_t last = bytes <= granule ? 0 : (bytes - 1) / granule;
  const int width = last == 0 ? 0 : 64 - __builtin_clzll(last);
  const int shift = width > 4 ? width - 4 : 0;
  return shift * 8 + int(last >> shift);
}
uint64_t bytes_of(int size_class) {
  const int shift = size_class < 16 ? 0 : size_class / 8 - 1;
  return (uint64_t(size_class - shift * 8 + 1) << shift) * granule;
}

struct slab {
  char* data = nullptr;
  uint64_t used = 0;  // bytes divided into blocks
  int64_t live = 0;   // blocks in use
};

struct block {
  void* data = nullptr;
  int size_class = 0;
  block_cache* home = nullptr;
  slab* part_of = nullptr;  // null: a separate allocation
  std::vector<cudaStream_t> users;
  bool taken = false;
};

}  // namespace

// The free blocks of one stream or one graph.
struct block_cache {
  std::vector<block*> free[classes];
  slab* open = nullptr;  // the slab that new blocks are taken from
};

namespace {

struct waiting {
  block* what;
  std::vector<cudaEvent_t> events;
};

struct device_memory {
  std::mutex lock;
  std::unordered_map<void*, std::unique_ptr<block>> blocks;
  std::map<cudaStream_t, std::unique_ptr<block_cache>> of_stream;
  std::map<cudaStream_t, block_cache*> of_capture;
  std::vector<std::unique_ptr<block_cache>> graphs;
  std::vector<std::unique_ptr<slab>> slabs;
  std::vector<waiting> used_elsewhere;
  tb_cuda_statistics counts{};

  block_cache& cache_for(cudaStream_t stream) {
    if (!of_capture.empty()) {
      if (const auto found = of_capture.find(stream); found != of_capture.end()) return *found->second;
    }
    auto& mine = of_stream[stream];
    if (mine == nullptr) mine = std::make_unique<block_cache>();
    return *mine;
  }
};

device_memory& memory_of(int device) {
  // Leaked on purpose: tensors may be destroyed during process exit.
  static device_memory* const all = new device_memory[most_devices];
  return all[device];
}

block* reuse(device_memory& m, block_cache& from, int wanted) {
  for (int c = wanted; c <= wanted + classes_beside && c < classes; ++c) {
    auto& free = from.free[c];
    if (free.empty()) continue;
    block* const found = free.back();
    free.pop_back();
    ++m.counts.reused;
    return found;
  }
  return nullptr;
}

void put_back(block& b) { b.home->free[b.size_class].push_back(&b); }

// Returns blocks to their caches whose events in other streams are complete.
void collect(device_memory& m, bool all_done) {
  for (size_t i = 0; i < m.used_elsewhere.size();) {
    waiting& w = m.used_elsewhere[i];
    while (!w.events.empty() && (all_done || cudaEventQuery(w.events.back()) == cudaSuccess)) {
      cudaEventDestroy(w.events.back());
      w.events.pop_back();
    }
    if (!w.events.empty()) {
      ++i;
      continue;
    }
    put_back(*w.what);
    w = std::move(m.used_elsewhere.back());
    m.used_elsewhere.pop_back();
  }
  cudaGetLastError();  // clears cudaErrorNotReady
}

cudaError_t take_from_device(device_memory& m, uint64_t bytes, void** out) {
  *out = nullptr;
  if (m.counts.limit != 0 && m.counts.reserved + bytes > m.counts.limit) return cudaErrorMemoryAllocation;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  cudaThreadExchangeStreamCaptureMode(&mode);
  const cudaError_t error = cudaMalloc(out, bytes);
  cudaThreadExchangeStreamCaptureMode(&mode);
  if (error != cudaSuccess) {
    cudaGetLastError();
    return error;
  }
  m.counts.reserved += bytes;
  m.counts.peak_reserved = std::max(m.counts.peak_reserved, m.counts.reserved);
  ++m.counts.segments;
  return cudaSuccess;
}

void give_to_device(device_memory& m, void* data, uint64_t bytes) {
  cudaFree(data);
  m.counts.reserved -= bytes;
  --m.counts.segments;
}

// Returns all unused memory to the device. Synchronizes, so it does nothing during a capture.
void flush(device_memory& m) {
  if (!m.of_capture.empty()) return;
  cudaDeviceSynchronize();
  collect(m, true);
  const auto drop = [&](block* b) {
    if (b->part_of != nullptr && b->part_of->live != 0) return false;
    if (b->part_of == nullptr) give_to_device(m, b->data, bytes_of(b->size_class));
    m.blocks.erase(b->data);
    return true;
  };
  const auto empty = [&](block_cache& c) {
    for (auto& free : c.free) std::erase_if(free, drop);
    if (c.open != nullptr && c.open->live == 0) c.open = nullptr;
  };
  for (auto& [stream, c] : m.of_stream) empty(*c);
  std::erase_if(m.slabs, [&](const std::unique_ptr<slab>& s) {
    const bool of_graph =
        std::any_of(m.graphs.begin(), m.graphs.end(), [&](const auto& g) { return g->open == s.get(); });
    const bool kept = s->live != 0 || of_graph || std::any_of(m.blocks.begin(), m.blocks.end(), [&](const auto& b) {
                        return b.second->part_of == s.get();
                      });
    if (!kept) give_to_device(m, s->data, slab_bytes);
    return !kept;
  });
}

block* make(device_memory& m, block_cache& home, int size_class, cudaError_t& error) {
  const uint64_t bytes = bytes_of(size_class);
  auto fresh = std::make_unique<block>();
  if (bytes <= largest_small) {
    if (home.open == nullptr || home.open->used + bytes > slab_bytes) {
      void* data = nullptr;
      if (error = take_from_device(m, slab_bytes, &data); error != cudaSuccess) return nullptr;
      m.slabs.push_back(std::make_unique<slab>());
      home.open = m.slabs.back().get();
      home.open->data = static_cast<char*>(data);
    }
    fresh->part_of = home.open;
    fresh->data = home.open->data + home.open->used;
    home.open->used += bytes;
  } else if (error = take_from_device(m, bytes, &fresh->data); error != cudaSuccess) {
    return nullptr;
  }
  fresh->size_class = size_class;
  fresh->home = &home;
  return (m.blocks[fresh->data] = std::move(fresh)).get();
}

double mebibytes(uint64_t bytes) { return double(bytes) / (1 << 20); }

tb_status explain(device_memory& m, int device, uint64_t bytes, cudaError_t error) {
  ++m.counts.out_of_memory;
  size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  char words[512];
  const int used =
      snprintf(words, sizeof words,
               "found no %.1f MiB on cuda:%d (%s): %.1f MiB are in use, %.1f MiB at most so far; %.1f MiB are reserved "
               "on the device, which has %.1f of %.1f MiB free",
               mebibytes(bytes), device, cudaGetErrorString(error), mebibytes(m.counts.in_use),
               mebibytes(m.counts.peak_in_use), mebibytes(m.counts.reserved), mebibytes(free), mebibytes(total));
  if (m.counts.limit != 0 && used > 0 && size_t(used) < sizeof words) {
    snprintf(words + used, sizeof words - size_t(used), "; the limit is %.1f MiB", mebibytes(m.counts.limit));
  }
  return fail_with(cudaErrorMemoryAllocation, words);
}

}  // namespace

tb_status take_memory(int device, cudaStream_t stream, uint64_t bytes, void** out) {
  *out = nullptr;
  device_memory& m = memory_of(device);
  const std::lock_guard held(m.lock);
  const int wanted = bytes > (uint64_t(1) << 46) ? classes : class_of(bytes);
  if (wanted >= classes) return explain(m, device, bytes, cudaErrorMemoryAllocation);
  block_cache& home = m.cache_for(stream);
  block* found = reuse(m, home, wanted);
  if (found == nullptr) {
    const device_guard guard(device);
    if (guard.status() != TB_OK) return guard.status();
    if (!m.used_elsewhere.empty()) {
      collect(m, false);
      found = reuse(m, home, wanted);
    }
    cudaError_t error = cudaSuccess;
    if (found == nullptr) found = make(m, home, wanted, error);
    if (found == nullptr && error == cudaErrorMemoryAllocation) {
      flush(m);
      found = make(m, home, wanted, error);
    }
    if (found == nullptr) {
      return error == cudaErrorMemoryAllocation ? explain(m, device, bytes, error) : fail(error, "cudaMalloc");
    }
  }
  found->taken = true;
  if (found->part_of != nullptr) ++found->part_of->live;
  ++m.counts.allocations;
  m.counts.in_use += bytes_of(found->size_class);
  m.counts.peak_in_use = std::max(m.counts.peak_in_use, m.counts.in_use);
  *out = found->data;
  return TB_OK;
}

void give_memory(int device, void* data) {
  if (data == nullptr) return;
  device_memory& m = memory_of(device);
  const std::lock_guard held(m.lock);
  const auto at = m.blocks.find(data);
  if (at == m.blocks.end() || !at->second->taken) return;
  block& b = *at->second;
  b.taken = false;
  if (b.part_of != nullptr) --b.part_of->live;
  m.counts.in_use -= bytes_of(b.size_class);
  if (b.users.empty()) return put_back(b);
  const device_guard guard(device);
  waiting w{&b, {}};
  for (cudaStream_t user : b.users) {
    // An event recorded into a capture cannot be queried: the block belongs to the graph from now on.
    if (const auto capture = m.of_capture.find(user); capture != m.of_capture.end()) {
      b.home = capture->second;
      continue;
    }
    cudaEvent_t event = nullptr;
    if (cudaEventCreateWithFlags(&event, cudaEventDisableTiming) == cudaSuccess &&
        cudaEventRecord(event, user) == cudaSuccess) {
      w.events.push_back(event);
      continue;
    }
    if (event != nullptr) cudaEventDestroy(event);
    cudaStreamSynchronize(user);
  }
  b.users.clear();
  m.used_elsewhere.push_back(std::move(w));
}

tb_status record_stream(int device, const void* address, cudaStream_t stream) {
  device_memory& m = memory_of(device);
  const std::lock_guard held(m.lock);
  const auto at = m.blocks.find(const_cast<void*>(address));
  if (at == m.blocks.end()) return refuse("found memory that was not allocated here, wanted a tensor's");
  auto& users = at->second->users;
  if (std::find(users.begin(), users.end(), stream) == users.end()) users.push_back(stream);
  return TB_OK;
}

void statistics(int device, tb_cuda_statistics* out) {
  device_memory& m = memory_of(device);
  const std::lock_guard held(m.lock);
  *out = m.counts;
  const device_guard guard(device);
  size_t free = 0, total = 0;
  if (guard.status() == TB_OK && cudaMemGetInfo(&free, &total) == cudaSuccess) {
    out->free_on_device = free;
    out->total_on_device = total;
  }
}

tb_status release_cached(int device) {
  device_memory& m = memory_of(device);
  const std::lock_guard held(m.lock);
  const device_guard guard(device);
  if (guard.status() == TB_OK) flush(m);
  return guard.status();
}

void set_limit(int device, uint64_t bytes) {
  device_memory& m = memory_of(device);
  const std::lock_guard held(m.lock);
  m.counts.limit = bytes;
}

namespace {

// Moves all blocks of a cache, free or in use, to the default stream's cache.
void move_home(device_memory& m, block_cache& from) {
  block_cache& to = m.cache_for(nullptr);
  if (&from == &to) return;
  for (auto& [data, b] : m.blocks) {
    if (b->home == &from) b->home = &to;
  }
  for (int c = 0; c < classes; ++c) {
    to.free[c].insert(to.free[c].end(), from.free[c].begin(), from.free[c].end());
    from.free[c].clear();
  }
  from.open = nullptr;
}

}  // namespace

block_cache* begin_private(int device, cudaStream_t stream) {
  device_memory& m = memory_of(device);
  const std::lock_guard held(m.lock);
  m.graphs.push_back(std::make_unique<block_cache>());
  return m.of_capture[stream] = m.graphs.back().get();
}

void end_private(int device, cudaStream_t stream) {
  device_memory& m = memory_of(device);
  const std::lock_guard held(m.lock);
  m.of_capture.erase(stream);
}

void drop_private(int device, block_cache* given) {
  device_memory& m = memory_of(device);
  const std::lock_guard held(m.lock);
  const auto at = std::find_if(m.graphs.begin(), m.graphs.end(), [&](const auto& g) { return g.get() == given; });
  if (at == m.graphs.end()) return;
  move_home(m, **at);
  m.graphs.erase(at);
}

temporary::temporary(const scope& on, uint64_t bytes)
    : device_(on.device()), status_(take_memory(on.device(), on.stream(), bytes, &data_)) {}

temporary::~temporary() { give_memory(device_, data_); }

}  // namespace tb_cuda
