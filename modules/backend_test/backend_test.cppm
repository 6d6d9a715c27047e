// topbit.backend_test: whether a device computes what the CPU computes, from its memory to training, level by level.
//
//   int main(int count, char** words) { return topbit::backend_test::run("chip", count, words); }
export module topbit.backend_test;

export import :report;
