// An object as no per-architecture object may be: the CTest kernels.nm.catches proves that the check sees it.

inline int shared_by_all_architectures(int x) { return x + 1; }

int (*keep)(int) = shared_by_all_architectures;
