export module fact.ops;
import fact.schema;
import fact.tensor;

export inline constexpr op<"Tensor"> read;
export constexpr tensor make(int value) { return {value}; }
