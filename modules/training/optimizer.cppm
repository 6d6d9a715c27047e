// The base of all optimizers: parameter groups with learning rates, state for each parameter, steps.
//
// A user's optimizer derives from it: its constructor calls add(), and update() does a step for lists of parameters.
export module topbit.training:optimizer;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :named_tensor;
import :schedule;

namespace topbit {

export class optimizer {
 public:
  optimizer(const optimizer&) = delete;
  optimizer& operator=(const optimizer&) = delete;
  virtual ~optimizer();

  /// Updates every parameter that has a gradient; others, and their state, are unchanged. Not recorded. A sparse
  /// gradient updates the rows that it has, at their cost, with sgd, adagrad and sparse_adam. Errors of kernels are
  /// thrown before their group has changed; layout_error for a sparse gradient that the optimizer does not take, before
  /// anything has.
  void step();
  /// Drops the gradients of all parameters.
  void zero_grad() noexcept;

  std::size_t group_count() const noexcept { return groups_.size(); }
  /// Throws error for a group out of range, as do the functions below.
  std::span<const tensor> parameters(std::size_t group = 0) const { return at(group).parameters; }
  /// The number of steps: calls of step(), or replays in a graph if steps are counted on the device, which then
  /// synchronises.
  std::int64_t steps() const;

  /// The rate of the next step: the group's own, times its factor or its schedule's.
  double learning_rate(std::size_t group = 0) const;
  /// The group's own rate, or that of all groups. Throws error for one below 0 or not finite.
  void set_learning_rate(double rate);
  void set_learning_rate(double rate, std::size_t group);
  /// The factor of a group's own rate, initially 1; replaces the group's schedule. Throws error as above.
  void set_learning_rate_factor(double factor);
  void set_learning_rate_factor(double factor, std::size_t group);
  /// From now on the factor is schedule(steps()), in each step, for a group or for all there are; the schedule is
  /// copied, and no part of state(). Steps counted on the device are read in each step then, which synchronises and
  /// cannot be captured. Throws error as above, here and in step(), and what the schedule throws.
  template <learning_rate_schedule Schedule>
  void set_schedule(const Schedule& schedule) {
    for (std::size_t i = 0; i < groups_.size(); ++i) set_schedule(schedule, i);
  }
  template <learning_rate_schedule Schedule>
  void set_schedule(const Schedule& schedule, std::size_t group) {
    std::function<double(std::int64_t)> copy = schedule;
    set_learning_rate_factor(copy(steps()), group);
    at(group).schedule = std::move(copy);
  }

  /// All state besides parameters and options: "steps", and for each parameter that was updated so far, numbered
  /// through all groups, "<number>.step" and its state, as "<number>.momentum_buffer"; at the end "name", the
  /// optimizer's, in bytes. The tensors share the optimizer's elements. Learning rates are options, and not included.
  std::vector<named_tensor> state() const;
  /// Restores the state() of an optimizer of the same name and groups, by copying. Throws error, shape_error or
  /// dtype_error for a mismatched state, and changes nothing then.
  void load_state(std::span<const named_tensor> state);

 protected:
  /// Parameters of a group that have gradients, with equal step counts if the host counts.
  struct batch {
    std::vector<tensor> parameters, gradients;
    /// A list for each name that add() was given, zeros before the first step.
    std::vector<std::vector<tensor>> state;
    double learning_rate = 0;
    /// Their step number, from 1; 0 if the device counts.
    std::int64_t step = 0;
    /// In that case the step number of each: float64, zero-dimensional, read-only.
    std::vector<tensor> steps_there;
    /// Undefined, or of a loss_scaler, on the device of the gradients, zero-dimensional: what update() divides them by
    /// first, and what keeps it from changing anything unless it is 0.
    tensor gradient_scale, found_inf;
  };

  /// The name begins error messages.
  explicit optimizer(std::string name) : name_(std::move(name)) {}

  /// Adds a group with state of these names. Throws error for an empty list, and for a parameter that is undefined, not
  /// a leaf or already present, dtype_error for one that is not floating, layout_error for one that is sparse, whose
  /// values may be a parameter instead; nothing is added then. With counts_on_device
  /// step numbers are stored on the parameters' device, and state is created at once; update() must not copy anything
  /// to the host. Throws device_error then for parameters of several devices.
  void add(std::vector<tensor> parameters, double learning_rate, std::vector<std::string_view> state_names,
           bool counts_on_device = false);
  /// One step for lists of tensors. Gradients are not recorded here.
  virtual void update(std::size_t group, batch& b) = 0;
  /// Whether update() observes gradient_scale and found_inf. If not, a loss_scaler divides the gradients before.
  virtual bool takes_scaling() const noexcept { return false; }
  /// Empty if a step of this group leaves rows with a gradient of 0, and their state, unchanged: update() is then
  /// called with the rows that a sparse gradient has instead of the parameter. Otherwise what is wanted of gradients
  /// instead, as "wanted a strided one": step() then refuses sparse gradients before it changes anything.
  virtual std::string refuses_sparse(std::size_t group) const;

  /// Throws error "<name>: found <option>=<value>, wanted <wanted>" unless the condition holds.
  void require(bool is_so, std::string_view option, double value, std::string_view wanted) const;

 private:
  friend class loss_scaler;
  struct scaling {
    tensor scale, found_inf;
  };
  void step(const scaling& by);
  // Whether the steps of all groups are counted there.
  bool counts_on_device() const noexcept;

  // Step numbers on a device; empty if the host counts.
  struct step_counts {
    tensor next;                  // float64: of the next step of each parameter, then of the optimizer
    std::vector<tensor> of_each;  // views of it, one for each parameter
  };
  struct group {
    std::vector<tensor> parameters;
    std::vector<std::string_view> state_names;
    std::vector<std::vector<tensor>> state;  // by name, by parameter; undefined before the first step
    std::vector<std::int64_t> ages;          // steps of each parameter, if the host counts
    double rate = 0, factor = 1;
    std::function<double(std::int64_t)> schedule;  // gives the factor of each step, if there is one
    step_counts on_device;
  };
  // The rows of a parameter whose gradient is sparse: those of the batch are copies of them.
  struct chosen_rows {
    std::vector<tensor> index;  // one for each sparse dimension; empty for a strided gradient
    std::vector<tensor> state;  // of the whole parameter
  };
  struct due_batch {
    batch of;
    std::vector<std::size_t> members;
    std::vector<chosen_rows> rows;  // of each member
  };

  const group& at(std::size_t group) const;
  group& at(std::size_t group);
  void check_parameters(std::span<const tensor> parameters) const;
  void check_one_device(std::span<const tensor> parameters) const;
  static void keep_addresses(const group& before, group& now);
  static step_counts counted(std::vector<std::int64_t> ages, std::int64_t steps, device where);
  static void count_step(const step_counts& counts, std::span<const due_batch> done, const tensor& found_inf);
  static std::vector<std::int64_t> ages(const group& g);
  double rate_at(const group& g, std::int64_t step) const;
  void check_layout(std::size_t group, std::size_t parameter, const tensor& gradient) const;
  std::vector<due_batch> due_batches(std::size_t group, double rate) const;
  static void finish(group& g, due_batch& b);
  std::int64_t read_count(const detail::name_index& state, const std::string& name, std::int64_t least) const;
  void check_name(std::span<const named_tensor> state) const;
  void read_state(std::span<const named_tensor> state, std::vector<group>& into, std::int64_t& steps) const;

  std::string name_;
  std::vector<group> groups_;
  std::int64_t steps_ = 0;
};

}  // namespace topbit
