export module fact.registry:rows;

extern "C++" void register_partition() noexcept;

const int registrar = (register_partition(), 0);
