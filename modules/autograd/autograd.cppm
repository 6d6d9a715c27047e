// topbit.autograd: reverse-mode gradients, written with what any layer has: a key, guards, redispatch.
//
// It imports the tensor and reaches operators by typed handles that bind by name. The rules stand beside the operators.
export module topbit.autograd;

// Tier 1: the graph.
export import :mode;
export import :node;
export import :variable;

// Tier 2: recording and running.
export import :rule;
export import :engine;

// What runs for an operator without a rule; registered when this module is loaded.
import :unimplemented;
