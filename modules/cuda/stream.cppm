// Streams and events: work in one stream is ordered, work in two streams may overlap.
export module topbit.cuda:stream;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

export class cuda_stream;

/// A point in the work of a stream. Copies refer to the same event. Empty until it is recorded.
export class cuda_event {
 public:
  /// `timing`: enables timestamps, which are slightly slower.
  explicit cuda_event(topbit::device d, bool timing = false);
  ~cuda_event();
  cuda_event(const cuda_event&) noexcept;
  cuda_event& operator=(const cuda_event&) noexcept;

  /// Sets the event to this point of the stream. Throws device_error for a stream of another device.
  void record(const cuda_stream& stream);
  /// Whether the work before it is done; true of one that was never recorded.
  bool done() const;
  /// Blocks the host. Throws errors reported by earlier kernels; see synchronize().
  void synchronize() const;
  topbit::device device() const noexcept;
  void* native() const noexcept;  // a cudaEvent_t

 private:
  struct state;
  std::shared_ptr<state> state_;
};

/// Device time from one event to a later one, in milliseconds. Both must have timing and be done. Throws device_error.
export double milliseconds_between(const cuda_event& from, const cuda_event& to);

/// A stream of a device: a non-owning value. Streams live as long as the process.
export class cuda_stream {
 public:
  /// This thread's current stream; initially the device's default stream.
  static cuda_stream current(topbit::device d = cuda());
  static cuda_stream default_stream(topbit::device d = cuda());
  /// One of a pool of 32 streams, round robin, each created at its first use. Not synchronised with other streams.
  /// Throws device_error for a device that does not exist.
  static cuda_stream from_pool(topbit::device d = cuda(), bool high_priority = false);
  /// Wraps a cudaStream_t of another library, which must outlive its use; null for the default stream. Throws
  /// device_error for one of another device.
  static cuda_stream of_native(topbit::device d, void* stream);

  topbit::device device() const noexcept { return device_; }
  void* native() const noexcept { return native_; }  // a cudaStream_t

  bool done() const;
  /// Blocks the host. Throws errors reported by earlier kernels; see synchronize().
  void synchronize() const;
  /// Later work in this stream waits for the event, on the device. The event may be of another device.
  void wait(const cuda_event& event) const;
  cuda_event record(bool timing = false) const;

  friend bool operator==(const cuda_stream&, const cuda_stream&) = default;

 private:
  cuda_stream(topbit::device d, void* native) noexcept : device_(d), native_(native) {}

  topbit::device device_;
  void* native_;
};

/// Sets this thread's current stream of the stream's device for a scope.
///
/// A tensor's memory belongs to the stream that was current when it was made. Before another stream reads it, that
/// stream must wait for an event of the first; and call record_stream(), or the memory may be reused while it is still
/// read.
export class cuda_stream_guard {
 public:
  explicit cuda_stream_guard(const cuda_stream& stream);
  cuda_stream_guard(const cuda_stream_guard&) = delete;
  cuda_stream_guard& operator=(const cuda_stream_guard&) = delete;
  ~cuda_stream_guard();

 private:
  cuda_stream before_;
};

/// The tensor's memory is not reused before the work in this stream up to the tensor's destruction is done. Throws
/// device_error for a stream of another device.
export void record_stream(const tensor& t, const cuda_stream& stream);

}  // namespace topbit
