import fact.core;

static const int registrar = ++registered();

extern "C" const int* use() { return &registrar; }
