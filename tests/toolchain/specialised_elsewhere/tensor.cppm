export module fact.tensor;
import fact.schema;

export struct tensor {
  int value;
};
template <>
struct schema_type<"Tensor"> {
  using type = tensor;
};
