module topbit.autograd;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

namespace detail {

constinit thread_local node* running_node [[gnu::tls_model("initial-exec")]] = nullptr;
constinit thread_local author::saved_result_reader this_thread_reader [[gnu::tls_model("initial-exec")]] = nullptr;

void raise_written(const tensor& kept, std::uint32_t version) {
  const std::string op(running_node != nullptr ? running_node->name() : "backward");
  const std::string_view* const writer =
      author::record_of(kept).data ? author::record_of(kept).data->writer.load(std::memory_order_relaxed) : nullptr;
  std::string text = op + ": a tensor saved for backward, " + std::string(name_of(kept.dtype())) + " " +
                     to_string(kept.sizes()) + ", was written in place" +
                     (writer != nullptr ? " by " + std::string(*writer) : std::string()) + ": found version " +
                     std::to_string(kept.version()) + ", wanted " + std::to_string(version) +
                     "; write to a clone instead" + detail::writer_trace_text(writer);
  throw error(text, op);
}

void raise_saved_inference(const tensor& t) {
  throw error("autograd: found a tensor made in inference mode, " + std::string(name_of(t.dtype())) + " " +
              to_string(t.sizes()) + ", that a recorded call would save for backward; clone() it outside that mode");
}

}  // namespace detail

author::saved_result_reader author::set_saved_result_reader(saved_result_reader r) noexcept {
  return std::exchange(detail::this_thread_reader, r);
}

tensor saved_result::with_history() const {
  tensor t = author::make_alias(kept_);
  node* const owner = detail::running_node;
  if (owner == nullptr) return t;
  if (detail::this_thread_reader != nullptr) detail::this_thread_reader(*owner, of_, t);
  if (!grad_enabled()) return t;
  add_reference(owner);
  intrusive_ptr<node> creator(owner);
  if ((detail::node_access::flags(*owner) & detail::node_access::has_outputs) != 0) {
    creator = intrusive_ptr<node>(new detail::output_node(std::move(creator), of_));
    creator->stand_for(t);
  }
  author::set_creator(t, std::move(creator));
  return t;
}

}  // namespace topbit
