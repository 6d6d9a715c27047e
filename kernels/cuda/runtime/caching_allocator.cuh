// Memory of devices, kept when it is given back: the runtime's own allocations wait for the device, these do not.
//
// A block belongs to the stream it was taken for. Given back, it is handed out again to calls of that stream at once,
// since the device does them in order; other streams that used it are waited for by an event. Sizes are rounded up to
// classes, at most an eighth apart; blocks up to 256 KiB are cut from slabs of 2 MiB, larger ones are allocations of
// their own.
#pragma once

#include "cuda_abi.h"
#include "runtime/device.cuh"

namespace tb_cuda {

// Memory of a graph: what calls of a stream take while it is captured, in use until the graph is dropped.
struct block_cache;

// At least `bytes`, aligned to 512. Where the device has no more, all that is kept is given back to it first; then the
// text of the failure has the statistics.
tb_status take_memory(int device, cudaStream_t stream, uint64_t bytes, void** out);
void give_memory(int device, void* block);
tb_status record_stream(int device, const void* address, cudaStream_t stream);

void statistics(int device, tb_cuda_statistics* out);
tb_status release_cached(int device);
void set_limit(int device, uint64_t bytes);
// From now on calls of the stream take from there.
block_cache* begin_private(int device, cudaStream_t stream);
void end_private(int device, cudaStream_t stream);
// Its blocks go to the default stream. The caller has waited for the graph's last launch.
void drop_private(int device, block_cache* cache);

}  // namespace tb_cuda
