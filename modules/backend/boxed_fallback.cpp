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
    for (std::size_t i = 0; i < originals.size(); ++i) {
      if (!schema_->arguments[i].writes) continue;
      author::each_tensor(originals[i], [](const tensor& t) {
        if (t.defined()) author::bump_version(t);
      });
    }
    std::uint64_t bytes_out = 0, bytes_in = 0;
    for (const moved& m : all_) {
      bytes_out += m.there->bytes;
      if (m.first == m.last) continue;
      const std::size_t bytes = m.last - m.first;
      memory_of(*home_).copy_in(*home_, static_cast<std::byte*>(m.there->data) + m.first,
                                static_cast<const std::byte*>(m.bytes.data()) + m.first, bytes);
      bytes_in += bytes;
    }
    for (std::size_t i = 0; i < op_.result_count(); ++i) {
      value& v = stack.top(op_.result_count())[i];
      const author::schema_item& r = schema_->returns[i];
      v = r.writes ? returned(originals[author::written_argument(*schema_, i)])
                   : author::map_tensors(v, [&](const tensor& t) { return t.defined() ? there(t, bytes_in) : t; });
    }
    account_for(work, bytes_out, bytes_in, observe::clock_ns() - began);
  }

 private:
  struct moved {
    intrusive_ptr<storage> there;
    tensor bytes;                     // on the host
    std::size_t first = 0, last = 0;  // bytes that may have been written: [first, last)
  };

  [[noreturn]] void refuse(const std::string& why) const {
    throw no_kernel(
        std::string(op_.name()) + ": found no kernel for this device, and it cannot run on the host: " + why,
        std::string(op_.name()), {});
  }

  // Of the tensors; where there are none, the one asked for.
  void find_device(std::span<const value> arguments) {
    for (const value& v : arguments) {
      if (v.is<device>()) asked_ = v.get<device>();
      author::each_tensor(v, [&](const tensor& t) {
        if (!t.defined() || (t.device() == cpu && t.dim() == 0)) return;
        if (author::record_of(t).how != layout::strided) refuse("it has an argument that is not strided");
        if (home_.value_or(t.device()) != t.device()) refuse("its tensors are on several devices");
        home_ = t.device();
      });
    }
    if (!home_.has_value()) home_ = asked_;
    if (!home_.has_value()) refuse("no argument says which device it is for");
    if (asked_.value_or(*home_).type != home_->type) refuse("its results are for another kind of device");
  }

  tensor here(const tensor& t, bool writes) {
    const author::tensor_record& r = author::record_of(t);
    if (t.device() == cpu) return t;
    auto m = std::ranges::find(all_, r.data, &moved::there);
    if (m == all_.end()) {
      all_.push_back({r.data, author::make_tensor({static_cast<std::int64_t>(r.data->bytes)}, dtype::uint8, cpu)});
      m = all_.end() - 1;
      author::record_of(m->bytes).data->read_only = r.data->read_only;
      if (r.data->bytes != 0) memory_of(*home_).copy_out(*home_, m->bytes.data(), r.data->data, r.data->bytes);
    }
    if (writes) note_write(*m, r);
    return view_of(author::record_of(m->bytes).data, cpu, r);
  }

  static void note_write(moved& m, const author::tensor_record& r) {
    if (r.elements == 0) return;
    std::int64_t low = r.offset, high = r.offset;
    for (std::size_t d = 0; d < r.sizes.size(); ++d) (r.strides[d] < 0 ? low : high) += (r.sizes[d] - 1) * r.strides[d];
    const std::size_t first = static_cast<std::size_t>(low) * size_of(r.type);
    const std::size_t last = static_cast<std::size_t>(high + 1) * size_of(r.type);
    m.first = m.first == m.last ? first : std::min(m.first, first);
    m.last = std::max(m.last, last);
  }

  // What the kernel returned: a view of an argument, or new. New results that share memory share it there too.
  tensor there(const tensor& t, std::uint64_t& bytes_in) {
    const author::tensor_record& r = author::record_of(t);
    const device to = asked_.value_or(*home_);
    for (const moved& m : all_) {
      if (author::record_of(m.bytes).data == r.data) return view_of(m.there, *home_, r);
    }
    if (t.device() != cpu || !r.data) return t;
    for (const auto& [here, made] : fresh_) {
      if (here == r.data) return view_of(made, to, r);
    }
    const tensor made = author::make_tensor({static_cast<std::int64_t>(r.data->bytes)}, dtype::uint8, to);
    if (r.data->bytes != 0) memory_of(to).copy_in(to, made.data(), r.data->data, r.data->bytes);
    bytes_in += r.data->bytes;
    fresh_.emplace_back(r.data, author::record_of(made).data);
    return view_of(author::record_of(made).data, to, r);
  }

  // An argument as a result, of which there may be another.
  static value returned(const value& argument) { return argument.is_reference() ? argument.lend() : argument; }

  const operator_handle op_;
  const author::schema_view* const schema_;
  std::optional<device> home_, asked_;
  std::vector<std::pair<intrusive_ptr<storage>, intrusive_ptr<storage>>> fresh_;  // on the host, on the device
  std::vector<moved> all_;
};

void run_on_host(const operator_handle& op, boxed_stack& stack) { moved_call(op).run(stack); }

}  // namespace

registration register_boxed_fallback(dispatch_key k, std::source_location where) {
  return fallback<&run_on_host>(k, registry::process(), where);
}

}  // namespace topbit::detail
