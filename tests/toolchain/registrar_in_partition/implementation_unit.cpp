module fact.registry;

static const int registrar_here = ++registered.implementation_unit;
