// topbit.autocast: runs operators in bfloat16 or float16 where that is safe, and in float32 where it is not.
export module topbit.autocast;

export import :policy;
export import :scope;
export import :cast;
export import :apply;
export import :layer;
export import :tables;
