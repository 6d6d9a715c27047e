module topbit.cli;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import topbit.graphs;
import topbit.training;
import :call_command;
import :graph_commands;

namespace topbit::cli {

namespace {

using graphs::graph;

enum class form : std::uint8_t { text, json, elements, none };

form form_of(const std::string& content) {
  if (content.starts_with("topbit graph ")) return form::text;
  if (content.starts_with("{\"topbit_graph\"")) return form::json;
  // The format of tensors: eight bytes, then an object.
  if (content.size() > 8 && content[8] == '{' && content.find("topbit.graph") != std::string::npos)
    return form::elements;
  return form::none;
}

graph read_graph(std::string_view command, const std::string& path) {
  const std::string content = content_of(command, path);
  switch (form_of(content)) {
    case form::text: return graphs::parse_graph(content);
    case form::json: return graphs::graph_from_json(content);
    case form::elements: return graphs::load_graph(path);
    case form::none: break;
  }
  throw bad_request(std::string(command) + ": found no graph in '" + path +
                    "', wanted what 'topbit record', 'topbit graph' or graphs::save_graph() writes");
}

// To a file with elements, or else as text.
answer put(const request& r, const graph& g) {
  if (const std::string path = r.value("--to"); !path.empty()) {
    graphs::save_graph(path, g);
    return {};
  }
  if (const std::string path = r.value("--svg"); !path.empty()) {
    write_file("graph", path, graphs::as_svg(g));
    return {};
  }
  if (r.has("--dot")) return {graphs::as_dot(g)};
  if (r.has("--json")) return {graphs::to_json(g) + "\n"};
  return {to_string(g)};
}

graphs::pass_result passed(const std::string& name, const graph& g) {
  if (name == "dead") return graphs::remove_dead_code(g);
  if (name == "common") return graphs::merge_common_calls(g);
  if (name == "functional") return graphs::functionalize(g);
  throw bad_request("graph: found the pass '" + name + "', wanted dead, common or functional");
}

}  // namespace

answer run_record(const request& r) {
  const operator_handle op = find(r.words.front());
  const author::schema_view* const schema = op.parsed_schema();
  if (schema == nullptr)
    throw bad_request("record: " + r.words.front() + " has no schema, wanted an operator with one");
  boxed_stack stack;
  author::push_arguments(stack, op, std::vector<std::string_view>(r.words.begin() + 1, r.words.end()));
  graphs::recorder_options options;
  for (std::size_t i = 0; i < schema->arguments.size(); ++i) {
    std::size_t n = 0;
    author::each_tensor(stack[i], [&](const tensor& t) {
      const std::string name(schema->arguments[i].name);
      if (t.defined()) options.inputs.push_back({n == 0 ? name : name + "." + std::to_string(n), t});
      ++n;
    });
  }
  graphs::recorder recording(std::move(options));
  op.call_boxed(stack);
  std::vector<named_tensor> outputs;
  for (const value& v : std::as_const(stack).top(stack.size())) {
    author::each_tensor(v, [&](const tensor& t) {
      if (t.defined()) outputs.push_back({"result " + std::to_string(outputs.size()), t});
    });
  }
  return put(r, recording.finish(std::move(outputs)));
}

answer run_graph(const request& r) {
  graph g = read_graph("graph", r.words.front());
  if (r.has("--and") != r.has("--size")) throw bad_request("graph: found one of --and and --size, wanted both");
  if (r.has("--and")) {
    graphs::free_size program(std::move(g), read_graph("graph", r.value("--and")));
    g = program.at(author::read_text<std::int64_t>(r.value("--size")));
  }
  std::string notes;
  for (const std::string& name : r.values("--pass")) {
    graphs::pass_result result = passed(name, g);
    notes += to_string(result.notes, g);
    g = std::move(result.graph);
  }
  if (r.has("--notes")) return {notes};
  if (r.has("--memory")) return {std::to_string(graphs::peak_bytes(g)) + " bytes\n"};
  return put(r, g);
}

namespace {

// The inputs of a graph from words NAME=TENSOR, on the device where they are wanted.
std::vector<tensor> inputs_of(const graph& g, const request& r, device where) {
  std::map<std::string, tensor> given;
  for (std::size_t i = 1; i < r.words.size(); ++i) {
    const std::string& word = r.words[i];
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      throw bad_request(std::string(r.what->name) + ": found '" + word + "', wanted NAME=TENSOR");
    }
    given.insert_or_assign(word.substr(0, equals),
                           author::read_text<tensor>(std::string_view(word).substr(equals + 1)));
  }
  std::vector<tensor> inputs;
  for (const graphs::named_value& input : g.inputs()) {
    const auto found = given.find(input.name);
    if (found != given.end()) {
      inputs.push_back(to(found->second, where));
      given.erase(found);
    } else if (where.type == backend::Meta) {
      inputs.push_back(author::make_tensor(shape(g.sizes(input.tensor)), g.tensors()[input.tensor].type, where));
    } else {
      throw bad_request(std::string(r.what->name) + ": found no input '" + input.name + "', wanted " + input.name +
                        "=TENSOR, " + g.describe(input.tensor));
    }
  }
  if (!given.empty()) {
    throw bad_request(std::string(r.what->name) + ": found '" + given.begin()->first +
                      "=', which is no input of the graph");
  }
  return inputs;
}

}  // namespace

answer run_replay(const request& r) {
  const graph g = read_graph("replay", r.words.front());
  graphs::replay_options options;
  if (r.has("--stay")) options.missing = graphs::missing::stay;
  if (const std::string on = r.value("--on"); !on.empty()) options.map.emplace_back(cpu, parse_device(on));
  std::string text;
  if (r.has("--coverage")) {
    for (const graphs::uncovered& u : graphs::coverage(g, options.map)) {
      text += "node " + std::to_string(u.node) + ", " + std::string(g.nodes()[u.node].op.name()) + ", on " +
              to_string(u.where) + "\n";
    }
    return {text, text.empty() ? status::answered : status::negative};
  }
  const std::vector<tensor> outputs =
      graphs::replay(g, inputs_of(g, r, options.map.empty() ? cpu : options.map[0].second), options);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    text += g.outputs()[i].name + " = " + to_string(value(outputs[i])) + "\n";
  }
  return {text};
}

answer run_shadow(const request& r) {
  const graph g = read_graph("shadow", r.words.front());
  if (!r.has("--on")) throw bad_request("shadow: found no --on, wanted the second device, --on cuda:0");
  graphs::shadow_options options{.map = {{cpu, parse_device(r.value("--on"))}}};
  if (r.has("--chained")) options.how = graphs::shadowing::chained;
  std::string text;
  for (const graphs::shadow_finding& f : graphs::shadow(g, inputs_of(g, r, cpu), options)) text += to_string(f);
  return {text, text.empty() ? status::answered : status::negative};
}

std::optional<answer> compare_graph_files(const request& r) {
  if (form_of(content_of("diff", r.words[0])) == form::none) return std::nullopt;
  const std::optional<graphs::difference> found =
      graphs::compare_graphs(read_graph("diff", r.words[0]), read_graph("diff", r.words[1]));
  if (!found) return answer{};
  return answer{to_string(*found) + "\n", status::negative};
}

}  // namespace topbit::cli
