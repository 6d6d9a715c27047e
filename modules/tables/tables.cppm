// topbit.tables: operators from a list in YAML, which the compiler reads, or the program when it runs.
export module topbit.tables;

export import :position;
export import :cursor;
export import :reader;
export import :words;
export import :entry;
export import :check;
export import :table;
export import :forms;
export import :functions;
export import :library;
export import :load;
export import :compare;
export import :generate;
