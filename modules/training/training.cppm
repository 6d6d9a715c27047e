// topbit.training: modules, optimizers, schedules and checkpoints. Uses the public interface of tensors, operators and
// gradients only; no kernel and no key.
export module topbit.training;

// Tier 1: parameters with names, and files of them.
export import :named_tensor;
export import :parameters;
export import :safetensors_header;
export import :safetensors;
// Tier 2: modules.
export import :linear;
export import :conv2d;
export import :layer_norm;
export import :embedding;
export import :dropout;
export import :sequential;
// Tier 3: optimizers.
export import :clipping;
export import :schedule;
export import :optimizer;
export import :sgd;
export import :adagrad;
export import :adam;
export import :loss_scaler;
// Tier 4: checkpoints.
export import :checkpoint;
