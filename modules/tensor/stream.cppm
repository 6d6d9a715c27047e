// Streams and events of devices: work in one stream is ordered, work in two streams may overlap. A device without
// streams has its default one, in which calls run in order, so that the same program runs on every device.
export module topbit.tensor:stream;

import topbit.std;
import topbit.core;
import :device;
import :handle;

namespace topbit {

/// A point in the work of a stream: stream::record(). Copies refer to the same event. A default-constructed one is
/// done.
export class event {
 public:
  event() noexcept;
  ~event();
  event(const event&) noexcept;
  event(event&&) noexcept;
  event& operator=(const event&) noexcept;
  event& operator=(event&&) noexcept;

  /// Whether the work before it is done. On a device without streams it waits for that.
  bool done() const;
  /// Blocks the host. Throws errors reported by earlier kernels; see synchronize().
  void synchronize() const;
  /// Of a default-constructed event the CPU.
  topbit::device device() const noexcept;
  /// The backend's event, such as a cudaEvent_t; null on a device without streams.
  void* native() const noexcept;

 private:
  friend class stream;
  struct state;
  std::shared_ptr<const state> state_;
};

/// Device time from one event to a later one, in milliseconds. Both must have timing and be done. Throws device_error,
/// also for events of a device that has no clock.
export double milliseconds_between(const event& from, const event& to);

/// A stream of a device: a non-owning value. Streams live as long as the process.
export class stream {
 public:
  /// This thread's current stream; initially the device's default stream. Throws device_error for a device that does
  /// not exist, as do the next three.
  static stream current(topbit::device d);
  static stream default_stream(topbit::device d);
  /// One of a pool of 32 streams, round robin, each created at its first use. Not synchronised with other streams. On a
  /// device without streams the default one.
  static stream from_pool(topbit::device d, bool high_priority = false);
  /// Wraps a stream of another library, such as a cudaStream_t, which must outlive its use; null for the default
  /// stream. Throws device_error also for one of another device, where the backend can tell.
  static stream of_native(topbit::device d, void* native);

  topbit::device device() const noexcept { return device_; }
  /// The backend's stream, such as a cudaStream_t; null for the default stream.
  void* native() const noexcept { return native_; }

  /// Whether all work in it is done. Waits on a backend without stream_hook::stream_done.
  bool done() const;
  /// Blocks the host. Throws errors reported by earlier kernels; see synchronize().
  void synchronize() const;
  /// Later work in this stream waits for the event, on the device. The event may be of another device: where it is of
  /// another type, the host waits.
  void wait(const event& e) const;
  /// `timing`: enables timestamps, which are slightly slower.
  event record(bool timing = false) const;

  friend bool operator==(const stream&, const stream&) = default;

 private:
  stream(topbit::device d, void* native) noexcept : device_(d), native_(native) {}

  topbit::device device_;
  void* native_;
};

namespace author {
/// The native handle of this thread's current stream of a device, for the functions of its backend; null for the
/// default one. Cost: a few comparisons for each stream_guard of this thread.
export void* current_stream(device d) noexcept;
}  // namespace author

/// Sets this thread's current stream of the stream's device for a scope. It ends on the thread that made it. Of several
/// that live, the latest decides. Throws device_error for a device that does not exist.
///
/// A tensor's memory belongs to the stream that was current when it was made. Before another stream reads it, that
/// stream must wait for an event of the first; and call record_stream(), or the memory may be reused while it is still
/// read.
export class [[nodiscard("the stream is current until this is destroyed")]] stream_guard {
 public:
  explicit stream_guard(const stream& s);
  stream_guard(const stream_guard&) = delete;
  stream_guard& operator=(const stream_guard&) = delete;
  ~stream_guard();

 private:
  friend void* author::current_stream(topbit::device d) noexcept;
  stream stream_;
  stream_guard* outer_;  // of this thread
};

/// The tensor's memory is not reused before the work in this stream up to the tensor's destruction is done. Throws
/// device_error for a stream of another device.
export void record_stream(const tensor& t, const stream& s);

}  // namespace topbit
