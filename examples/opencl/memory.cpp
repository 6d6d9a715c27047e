// Memory of a device: shared virtual memory, in which a view is an address like any other.
#include <algorithm>
#include <bit>

#include "opencl.h"

namespace ocl {

namespace {

// Small blocks in steps of 256 bytes, others in eight steps from one power of two to the next.
std::size_t rounded(std::size_t bytes) {
  const std::size_t step = std::max<std::size_t>(256, std::bit_floor(std::max<std::size_t>(bytes, 1)) / 8);
  return bytes > SIZE_MAX - step ? bytes : std::max(step, (bytes + step - 1) / step * step);
}

}  // namespace

void* pool::allocate(cl_command_queue q, std::size_t bytes) {
  const std::size_t size = rounded(bytes);
  const std::lock_guard lock(mutex_);
  void* p = nullptr;
  if (std::vector<void*>& blocks = free_[{q, size}]; !blocks.empty()) {
    p = blocks.back();
    blocks.pop_back();
    cached_ -= size;
  } else {
    const auto ask = [&] { return size > largest_ ? nullptr : clSVMAlloc(context_, CL_MEM_READ_WRITE, size, 0); };
    p = ask();
    if (p == nullptr && cached_ != 0) {
      trim_locked();
      p = ask();
    }
    if (p == nullptr) {
      throw error(CL_MEM_OBJECT_ALLOCATION_FAILURE,
                  "found no memory for " + std::to_string(bytes) + " bytes; " + std::to_string(in_use_) +
                      " bytes are in use, and one block can have " + std::to_string(largest_));
    }
  }
  in_use_ += size;
  used_.insert_or_assign(p, block{size, q, {}});
  return flipped(p);
}

void pool::used_by(void* p, cl_command_queue q) {
  const std::lock_guard lock(mutex_);
  const auto found = used_.find(flipped(p));
  if (found == used_.end() || found->second.owner == q) return;
  if (std::ranges::find(found->second.users, q) == found->second.users.end()) found->second.users.push_back(q);
}

void pool::release(void* p) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = used_.find(flipped(p));
  if (found == used_.end()) return;
  const block& b = found->second;
  for (cl_command_queue user : b.users) {
    // The owner's later work begins after what the others have been given so far. If no event can be made, wait here.
    cl_event now = nullptr;
    if (clEnqueueMarkerWithWaitList(user, 0, nullptr, &now) != CL_SUCCESS) {
      clFinish(user);
      continue;
    }
    clFlush(user);
    if (clEnqueueBarrierWithWaitList(b.owner, 1, &now, nullptr) != CL_SUCCESS) clFinish(user);
    clReleaseEvent(now);
  }
  in_use_ -= b.bytes;
  cached_ += b.bytes;
  free_[{b.owner, b.bytes}].push_back(found->first);
  used_.erase(found);
}

void pool::trim() {
  const std::lock_guard lock(mutex_);
  trim_locked();
}
void pool::trim_locked() {
  for (auto& [of, blocks] : free_) {
    if (!blocks.empty()) clFinish(of.first);
    for (void* p : blocks) clSVMFree(context_, p);
  }
  free_.clear();
  cached_ = 0;
}

}  // namespace ocl
