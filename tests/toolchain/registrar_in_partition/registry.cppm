// A registrar in an interface partition which the primary unit imports runs in every program that imports the
// module: also out of a static archive under --gc-sections, and before the importer's own statics. One in an
// implementation unit or in a plain .cpp of the same archive is dropped without a word (the control: were it kept
// one day, the rule about where users may register could be relaxed).
export module fact.registry;
import :rows;

export struct counts {
  int partition, implementation_unit, plain_unit;
};
export extern "C++" constinit counts registered{};
