// The boxed fallback: moves each storage of the arguments to the host once, rebuilds the same views there, runs the
// CPU's kernel, and copies back the storages that the schema says are written. Grouping by storage keeps arguments that
// share memory sharing it, and makes results that are views of an argument views of it on the device.
module topbit.backend;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :boxed_fallback;
import :report;

namespace topbit::detail {

namespace {

// A view of a whole storage.
tensor view_of(const intrusive_ptr<storage>& s, device where, const author::tensor_record& like) {
  const tensor base = author::make_tensor({0}, like.type, where);
  author::record_of(base).data = s;
  return author::make_view(base, like.sizes, like.strides, like.offset);
}

class moved_call {
 public:
  explicit moved_call(const operator_handle& op) : op_(op), schema_(op.parsed_schema()) {
    if (schema_ == nullptr) refuse("no schema says what it writes");
    if (!inspect::has_kernel(op, key::CPU)) refuse("the CPU has no kernel either");
  }

  void run(boxed_stack& stack) {
    const std::span<value> arguments = stack.top(op_.argument_count());
    find_device(arguments);
    const host_work work{home_->type, op_.name(), "", "no kernel"};
    ask_policy(work, backends::fallback_policy::warn);
    const std::int64_t began = observe::clock_ns();
    std::vector<value> originals;  // still borrowed from the caller
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      value& v = arguments[i];
      const bool writes = schema_->arguments[i].writes;
      originals.push_back(std::move(v));
      v = author::map_tensors(originals.back(), [&](const tensor& t) { return t.defined() ? here(t, writes) : t; });
      if (v.is<device>()) v = value(cpu);
    }
    op_.redispatch_boxed(key::CPU, stack);  // below all layers, as this call
    std::uint64_t bytes_out = 0, bytes_in = 0;
    for (const moved& m : all_) {
      bytes_out += m.there->bytes;
      if (!m.written || m.there->bytes == 0) continue;
      memory_of(*home_).copy_in(*home_, m.there->data, m.bytes.data(), m.there->bytes);
      bytes_in += m.there->bytes;
    }
    for (std::size_t i = 0; i < op_.result_count(); ++i) {
      value& v = stack.top(op_.result_count())[i];
      const author::schema_item& r = schema_->returns[i];
      v = r.writes ? std::move(originals[source_of(r)])
                   : author::map_tensors(v, [&](const tensor& t) { return t.defined() ? there(t, bytes_in) : t; });
    }
    account_for(work, bytes_out, bytes_in, observe::clock_ns() - began);
  }

 private:
  struct moved {
    intrusive_ptr<storage> there;
    tensor bytes;  // on the host
    bool written = false;
  };

  [[noreturn]] void refuse(const std::string& why) const {
    throw no_kernel(
        std::string(op_.name()) + ": found no kernel for this device, and it cannot run on the host: " + why,
        std::string(op_.name()), {});
  }

  // Of the tensors; where there are none, the one asked for.
  void find_device(std::span<const value> arguments) {
    std::optional<device> asked;
    for (const value& v : arguments) {
      if (v.is<device>()) asked = v.get<device>();
      author::each_tensor(v, [&](const tensor& t) {
        if (!t.defined() || (t.device() == cpu && t.dim() == 0)) return;
        if (author::record_of(t).how != layout::strided) refuse("it has an argument that is not strided");
        if (home_.value_or(t.device()) != t.device()) refuse("its tensors are on several devices");
        home_ = t.device();
      });
    }
    if (!home_.has_value()) home_ = asked;
    if (!home_.has_value()) refuse("no argument says which device it is for");
  }

  tensor here(const tensor& t, bool writes) {
    const author::tensor_record& r = author::record_of(t);
    if (t.device() == cpu) return t;
    auto m = std::ranges::find(all_, r.data, &moved::there);
    if (m == all_.end()) {
      all_.push_back({r.data, author::make_tensor({static_cast<std::int64_t>(r.data->bytes)}, dtype::uint8, cpu)});
      m = all_.end() - 1;
      if (r.data->bytes != 0) memory_of(*home_).copy_out(*home_, m->bytes.data(), r.data->data, r.data->bytes);
    }
    m->written |= writes;
    return view_of(author::record_of(m->bytes).data, cpu, r);
  }

  // What the kernel returned: a view of an argument, or new.
  tensor there(const tensor& t, std::uint64_t& bytes_in) const {
    const author::tensor_record& r = author::record_of(t);
    for (const moved& m : all_) {
      if (author::record_of(m.bytes).data == r.data) return view_of(m.there, *home_, r);
    }
    if (t.device() != cpu || !r.data) return t;
    const tensor fresh = author::make_tensor({static_cast<std::int64_t>(r.data->bytes)}, dtype::uint8, *home_);
    if (r.data->bytes != 0) memory_of(*home_).copy_in(*home_, fresh.data(), r.data->data, r.data->bytes);
    bytes_in += r.data->bytes;
    return view_of(author::record_of(fresh).data, *home_, r);
  }

  // The written argument that a result is.
  std::size_t source_of(const author::schema_item& r) const {
    const auto is_it = [&](const author::schema_item& a) { return a.writes && a.alias == r.alias; };
    return static_cast<std::size_t>(std::ranges::find_if(schema_->arguments, is_it) - schema_->arguments.begin());
  }

  const operator_handle op_;
  const author::schema_view* const schema_;
  std::optional<device> home_;
  std::vector<moved> all_;
};

void run_on_host(const operator_handle& op, boxed_stack& stack) { moved_call(op).run(stack); }

}  // namespace

registration register_boxed_fallback(dispatch_key k, std::source_location where) {
  return fallback<&run_on_host>(k, registry::process(), where);
}

}  // namespace topbit::detail
