// topbit.graphs: programs recorded, as data: printed, saved, replayed elsewhere, compared, made smaller.
export module topbit.graphs;

export import :graph;
export import :builder;
export import :recorder;
export import :replay;
export import :passes;
export import :shadow;
export import :document;
export import :text;
export import :file;
export import :draw;
export import :compare;
export import :free_size;
