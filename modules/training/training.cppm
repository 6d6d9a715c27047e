// topbit.training: what training takes beside operators and gradients. Written with what a user has: tensors,
// operators, gradients; no kernel and no key is known here.
export module topbit.training;

// Tier 1: parameters with names, and files of them.
export import :named_tensor;
export import :parameters;
export import :safetensors;
// Tier 2: layers.
import :initial;
export import :linear;
export import :conv2d;
export import :layer_norm;
export import :embedding;
export import :dropout;
export import :sequential;
// Tier 3: steps.
export import :clipping;
export import :schedule;
export import :optimizer;
export import :sgd;
export import :adam;
// Tier 4: all of it, kept in a file.
export import :checkpoint;
