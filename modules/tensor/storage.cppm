// Memory behind tensors: reference-counted bytes on a device, and the hook by which a backend provides them.
export module topbit.tensor:storage;

import topbit.std;
import topbit.core;
import :device;

namespace topbit {

/// An intrusive reference-counted pointer: `add_reference(p)` and `drop_reference(p)` by lookup.
export template <class T>
class intrusive_ptr {
 public:
  constexpr intrusive_ptr() noexcept = default;
  /// Takes ownership of one reference.
  explicit intrusive_ptr(T* adopted) noexcept : p_(adopted) {}
  intrusive_ptr(const intrusive_ptr& other) noexcept : p_(other.p_) {
    if (p_ != nullptr) add_reference(p_);
  }
  intrusive_ptr(intrusive_ptr&& other) noexcept : p_(std::exchange(other.p_, nullptr)) {}
  intrusive_ptr& operator=(intrusive_ptr other) noexcept {
    std::swap(p_, other.p_);
    return *this;
  }
  ~intrusive_ptr() {
    if (p_ != nullptr) drop_reference(p_);
  }
  T* get() const noexcept { return p_; }
  T& operator*() const noexcept { return *p_; }
  T* operator->() const noexcept { return p_; }
  explicit operator bool() const noexcept { return p_ != nullptr; }
  friend bool operator==(const intrusive_ptr& a, const intrusive_ptr& b) noexcept { return a.p_ == b.p_; }

 private:
  T* p_ = nullptr;
};

/// How a backend provides memory. Functions throw device_error, or std::bad_alloc for host memory. The last three are
/// optional: without them copies go through the host, and are synchronous.
export struct memory_hook {
  void* (*allocate)(device, std::size_t bytes) = nullptr;
  void (*release)(device, void*) noexcept = nullptr;
  void (*copy_in)(device, void* to, const void* from_host, std::size_t bytes) = nullptr;
  void (*copy_out)(device, void* to_host, const void* from, std::size_t bytes) = nullptr;
  // Between two devices of this type.
  void (*copy_across)(device to, void*, device from, const void*, std::size_t bytes) = nullptr;
  // These may be asynchronous: the host memory must stay valid until the device has been synchronised.
  void (*start_copy_in)(device, void* to, const void* from_host, std::size_t bytes) = nullptr;
  void (*start_copy_out)(device, void* to_host, const void* from, std::size_t bytes) = nullptr;
  friend bool operator==(const memory_hook&, const memory_hook&) = default;
};

/// Installs the memory hook of a device type, permanently; a later one replaces it. Called by a backend when it is
/// loaded. The hook is copied. Throws device_error for CPU and Meta, whose hooks cannot be replaced.
export void set_memory_hook(device_type t, const memory_hook& hook);
/// Throws device_error, saying which module to import, if the device has no memory hook.
export const memory_hook& memory_of(device d);

namespace detail {

// What new storages on this thread are given.
extern constinit thread_local std::uint32_t this_thread_birth [[gnu::tls_model("initial-exec")]];

extern const memory_hook host_hook;
// Whether memory_of() has an answer.
bool has_memory(device_type t) noexcept;
// A copy that is never destroyed.
const memory_hook& keep_hook(const memory_hook& hook);

// A tensor's record and its storage lie in one block, where make_tensor() made them, and with them the elements if they
// are few. Either may outlive the other: the storage in a view, the record with another storage. So neither owns the
// block: the second one to be destroyed frees it.
struct joint_block {
  void* begin;
  std::uint8_t size_class;
  std::atomic<bool> one_ended{false};
};

}  // namespace detail

/// Where the bytes of a storage are: in memory of their own, in the block of the tensor's record, in caller-owned
/// memory (from_blob), or nowhere: an opaque layout has a payload instead.
export enum class storage_kind : std::uint8_t { separate, in_block, borrowed, opaque };

/// Bytes on a device, the host's from the cache of :memory. Shared by views; the version counts in-place writes to any
/// of them.
export struct storage {
  std::atomic<std::uint32_t> references{1};
  std::atomic<std::uint32_t> version{0};
  device where;
  const storage_kind kind = storage_kind::separate;
  /// Operators refuse to write to it.
  bool read_only = false;
  /// See author::birth_number().
  const std::uint32_t birth = detail::this_thread_birth;
  const std::size_t bytes = 0;  // constant: it determines how the data are freed
  void* data = nullptr;         // null on the meta device, and for no bytes
  const memory_hook* hook = nullptr;
  detail::joint_block* const block = nullptr;  // null for a separate storage, made with new
  /// The operator that wrote last, if known.
  std::atomic<const std::string_view*> writer{nullptr};

  /// What make_tensor() passes on: its block, and the address in it for the data.
  storage(device d, std::size_t bytes, detail::joint_block* in = nullptr, void* data_inside = nullptr);
  /// In memory allocated and freed by the hook.
  storage(device d, std::size_t bytes, const memory_hook& own);
  storage(const storage&) = delete;
  ~storage();

 protected:
  // Of the two kinds that have a class of their own.
  inline storage(storage_kind k, device d, std::size_t size = 0, void* borrowed = nullptr) noexcept
      : where(d), kind(k), bytes(size), data(borrowed), hook(borrowed == nullptr ? nullptr : &detail::host_hook) {}

 private:
  void find_memory();
};

namespace detail {
void end(storage* s) noexcept;
}

export inline void add_reference(storage* s) noexcept { s->references.fetch_add(1, std::memory_order_relaxed); }
export inline void drop_reference(storage* s) noexcept {
  // The holder of the only reference needs no locked instruction: no one else can obtain one.
  if (s->references.load(std::memory_order_acquire) == 1 ||
      s->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    detail::end(s);
  }
}

}  // namespace topbit
