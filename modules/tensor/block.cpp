// Allocates tensor records and storages in blocks of :allocator. A block holds a record, a record with its storage and
// small CPU data, or data only.
module;

#include "sanitizer.h"

module topbit.tensor;

import topbit.std;
import topbit.core;
import :allocator.block_class;
import :allocator.thread_cache;

namespace topbit {

namespace {

using author::tensor_record, detail::joint_block;

// Pinned: a member added here costs memory in every tensor.
static_assert(sizeof(storage) == 56 && sizeof(tensor_record) == 208);

// Keys that a tensor made in inference mode lacks.
constexpr key_set gradient_keys = autograd_keys | key_set(key::ADInplaceOrView);

// Layout of a joint block: record, storage, joint_block, then the elements.
constexpr std::size_t storage_at = sizeof(tensor_record);
constexpr std::size_t joint_at = storage_at + sizeof(storage);
constexpr std::size_t head_bytes = joint_at + sizeof(joint_block);
constexpr std::size_t data_at =
    (head_bytes + sanitizer::gap + detail::block_alignment - 1) & ~(detail::block_alignment - 1);
static_assert(storage_at % alignof(storage) == 0 && joint_at % alignof(joint_block) == 0);

// Larger data gets a separate block: a view keeps the whole joint block alive, and a cached block should fit many uses.
constexpr std::size_t largest_joint_block = 4096;

constexpr unsigned record_class = detail::block_class(sizeof(tensor_record));
constexpr unsigned head_class = detail::block_class(head_bytes);

void* take(unsigned size_class, std::size_t used) {
  auto* const block = static_cast<std::byte*>(detail::take_block(size_class));
  sanitizer::forbid(block + used, detail::block_bytes(size_class) - used);
  return block;
}
void give(void* block, unsigned size_class) noexcept {
  sanitizer::allow(block, detail::block_bytes(size_class));
  detail::give_block(block, size_class);
}

void* allocate_by(const memory_hook& hook, device where, std::size_t bytes) {
  void* const block = hook.allocate(where, bytes);
  detail::count_allocated(where, bytes);
  if (detail::memory_is_observed.load(std::memory_order_relaxed)) detail::tell_allocated(where, block, bytes);
  return block;
}

void end_half(joint_block* b) noexcept {
  if (b->one_ended.exchange(true, std::memory_order_acq_rel)) give(b->begin, b->size_class);
}

}  // namespace

storage::storage(device d, std::size_t size, joint_block* in, void* inside)
    : where(d),
      kind(inside != nullptr ? storage_kind::in_block : storage_kind::separate),
      bytes(size),
      data(inside),
      block(in) {
  if (inside != nullptr) {
    hook = &detail::host_hook;
  } else {
    find_memory();
  }
}

storage::storage(device d, std::size_t size, const memory_hook& own)
    : where(d), bytes(size), hook(&detail::keep_hook(own)) {
  if (bytes != 0) data = allocate_by(*hook, where, bytes);
}

void storage::find_memory() {
  if (where.type == backend::Meta) return;
  hook = &memory_of(where);
  if (where.type == backend::CPU) {
    if (bytes != 0) data = take(detail::block_class(bytes), bytes);
    return;
  }
  author::check_device(where);
  if (bytes != 0) data = allocate_by(*hook, where, bytes);
}

storage::~storage() {
  if (data == nullptr || kind != storage_kind::separate) return;
  if (hook == &detail::host_hook) {
    give(data, detail::block_class(bytes));
  } else {
    detail::count_freed(where, bytes);
    if (detail::memory_is_observed.load(std::memory_order_relaxed)) detail::tell_freed(where, data, bytes);
    hook->release(where, data);
  }
}

void detail::end(storage* s) noexcept {
  joint_block* const block = s->block;
  if (s->kind == storage_kind::opaque) {
    delete static_cast<opaque_storage*>(s);
  } else if (s->kind == storage_kind::borrowed) {
    delete static_cast<borrowed_storage*>(s);
  } else if (block == nullptr) {
    delete s;
  } else {
    s->~storage();
    end_half(block);
  }
}

tensor_record* detail::new_record(key_set keys, dtype type, device where, const shape& sizes, const shape& strides,
                                  bool inference) {
  return ::new (take(record_class, sizeof(tensor_record)))
      tensor_record(inference ? keys - gradient_keys : keys, type, where, sizes, strides, is_dense(sizes, strides),
                    numel(sizes), inference);
}

tensor_record* detail::new_dense_record(key_set keys, dtype type, device where, const shape& sizes,
                                        const shape& strides, std::int64_t elements) {
  const std::size_t bytes = static_cast<std::size_t>(elements) * size_of(type);
  const bool inside = where.type == backend::CPU && bytes != 0 && bytes <= largest_joint_block - data_at;
  const std::size_t used = inside ? data_at + bytes : head_bytes;
  const unsigned size_class = inside ? block_class(used) : head_class;
  auto* const begin = static_cast<std::byte*>(take(size_class, used));
  auto* const block = ::new (begin + joint_at) joint_block{begin, static_cast<std::uint8_t>(size_class)};
  storage* data = nullptr;
  try {
    data = ::new (begin + storage_at) storage(where, bytes, block, inside ? begin + data_at : nullptr);
  } catch (...) {
    give(begin, size_class);
    throw;
  }
  if (inside) sanitizer::forbid(begin + head_bytes, data_at - head_bytes);
  auto* const r = ::new (begin) tensor_record(this_thread_in_inference_mode ? keys - gradient_keys : keys, type, where,
                                              sizes, strides, true, elements, this_thread_in_inference_mode);
  r->data = intrusive_ptr<storage>(data);
  r->block = block;
  return r;
}

void detail::end(tensor_record* r) noexcept {
  joint_block* const block = r->block;
  if (block == nullptr) {
    r->~tensor_record();
    give(r, record_class);
    return;
  }
  r->extension = {};
  storage* const data = r->data.get();
  if (data != nullptr && data->block == block && data->references.load(std::memory_order_acquire) == 1) {
    // The storage ends too. With `extension` reset, the record's destructor has nothing left to release.
    data->~storage();
    give(r, block->size_class);
  } else {
    r->~tensor_record();
    end_half(block);
  }
}

void* author::take_memory(std::size_t bytes) { return take(detail::block_class(bytes), bytes); }
void author::give_memory(void* p, std::size_t bytes) noexcept { give(p, detail::block_class(bytes)); }

}  // namespace topbit
