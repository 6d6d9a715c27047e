// A recording under way: what a recorder and the fallback at key::Tracer share. Internal.
module topbit.graphs:recording;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :builder;
import :graph;
import :number_table;
import :recorder;

namespace topbit::graphs {

// What is known of an operator on a device, asked once.
struct known_operator {
  const author::schema_view* schema = nullptr;
  bool is_composite = false, writes = false;
  std::optional<generator> draws_from{};  // unless the call names a generator
};

[[noreturn]] inline void refuse_recording(const std::string& what) {
  throw graph_error("recorder: " + what, "recorder");
}
inline std::uint32_t version_of(const storage& s) noexcept { return s.version.load(std::memory_order_relaxed); }
template <class T>
std::uintptr_t address_of(const T* p) noexcept {
  return reinterpret_cast<std::uintptr_t>(p);
}

class recording {
 public:
  explicit recording(recorder_options options);
  recording(const recording&) = delete;

  // The fallback. `below`: the key set that selects the rest of the call.
  void call(const operator_handle& op, key_set below, boxed_stack& stack);
  graph finish(std::vector<named_tensor> outputs);
  void begin(std::shared_ptr<recording> self) noexcept { self_ = std::move(self); }
  // Itself; null once it has ended.
  std::shared_ptr<recording> share();
  // Ends it: nothing more is recorded, and nothing is kept.
  void stop() noexcept;
  std::size_t nodes();
  std::size_t threw();
  number node_of_gradient(std::uint64_t address);

 private:
  struct known_storage {
    intrusive_ptr<storage> kept;
    std::uint32_t version = 0;  // its own count after the last recorded call
    number newest = nothing;    // the tensor that was made last in it; the others by next_in_storage_
    bool is_written = false;    // by a recorded call
  };
  // Something found, and the node that was about to read it.
  struct finding {
    number tensor, node;
  };
  struct interrupted_write {
    number tensor;
    std::string op;
  };
  class open_call;

  // The mutex, unless a call of this thread holds it.
  std::unique_lock<std::mutex> locked();

  known_operator& known(const operator_handle& op, device where);
  argument read(const value& v);
  argument read_tensor(const tensor& t);
  template <class Tensors>
  argument read_list(const Tensors& all);
  argument made(const value& v);
  argument made_tensor(const tensor& t);
  number number_of(const tensor& t);
  number add(const tensor& t, number storage, source from);
  number alias_of(const tensor& t, number storage);
  number capture(const tensor& t);
  number storage_of(const tensor& t);
  void touch(number storage, number tensor);
  void mark_written(const known_operator& op, std::span<const argument> arguments);
  void follow_versions(number node, bool may_write);
  void look_at_interrupted_writes(const operator_handle& op);
  void look_at_aliases(number node, const known_operator& op, std::size_t tensors_before);
  void look_at_gradients(number node, std::span<const value> results);
  bool is_inside_an_input(const author::tensor_record& view, number storage) const;
  void forget_dead();
  void declare(const named_tensor& one, source from);

  recorder_options options_;
  builder made_;
  std::mutex mutex_;                 // held by the thread whose call is recorded
  std::shared_ptr<recording> self_;  // null: it has ended
  std::size_t threw_ = 0;

  number_table numbers_;                        // of tensors, by record
  std::vector<tensor> kept_;                    // whose records are in numbers_
  std::size_t sweep_at_ = 1024;                 // tensors
  std::size_t new_bytes_ = 0, live_bytes_ = 0;  // of storages, since the last sweep, and after it
  number_table storage_numbers_;
  std::vector<known_storage> storages_;
  std::vector<number> next_in_storage_;  // by tensor
  number_table operators_;               // in known_, by operator and device
  std::vector<std::unique_ptr<known_operator>> known_;
  number_table node_of_gradient_;  // by gradient node
  std::vector<generator> generators_;

  std::vector<argument> arguments_, results_;  // of the call that is read
  std::vector<number> touched_, written_;      // storages of the call that is read
  device where_;                               // of its first tensor, or the one that it names
  bool has_place_ = false;

  std::vector<finding> undeclared_, written_outside_, numbers_captured_;
  std::vector<interrupted_write> interrupted_writes_;
  std::string without_schema_;
};

// What this thread records, and in what.
struct thread_recording {
  recording* to = nullptr;
  bool inside = false;  // a call of this thread holds the recording's mutex
  graphs::phase phase = graphs::phase::forward;
  number forward = nothing;
};
thread_recording& this_thread_recording() noexcept;

// The layer state of a thread that records.
class handed_recording {
 public:
  handed_recording(std::shared_ptr<recording> of, bool inside, const thread_recording* from) noexcept
      : of_(std::move(of)), inside_(inside), from_(from) {}
  static std::shared_ptr<const void> of_this_thread();
  static void install(const void* state) noexcept;

 private:
  std::shared_ptr<recording> of_;
  bool inside_;
  const thread_recording* from_;
};

}  // namespace topbit::graphs
