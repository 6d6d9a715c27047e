// topbit.core: the dispatcher. It knows no tensor; whatever has keys_of(x) takes part.
export module topbit.core;

import topbit.std;

// Tier 1: values, no dispatch.
export import :version;
export import :key;
export import :key_set;
export import :key_name;
export import :row_set;
export import :text;
export import :printing;
export import :error;

// Tier 2: signatures.
export import :characters;
export import :text_sink;
export import :decimal;
export import :literal;
export import :schema_parser;
export import :schema;
export import :signature;
export import :schema_print;
export import :signature_types;
export import :extract;

// Tier 3: boxed form.
export import :boxed_type;
export import :text_reader;
export import :text_form;
export import :boxed_form;
export import :value;
export import :slot;
export import :unboxed;
export import :stack;
export import :object;

// Tier 4: dispatch.
export import :guard;
export import :kernel;
export import :table;
export import :tracer;
export import :handle;
export import :listener;
export import :override_policy;
export import :boxing;
export import :boxable;
export import :keyed_arguments;
export import :function_type;
export import :mismatch;
export import :rule_kind;
export import :concepts;
export import :functor;
export import :default_value;
export import :call;
import :nearest;
export import :call_mistake;
export import :braces;
export import :overload;
export import :operator_info;
export import :text_signature;
export import :registry;
export import :op;
export import :pointer_kernel;
export import :kernel_row;
export import :library;
export import :direct_call;
export import :set_index;
export import :kernel_set;
export import :set_algebra;
export import :set_coverage;
export import :static_layers;
export import :callable;
export import :installation;
export import :operator_page;
export import :plugin;
export import :text_call;

// Tier 5: answers about what is registered.
export import :inspect;
export import :computed_table;
export import :explain;
export import :overloads;
export import :why_not;
export import :coverage;
export import :what_if;
export import :key_overview;
export import :json;
export import :trace;

// Behind the registry's lock: not exported, seen by this module's own source files.
import :strings;
import :entry;
import :name_table;
import :registry_state;
import :recording;
import :fork;
import :image_marks;
import :snapshot;
import :trace_session;
import :wording;

// Where an answer is the argument, `to_string(answer)` and `out << answer` find these without a namespace.
export namespace topbit::inspect {
using topbit::name_of;
using topbit::operator<<;
using topbit::to_string;
}  // namespace topbit::inspect
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
