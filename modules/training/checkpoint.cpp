module topbit.training;

import topbit.std;
import topbit.core;
import topbit.ops;

namespace topbit {

namespace {

constexpr std::string_view of_model = "model.", of_optimizer = "optimizer.", of_generator = "generator.",
                           of_scaler = "loss_scaler.";

std::string beginning(std::string_view who, const std::string& path) {
  return std::string(who) + ": " + detail::in_quotes(path) + ": ";
}

// Seed and offset as int64 bit patterns, since no dtype is uint64.
tensor state_of(generator g) {
  const philox_state next = g.take(0);
  return from_values<std::int64_t>({std::bit_cast<std::int64_t>(next.seed), std::bit_cast<std::int64_t>(next.offset)},
                                   {2});
}
void restore(generator g, const tensor& state) {
  const std::int64_t* const numbers = state.data_ptr<std::int64_t>();
  g.set_seed(std::bit_cast<std::uint64_t>(numbers[0]));
  g.take(std::bit_cast<std::uint64_t>(numbers[1]));
}

void append(std::vector<named_tensor>& to, std::string_view begin, std::span<const named_tensor> more) {
  for (const named_tensor& one : more) to.push_back({std::string(begin) + one.name, one.value});
}

std::vector<named_tensor> states_of(std::span<const generator> generators) {
  std::vector<named_tensor> all;
  for (const generator& g : generators) all.push_back({std::to_string(all.size()), state_of(g)});
  return all;
}

// Removes the tensors whose name has this prefix and returns them without the prefix.
std::vector<named_tensor> take_part(std::vector<named_tensor>& all, std::string_view begin) {
  std::vector<named_tensor> part;
  std::erase_if(all, [&](const named_tensor& one) {
    if (!one.name.starts_with(begin)) return false;
    part.push_back({one.name.substr(begin.size()), one.value});
    return true;
  });
  return part;
}

}  // namespace

void detail::save_parameters(const std::string& path, std::span<const named_tensor> parameters) {
  save_tensors(path, parameters);
}

void detail::load_parameters(const std::string& path, std::span<const named_tensor> parameters) {
  const std::vector<named_tensor> found = load_tensors(path);
  copy_named(check_same_names(beginning("load_parameters", path), found, parameters), parameters);
}

void detail::save_checkpoint(const std::string& path, std::span<const named_tensor> parameters, const optimizer& o,
                             const loss_scaler* scaler, std::span<const generator> generators) {
  std::vector<named_tensor> saved;
  append(saved, of_model, parameters);
  append(saved, of_optimizer, o.state());
  if (scaler != nullptr) append(saved, of_scaler, scaler->state());
  append(saved, of_generator, states_of(generators));
  save_tensors(path, saved);
}

void detail::load_checkpoint(const std::string& path, std::span<const named_tensor> parameters, optimizer& o,
                             loss_scaler* scaler, std::span<const generator> generators) {
  std::vector<named_tensor> rest = load_tensors(path);
  const std::vector<named_tensor> model = take_part(rest, of_model), state = take_part(rest, of_optimizer),
                                  states = take_part(rest, of_generator), factors = take_part(rest, of_scaler);
  const std::string who = beginning("load_checkpoint", path);
  if (!rest.empty()) throw error(who + "found " + in_quotes(rest[0].name) + ", which no checkpoint has");
  const name_index model_by_name = check_same_names(who + "of the model, ", model, parameters),
                   state_by_name = check_same_names(who + "of generators, ", states, states_of(generators));
  if (scaler == nullptr && !factors.empty())
    throw error(who + "found the state of a loss scaler, wanted a loss_scaler to restore it to");
  if (scaler != nullptr) check_same_names(who + "of the loss scaler, ", factors, scaler->state());
  o.load_state(state);
  if (scaler != nullptr) scaler->load_state(factors);
  copy_named(model_by_name, parameters);
  for (std::size_t i = 0; i < generators.size(); ++i) {
    restore(generators[i], *state_by_name.at(std::to_string(i)));
  }
}

}  // namespace topbit
