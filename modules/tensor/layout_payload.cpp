module topbit.tensor;

import topbit.std;
import topbit.core;

namespace topbit::author {

namespace {

std::array<std::atomic<layout_reader>, all_layouts.size()> readers;

}  // namespace

std::string layout_payload::attributes() const { return {}; }

const layout_payload* parts_of(const tensor& t) noexcept {
  return dynamic_cast<const layout_payload*>(topbit::detail::tensor_access::payload(t));
}

tensor with_parts(const tensor& t, std::span<const tensor> parts, dtype type, device where) {
  const layout_payload* const payload = parts_of(t);
  if (payload == nullptr) {
    throw layout_error("with_parts: found layout " + std::string(name_of(t.layout())) +
                       ", wanted one whose payload consists of tensors");
  }
  return make_opaque(t.sizes(), type, where, keys_of(t.layout(), where, type), payload->with_parts(parts), t.layout());
}

void register_layout(layout l, layout_reader reader) {
  readers[static_cast<std::size_t>(l)].store(reader, std::memory_order_release);
}

layout_reader reader_of(layout l) {
  const layout_reader found = readers[static_cast<std::size_t>(l)].load(std::memory_order_acquire);
  if (found == nullptr) {
    throw layout_error("found a tensor of layout " + std::string(name_of(l)) +
                       ", wanted one of a layout that a module of this program reads; import the module of the layout");
  }
  return found;
}

}  // namespace topbit::author
