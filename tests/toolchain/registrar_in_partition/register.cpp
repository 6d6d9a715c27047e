// Like a registry's code: needed by the partition, so it is in the program.
import fact.registry;

extern "C++" void register_partition() noexcept { ++registered.partition; }
