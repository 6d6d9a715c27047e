// topbit.autograd: reverse-mode gradients, written with what any layer has: a key, guards, redispatch.
//
// It imports the tensor and reaches operators by typed handles that bind by name. The rules stand beside the operators.
export module topbit.autograd;

// Tier 1: the graph.
export import :mode;
export import :node;
export import :variable;
export import :view;
export import :saved;
export import :hook;
export import :anomaly;

// Tier 2: recording and running.
export import :rule;
export import :record;
export import :derivative;
export import :writes;
export import :engine;
import :frontier;

// Tier 3: for users.
export import :function;
export import :check;
export import :graph;

// What runs for an operator without a rule; registered when this module is loaded.
export import :unimplemented;

// Who has a rule, and who has not.
export import :declaration;
