// Streams and events: work of one stream is done in order, work of two streams at the same time.
export module topbit.cuda:stream;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

export class cuda_stream;

/// A point in the work of a stream. Copies are the same event. Empty until it is recorded.
export class cuda_event {
 public:
  /// `timing`: elapsed times can be asked for, which makes it a little slower.
  explicit cuda_event(device d, bool timing = false);
  ~cuda_event();
  cuda_event(const cuda_event&) noexcept;
  cuda_event& operator=(const cuda_event&) noexcept;

  /// From now on the event is this point of the stream. Throws device_error for a stream of another device.
  void record(const cuda_stream& stream);
  /// Whether the work before it is done; true of one that was never recorded.
  bool done() const;
  /// Waits on the host. Throws what kernels before it reported; see synchronize().
  void synchronize() const;
  topbit::device device() const noexcept;
  void* native() const noexcept;  // a cudaEvent_t

 private:
  struct state;
  std::shared_ptr<state> state_;
};

/// Milliseconds of the device from one event to a later one. Both with timing, and done. Throws device_error.
export double milliseconds_between(const cuda_event& from, const cuda_event& to);

/// A stream of a device: a value, which is copied freely and owns nothing. Streams live as long as the process.
export class cuda_stream {
 public:
  /// The one that calls of this thread go to; at first the device's default stream.
  static cuda_stream current(device d = cuda());
  static cuda_stream default_stream(device d = cuda());
  /// One of a pool of 32, which are handed out in turn, each made when it is first wanted. Waits for no other stream by
  /// itself. Throws device_error for a device that is not there.
  static cuda_stream from_pool(device d = cuda(), bool high_priority = false);
  /// A stream of another library, a cudaStream_t, which has to outlive its use; null for the default stream. Throws
  /// device_error for one of another device.
  static cuda_stream of_native(device d, void* stream);

  topbit::device device() const noexcept { return device_; }
  void* native() const noexcept { return native_; }  // a cudaStream_t

  bool done() const;
  /// Waits on the host. Throws what kernels before it reported; see synchronize().
  void synchronize() const;
  /// What comes next in this stream waits for the event, on the device. An event of another device will do.
  void wait(const cuda_event& event) const;
  cuda_event record(bool timing = false) const;

  friend bool operator==(const cuda_stream&, const cuda_stream&) = default;

 private:
  cuda_stream(topbit::device d, void* native) noexcept : device_(d), native_(native) {}

  topbit::device device_;
  void* native_;
};

/// Calls of this thread on the stream's device go to it while this lives.
///
/// A tensor's memory belongs to the stream that was current when it was made. Before another stream reads it, let that
/// one wait for an event of the first; and call record_stream(), or the memory may be handed out while it is still
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

/// The tensor's memory is not handed out again before what this stream does until the tensor is dropped is done. Throws
/// device_error for a stream of another device.
export void record_stream(const tensor& t, const cuda_stream& stream);

}  // namespace topbit
