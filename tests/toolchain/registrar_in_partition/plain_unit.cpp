import fact.registry;

static const int registrar_here = ++registered.plain_unit;
