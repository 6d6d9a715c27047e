// The sizes at which an operator is measured: those of a list, by their labels, and any number drawn at random. Knows
// no library.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace bench::operators {

// The numbers that the sizes of a cell's tensors are made from; what each means is the shape_kind's.
using shape = std::vector<std::int64_t>;

struct shape_kind {
  shape (*of)(const std::string& label);
  shape (*draw)(std::mt19937_64& random);
};

struct shape_set {
  const shape_kind* kind;
  std::vector<std::string> labels;
};

// "drawn 37x512"
std::string drawn_label(const shape& numbers);

// {rows, columns}. "S" has about 1e3 elements, "M" 1e5, "L" 1e7; "1e6" is 1000x1000. All other labels are numbers with
// any text between them.
extern const shape_kind matrices;
// {batch, channels, rows, columns}
extern const shape_kind images;
// {batch, channels, places}, by "S", "M" and "L"
extern const shape_kind volumes;
// {batch, length, heads, width}, by "S", "M" and "L"
extern const shape_kind sequences;
// {batch, channels, rows and columns, kernel, channels of the result, stride, groups, channels of a group}: "s2" is a
// stride, "g4" a number of groups, "dw" as many as there are channels
extern const shape_kind convolutions;
// {rows, inner dimension, columns}; one number is all three
extern const shape_kind products;
// {batch, rows, inner dimension, columns}; one number after the batch is all three
extern const shape_kind batches;
// {batch, heads, queries, width, keys}; as many keys as queries where there is no fifth number
extern const shape_kind attentions;
// {rows of the table, width, indices}
extern const shape_kind lookups;
// What cells of one shape have: any numbers.
extern const shape_kind any_numbers;

}  // namespace bench::operators
