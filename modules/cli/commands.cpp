// The names, arguments, options and descriptions of all commands.
module topbit.cli;

import topbit.std;
import topbit.core;
import :call_command;
import :check_command;
import :completions;
import :coverage_command;
import :diff_command;
import :dispatch_commands;
import :doc_command;
import :gradients_command;
import :graph_commands;
import :list_commands;
import :manual;
import :profile_command;
import :table_commands;
import :what_if_command;

namespace topbit::cli {

namespace {

constexpr option as_json{"--json", "", "the answer as JSON, for programs"};
constexpr argument operator_name{"OP", "an operator, ns::name.overload", word_kind::op};
constexpr argument pattern{"PATTERN", "operators: a part of the name, or the whole of it with * and ?", word_kind::op,
                           0, 1};

constexpr option common[] = {
    {"--load", "FILE", "load this plugin before the command works; may be repeated", word_kind::file, true},
    {"--color", "WHEN", "colours: auto (on a terminal, unless NO_COLOR is set), always or never", word_kind::color},
    {"--help", "", "what the program or the command does"},
    {"--version", "", "the version of topbit"},
};

constexpr argument ops_arguments[] = {pattern};
constexpr option ops_options[] = {{"--names", "", "the names alone"}, as_json};
constexpr std::string_view ops_text[] = {
    "One line for each operator that is defined: its name and its schema. Ends with 1 where none matches.",
};
constexpr example ops_examples[] = {{"ops 'aten::*_'", "operators of aten that write to an argument"}};

constexpr argument doc_arguments[] = {pattern};
constexpr option doc_options[] = {{"--markdown", "", "one document with headings and a list of contents"}, as_json};
constexpr std::string_view doc_text[] = {
    "What operators do: shapes, dtypes, keys, memory, cost, errors, an example, and all forms with the variables that "
    "C++ calls them by. An operator with overloads may have a page for each. Ends with 1 where no page matches.",
};
constexpr example doc_examples[] = {{"doc 'aten::softmax*'", "what softmax takes, gives and throws"}};

constexpr argument table_arguments[] = {operator_name};
constexpr option json_alone[] = {as_json};
constexpr std::string_view table_text[] = {
    "First what is registered, with places and what overrides what; then what each slot of the operator's table holds "
    "and why. "
    "Rows without a kernel are left out; neighbouring backends that hold the same share a line.",
};
constexpr example table_examples[] = {{"table aten::add.Tensor", "which kernels add has"}};

constexpr argument dump_arguments[] = {pattern};
constexpr std::string_view dump_text[] = {
    "Everything that is registered: operators, fallbacks, namespaces, layers and names of backends; of the operators "
    "alone "
    "where a pattern is given. It names no addresses, so two dumps can be compared with diff.",
};
constexpr example dump_examples[] = {{"dump --json > before.json", "keep what is registered now"}};

constexpr argument explain_arguments[] = {
    operator_name,
    {"KEYS", "what one argument of the call brings: CPU, or AutogradCPU,CPU, or - for nothing", word_kind::key, 0, 0},
};
constexpr option explain_options[] = {
    {"--include", "KEYS", "keys that the thread adds to the call", word_kind::key, true},
    {"--exclude", "KEYS", "keys that the thread hides from the call", word_kind::key, true},
    {"--place", "KEYS", "what a device argument stands for, where the operator is placed by one", word_kind::key, true},
    {"--why-not", "KEY", "why the kernel for this key, or alias, is not the one that runs", word_kind::key},
    as_json,
};
constexpr std::string_view explain_text[] = {
    "Which kernel a call takes whose arguments bring these keys, each candidate with the reason why it was taken or "
    "passed "
    "over. Nothing is run. Arguments that are left out bring nothing.",
    "Ends with 1 where the call would find no kernel; with --why-not, where that kernel is not the one that runs.",
};
constexpr example explain_examples[] = {
    {"explain aten::relu CPU,AutogradCPU", "where a call with a tensor on the CPU goes"},
    {"explain aten::relu CPU --why-not CUDA", "why it does not run the kernel for CUDA"},
};

constexpr argument call_arguments[] = {
    operator_name,
    {"ARG", "one argument as text: 3, [1, 2], \"a string\", or by name, alpha=2; what is left out has its default",
     word_kind::text, 0, 0},
};
constexpr option call_options[] = {
    {"--include", "KEYS", "keys that the thread adds to the call", word_kind::key, true},
    {"--exclude", "KEYS", "keys that the thread hides from the call", word_kind::key, true},
    as_json,
};
constexpr std::string_view call_words[] = {
    "Calls the operator and prints its results, one in each line. A word such as -inf, which begins like an option, "
    "goes "
    "after --.",
};
constexpr example call_examples[] = {{"call aten::add.Tensor '[1, 2]' '[10, 20]' alpha=2", "add, as a caller would"}};

constexpr argument check_arguments[] = {
    {"OP", "an operator, or a pattern with * and ?: operators that are called as their pages show", word_kind::op, 0,
     1},
    {"ARG", "of an operator, as for call", word_kind::text, 0, 0},
};
constexpr option check_options[] = {
    {"--all", "", "every operator, as its page shows"},
    {"--except", "FILE",
     "known findings, a line 'RULE OPERATOR | REASON' for each; one that nothing is found for counts as a finding",
     word_kind::file},
    {"--include", "KEYS", "keys that the thread adds to the call", word_kind::key, true},
    {"--exclude", "KEYS", "keys that the thread hides from the call", word_kind::key, true},
    as_json,
};
constexpr std::string_view check_words[] = {
    "Calls the operator and compares what its kernels do with what its schema says: writes, shared memory, results of "
    "the Meta kernel, and results of the same call made again. Kernels of other operators that it calls are checked "
    "too.",
    "Operators that were not called are listed with the reason. Ends with 1 where a kernel breaks a rule, or where "
    "nothing could be called.",
};
constexpr example check_examples[] = {
    {"check aten::add.Tensor '[1, 2]' '[10, 20]' alpha=2", "the kernels of add"},
    {"--load plugin.so check 'mine::*'", "the operators of a plugin that has pages"},
};

constexpr argument what_if_arguments[] = {
    {"CHANGE", "KEY, kernel:KEY, fallthrough:KEY, fallback:KEY, remove:KEY or remove-fallback:KEY; KEY may be an alias",
     word_kind::change, 0, 0},
};
constexpr option what_if_options[] = {
    {"--op", "OP", "start from what is registered for this operator, and show what changes", word_kind::op},
    as_json,
};
constexpr std::string_view what_if_text[] = {
    "The table that an operator would have with these registrations, made one after the other: a kernel for a key, a "
    "fallthrough, a backend's fallback, or one less. Nothing is registered. Without --op the operator starts with "
    "nothing, "
    "which is a way to learn the rules.",
};
constexpr example what_if_examples[] = {
    {"what-if CPU CompositeImplicitAutograd", "how a composite kernel lives beside one for the CPU"},
    {"what-if --op aten::relu remove:Autograd", "what relu would do without its gradient"},
};

constexpr argument coverage_arguments[] = {pattern};
constexpr option coverage_options[] = {
    {"--keys", "KEYS", "the columns; without it, every key with a kernel or a fallback of its own", word_kind::key,
     true},
    {"--html", "FILE", "write one page that needs nothing else, to search and look into; - writes it to the output",
     word_kind::file},
    {"--require", "", "end with 1 where a kernel is missing or ambiguous"},
    as_json,
};
constexpr std::string_view coverage_text[] = {
    "Operators by keys, in one word each: kernel, the kind of composite or fallback that serves the key, passes where "
    "calls "
    "go on to the next key, and - where a call would find no kernel. Then the kernels that no call reaches, and why.",
    "Columns that a line has no room for go on below. It is as long as COLUMNS says (0: any length), else as the "
    "terminal "
    "is wide, else 100 characters. Ends with 1 where no operator matches.",
};
constexpr example coverage_examples[] = {
    {"coverage 'aten::*' --keys CPU,CUDA,Meta --require", "is every operator there on three backends?"},
    {"coverage --html coverage.html", "the same to look into"},
};

constexpr argument gradients_arguments[] = {pattern};
constexpr option gradients_options[] = {
    {"--missing", "", "only operators with which a gradient can be lost"},
    {"--require", "", "end with 1 where there is one"},
    {"--names", "", "the names alone"},
    as_json,
};
constexpr std::string_view gradients_text[] = {
    "What each operator declares of its gradient: rule, a kernel at Autograd, which may also refuse where the "
    "operator writes; none, a fallthrough there; composite, a kernel written with other operators; needless where no "
    "argument is a tensor; or missing. Then what it does to memory that others see, and whether that is counted and "
    "tracked; where that was registered, or the kernel that lacks a rule; and, in sentences, how a gradient can be "
    "lost.",
    "Ends with 1 where no operator matches.",
};
constexpr example gradients_examples[] = {
    {"gradients 'aten::mul*'", "which forms of mul have a gradient"},
    {"gradients --missing --names", "operators whose gradient somebody should write"},
};

constexpr option keys_options[] = {{"--names", "", "the names alone"}, as_json};
constexpr std::string_view keys_text[] = {
    "All keys in the order in which a call looks at them, the backends, and what each alias stands for.",
};

constexpr argument diff_arguments[] = {
    {"A", "a file that dump, table or coverage wrote with --json, or one with a graph", word_kind::file},
    {"B", "another one of the same kind", word_kind::file},
};
constexpr option diff_options[] = {{"--places", "", "files and lines count too"}, as_json};
constexpr std::string_view diff_text[] = {
    "What B has less (-) and more (+) than A: operators, and for those in both what is registered or held by their "
    "slots. "
    "Of graphs, the first call that differs.",
    "Ends with 0 where both say the same, with 1 where they differ.",
};
constexpr example diff_examples[] = {{"diff before.json after.json", "what a change did to what is registered"}};

constexpr argument profile_arguments[] = {
    {"FILE", "a trace: of a profile, of TOPBIT_TRACE=json:FILE, or of PyTorch's profiler", word_kind::file},
};
constexpr option profile_options[] = {
    {"--sort", "COLUMN", "name, self (otherwise), total, mean or calls"},
    {"--rows", "N", "the first N alone"},
    {"--csv", "", "the answer as CSV"},
    as_json,
};
constexpr std::string_view profile_text[] = {
    "The table of a trace file: how often operators, ranges and nodes of backward passes ran, and what they took with "
    "and without what ran inside. A file whose name ends with .gz is taken for a compressed one. Ends with 1 where "
    "nothing ran.",
};
constexpr example profile_examples[] = {{"profile step.json.gz --rows 10", "where the time of a step goes"}};

constexpr argument table_file[] = {{"FILE", "an operator table in YAML", word_kind::file}};
constexpr option generate_options[] = {
    {"--namespace", "NAME", "of the operators; otherwise the file's name up to the dot"},
    {"--module", "NAME", "the module that is made; otherwise the same"},
    {"--import", "NAME", "a module that maps the types of the schemas; otherwise topbit.tensor where tensors are taken",
     word_kind::text, true},
    {"--to", "FILE", "write a file instead", word_kind::file},
};
constexpr std::string_view generate_text[] = {
    "Prints a module interface with the operators of a table and declarations of the functions that it names. It "
    "includes FILE.h, which has the table's text as a constant: topbit_operators() of the CMake package makes both. "
    "When the table changes, an older interface does not compile.",
};
constexpr example generate_examples[] = {
    {"generate ops.yaml --namespace demo --to ops.cppm", "declare what ops.yaml lists"}};

constexpr argument list_file[] = {{"FILE", "a list of operators, such as native_functions.yaml", word_kind::file}};
constexpr option difference_options[] = {
    {"--namespace", "NAME", "of operators whose schemas name none; otherwise aten"},
    {"--brief", "", "operators that are missing are counted, not listed"},
    as_json,
};
constexpr std::string_view difference_text[] = {
    "Compares the schemas of a list in the form of PyTorch's native_functions.yaml with the operators that are "
    "defined: "
    "counts, then what differs, what is refused and why, and what is missing. SymInt and int are the same.",
    "Ends with 0 where all are the same, with 1 otherwise.",
};
constexpr example difference_examples[] = {
    {"difference native_functions.yaml --brief", "which schemas are not PyTorch's"}};

constexpr argument graph_file{"FILE", "a graph: what record, graph or graphs::save_graph() writes", word_kind::file};
constexpr option to_file{"--to", "FILE", "write a file with the elements of what it reads besides its inputs",
                         word_kind::file};
constexpr option as_dot{"--dot", "", "the graph in the language of Graphviz"};
constexpr option as_svg{"--svg", "FILE", "write a picture", word_kind::file};

constexpr option record_options[] = {to_file, as_dot, as_svg, as_json};
constexpr std::string_view record_text[] = {
    "Calls the operator, as call does, and prints what was called: a graph, whose inputs are the tensors among the "
    "arguments.",
};
constexpr example record_examples[] = {
    {"record aten::linear '[[1.0, 2]]' '[[3.0, 4]]' --to linear.safetensors", "keep it, for replay"}};

constexpr argument replay_arguments[] = {
    graph_file, {"NAME=TENSOR", "an input, as text; on meta they can be left out", word_kind::text, 0, 0}};
constexpr option replay_options[] = {
    {"--on", "DEVICE", "where tensors of the CPU are instead: meta, cuda:0"},
    {"--stay", "", "operators without a kernel there run on the CPU"},
    {"--coverage", "", "list these instead, and end with 1 if there are any"},
};
constexpr std::string_view replay_text[] = {
    "Makes the calls of a graph again, and prints its outputs. Ends with 2 where an element that the recorded program "
    "read is another one now.",
};
constexpr example replay_examples[] = {
    {"replay linear.safetensors 'input=[[5.0, 6]]' 'weight=[[3.0, 4]]'", "with another input"},
    {"replay linear.safetensors --on meta", "the sizes of its results"},
};

constexpr argument shadow_arguments[] = {graph_file, {"NAME=TENSOR", "an input, as text", word_kind::text, 0, 0}};
constexpr option shadow_options[] = {
    {"--on", "DEVICE", "the second device: cuda:0"},
    {"--chained", "", "the second device goes on with its own results, so that differences add up"},
};
constexpr std::string_view shadow_text[] = {
    "Makes each call of a graph on the CPU and on another device, with the same arguments, and prints the calls whose "
    "results differ: how many elements, by how much, where the kernels are from. Ends with 1 where any does.",
};
constexpr example shadow_examples[] = {{"shadow step.safetensors x='[[1.0, 2]]' --on cuda:0", "does the GPU agree?"}};

constexpr argument graph_arguments[] = {graph_file};
constexpr option graph_options[] = {
    {"--pass", "NAME",
     "dead (removes what nothing reads), common (makes one of equal calls), functional (removes "
     "writes and views); one after the other",
     word_kind::text, true},
    {"--notes", "", "print what the passes did"},
    {"--and", "FILE", "another recording, with an input of another size; with --size", word_kind::file},
    {"--size", "N", "of two recordings: the graph for an input of that size", word_kind::text},
    {"--memory", "", "print the most bytes that are needed at once"},
    to_file,
    as_dot,
    as_svg,
    as_json,
};
constexpr std::string_view graph_text[] = {
    "Prints a graph: what a program called, where its tensors come from, and what each call wrote.",
};
constexpr example graph_examples[] = {
    {"graph step.safetensors --pass common --pass dead --notes", "what could go"},
    {"graph step.safetensors --svg step.svg", "a picture of it"},
    {"graph of_2.safetensors --and of_3.safetensors --size 64 --to of_64.safetensors", "for 64 rows"},
};

constexpr argument completions_arguments[] = {{"SHELL", "bash, zsh or fish", word_kind::shell}};
constexpr std::string_view completions_text[] = {
    "A script that makes the shell complete commands, options, operators and keys. Packages install it; by hand, "
    "source it.",
};
constexpr example completions_examples[] = {
    {"completions bash > ~/.local/share/bash-completion/completions/topbit", "for bash"}};

constexpr std::string_view man_text[] = {"This manual as a page for man."};
constexpr example man_examples[] = {{"man | man -l -", "read it"}};

constexpr command all[] = {
    {"ops", "list operators and their schemas", ops_text, ops_arguments, ops_options, ops_examples, run_ops},
    {"doc", "what operators do", doc_text, doc_arguments, doc_options, doc_examples, run_doc},
    {"table", "what is registered for an operator, and what each slot holds", table_text, table_arguments, json_alone,
     table_examples, run_table},
    {"dump", "everything that is registered", dump_text, dump_arguments, json_alone, dump_examples, run_dump},
    {"explain", "which kernel a call takes, and why", explain_text, explain_arguments, explain_options,
     explain_examples, run_explain},
    {"call", "call an operator with arguments as text", call_words, call_arguments, call_options, call_examples,
     run_call},
    {"check", "whether the kernels of a call do what their schemas say", check_words, check_arguments, check_options,
     check_examples, run_check},
    {"what-if", "the table that other registrations would give", what_if_text, what_if_arguments, what_if_options,
     what_if_examples, run_what_if},
    {"coverage", "operators by keys, and kernels out of reach", coverage_text, coverage_arguments, coverage_options,
     coverage_examples, run_coverage},
    {"gradients", "which operators have a gradient, and which lack one", gradients_text, gradients_arguments,
     gradients_options, gradients_examples, run_gradients},
    {"keys", "all keys in their order, backends and aliases", keys_text, {}, keys_options, {}, run_keys},
    {"diff", "what two files of answers differ in", diff_text, diff_arguments, diff_options, diff_examples, run_diff},
    {"profile", "the table of a trace file", profile_text, profile_arguments, profile_options, profile_examples,
     run_profile},
    {"generate", "declarations in C++ for an operator table", generate_text, table_file, generate_options,
     generate_examples, run_generate},
    {"difference", "what a list of operators has that is not here", difference_text, list_file, difference_options,
     difference_examples, run_difference},
    {"record", "what a call calls, as a graph", record_text, call_arguments, record_options, record_examples,
     run_record},
    {"graph", "print a graph, or make it smaller", graph_text, graph_arguments, graph_options, graph_examples,
     run_graph},
    {"replay", "make the calls of a graph again", replay_text, replay_arguments, replay_options, replay_examples,
     run_replay},
    {"shadow", "which call of a graph differs on another device", shadow_text, shadow_arguments, shadow_options,
     shadow_examples, run_shadow},
    {"completions",
     "a script for a shell",
     completions_text,
     completions_arguments,
     {},
     completions_examples,
     run_completions},
    {"man", "the manual page", man_text, {}, {}, man_examples, run_man},
};

}  // namespace

std::span<const command> commands() noexcept { return all; }
std::span<const option> common_options() noexcept { return common; }

std::string usage_of(const command& c) {
  std::string text = "topbit " + std::string(c.name);
  for (const argument& a : c.arguments) {
    const std::string name = std::string(a.name) + (a.most == 0 ? "..." : "");
    text += a.least == 0 ? " [" + name + "]" : " " + name;
  }
  return text;
}

}  // namespace topbit::cli
