// Caching allocator for device memory: cudaMalloc and cudaFree synchronize with the device, this allocator does not.
//
// A block belongs to the stream it was allocated for. A freed block is reused at once by calls of that stream, since
// the device executes them in order; if other streams used the block, their events must complete first. Sizes are
// rounded up to size classes at most an eighth apart. Blocks up to 256 KiB are parts of slabs of 2 MiB, larger ones
// are separate allocations.
#pragma once

#include "cuda_abi.h"
#include "runtime/device.cuh"

namespace tb_cuda {

// The memory of a graph: blocks that a stream allocates during capture, in use until the graph is dropped.
struct block_cache;

// At least `bytes`, aligned to 512. If the device is out of memory, cached memory is freed and the allocation
// retried; on failure the error text has the statistics.
tb_status take_memory(int device, cudaStream_t stream, uint64_t bytes, void** out);
void give_memory(int device, void* block);
tb_status record_stream(int device, const void* address, cudaStream_t stream);

void statistics(int device, tb_cuda_statistics* out);
tb_status release_cached(int device);
void set_limit(int device, uint64_t bytes);
// From now on allocations of the stream come from this cache.
block_cache* begin_private(int device, cudaStream_t stream);
void end_private(int device, cudaStream_t stream);
// Moves its blocks to the default stream's cache. The caller has waited for the graph's last launch.
void drop_private(int device, block_cache* cache);

}  // namespace tb_cuda
