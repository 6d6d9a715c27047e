// topbit.core: the dispatcher. It knows no tensor; whatever has keys_of(x) takes part.
export module topbit.core;

import topbit.std;

// A partition is named by its folder and file, and imports only what stands before it here. What is not exported is
// known in this module alone.
export import :version;

// Keys and key sets.
export import :keys.key;
export import :keys.key_set;
export import :keys.key_name;
export import :keys.slot_relations;

// Text: what is fixed at compile time, what is printed, errors.
export import :text.text;
export import :text.printing;
export import :text.error;
export import :text.characters;
export import :text.text_sink;
export import :text.decimal;
export import :text.nearest;

// Schemas, and the C++ signatures they stand for.
export import :schema.literal;
export import :schema.schema_parser;
export import :schema.schema;
export import :schema.tag;
export import :schema.signature;
export import :schema.schema_print;
export import :schema.signature_types;
export import :schema.extract;
export import :schema.mismatch;
export import :schema.default_value;

// Boxed values and stacks, and their text form.
export import :boxing.boxed_type;
export import :boxing.text_reader;
export import :boxing.text_form;
export import :boxing.boxed_form;
export import :boxing.value;
export import :boxing.slot;
export import :boxing.unboxed;
export import :boxing.stack;
export import :boxing.object;
export import :boxing.boxable;
export import :boxing.keyed_arguments;

// Kernels, tables, thread state and the two ways of a call.
export import :dispatch.guard;
export import :dispatch.layer_state;
export import :dispatch.kernel;
export import :dispatch.precedence;
export import :dispatch.tracer;
export import :dispatch.handle;
export import :dispatch.boxing;
export import :dispatch.function_type;
export import :dispatch.rule_kind;
export import :dispatch.concepts;
export import :dispatch.functor;
export import :dispatch.operator_info;

// What is registered, and what forks hold.
export import :registry.fork_lock;
export import :registry.listener;
export import :registry.override_policy;
export import :registry.text_signature;
export import :registry.registry;

// Typed operators, their calls and overload sets, and libraries that register them.
export import :operators.call;
export import :operators.call_mistake;
export import :operators.braced_arguments;
export import :operators.overload;
export import :operators.text_call;
export import :operators.signature_code;
export import :operators.op;
export import :operators.pointer_kernel;
export import :operators.kernel_row;
export import :operators.signature_kernel;
export import :operators.library;
export import :operators.overloads;

// Kernel sets: dispatch at compile time.
export import :static_dispatch.direct_call;
export import :static_dispatch.set_index;
export import :static_dispatch.kernel_set;
export import :static_dispatch.set_algebra;
export import :static_dispatch.set_coverage;
export import :static_dispatch.static_layers;
export import :static_dispatch.callable;
export import :static_dispatch.installation;

// Answers about what is registered, as data, text and JSON.
export import :inspect.operator_page;
export import :inspect.inspect;
export import :inspect.kernel_remark;
export import :inspect.computed_table;
export import :inspect.explain;
export import :inspect.why_not;
export import :inspect.coverage;
export import :inspect.what_if;
export import :inspect.key_overview;
export import :inspect.json;

// Observers of calls, counted calls, and traces.
export import :observe.event;
export import :observe.observer;
export import :observe.call_counts;
export import :trace.trace;

// Shared objects.
export import :plugin.plugin;

// Where an answer is the argument, `to_string(answer)` and `out << answer` find these without a namespace.
export namespace topbit::inspect {
using topbit::name_of;
using topbit::operator<<;
using topbit::to_string;
}  // namespace topbit::inspect
export namespace topbit::observe {
using topbit::name_of;
}
export namespace topbit::author {
using topbit::operator<<;
using topbit::to_string;
}  // namespace topbit::author

// What the compiler looks for where results of an operator are taken apart: `auto [values, indices] = max(x, 1)` needs
// no header.
export namespace std {
using std::get;
using std::tuple_element;
using std::tuple_size;
}  // namespace std
