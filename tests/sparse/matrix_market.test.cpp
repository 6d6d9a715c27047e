// Matrix Market files: what is read, what is written, and what is wrong with files that are not of this format.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/scale.h"
#include "support/tensor_values.h"
#include "training/file.h"
import topbit;
import topbit.sparse;

namespace tb = topbit;
namespace sparse = topbit::sparse;
using support::tensor_of;
using support::values;
using tb::tensor;
using toy::text_of;
using numbers = std::vector<double>;

namespace {

tensor read(const std::string& text, const sparse::matrix_market_options& options = {}) {
  const training::file at("read.mtx");
  at.write(text);
  return sparse::load_matrix_market(at.path, options);
}
std::string written(const tensor& t, std::string_view comment = {}) {
  const training::file at("written.mtx");
  sparse::save_matrix_market(at.path, t, comment);
  return at.read();
}
// What load_matrix_market() says of this text, without the beginning that names the file.
std::string refused(const std::string& text, const sparse::matrix_market_options& options = {}) {
  const training::file at("refused.mtx");
  at.write(text);
  const std::string begin = "load_matrix_market: '" + at.path + "': ";
  const std::string found = text_of<tb::error>([&] { sparse::load_matrix_market(at.path, options); });
  return found.starts_with(begin) ? found.substr(begin.size()) : found;
}
const std::string coordinates = "%%MatrixMarket matrix coordinate real general\n";

}  // namespace

TEST_CASE("matrix market: coordinates are a coalesced sparse tensor", "[sparse][matrix_market]") {
  const tensor a = read(coordinates +
                        "% a comment\n\n  %another\n"
                        "2 3 4\n"
                        "2 3 1.5\n1 2 -2e-1\r\n  1\t1 +7 \n2 3 .5");
  CHECK(a.layout() == tb::layout::sparse_coo);
  CHECK(a.sizes() == tb::shape{2, 3});
  CHECK(a.dtype() == tb::dtype::float64);
  CHECK(tb::is_coalesced(a));
  CHECK(values(tb::indices(a)) == numbers{0, 0, 1, 0, 1, 2});
  CHECK(values(tb::values(a)) == numbers{7, -0.2, 2});
}

TEST_CASE("matrix market: arrays are strided tensors", "[sparse][matrix_market]") {
  const tensor a = read("%%MatrixMarket MATRIX Array Integer General\n2 3\n1\n2\n3\n4\n5\n-6\n");
  CHECK(a.layout() == tb::layout::strided);
  CHECK(a.dtype() == tb::dtype::int64);
  CHECK(a.sizes() == tb::shape{2, 3});
  CHECK(values(a) == numbers{1, 3, 5, 2, 4, -6});
  CHECK(values(read("%%MatrixMarket matrix array real general\n0 3\n")).empty());
}

TEST_CASE("matrix market: symmetric matrices have both triangles", "[sparse][matrix_market]") {
  const auto dense = [](const std::string& text) { return values(tb::to_dense(read(text))); };
  CHECK(dense("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 4\n3 1 2\n3 2 5\n") ==
        numbers{4, 0, 2, 0, 0, 5, 2, 5, 0});
  CHECK(dense("%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 3\n") == numbers{0, -3, 3, 0});
  CHECK(dense("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n") == numbers{1, 2, 2, 3});
  CHECK(dense("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n") ==
        numbers{0, -1, -2, 1, 0, -3, 2, 3, 0});
  CHECK(dense("%%MatrixMarket matrix array integer skew-symmetric\n1 1\n") == numbers{0});
  CHECK(dense("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n2 1\n2 2\n") == numbers{0, 1, 1, 1});
}

TEST_CASE("matrix market: the dtype can be chosen", "[sparse][matrix_market]") {
  const std::string whole = "%%MatrixMarket matrix coordinate integer general\n1 2 2\n1 1 16777217\n1 2 -3\n";
  CHECK(read(whole).dtype() == tb::dtype::int64);
  CHECK(values(tb::values(read(whole, {.type = tb::dtype::int32}))) == numbers{16777217, -3});
  CHECK(values(tb::values(read(whole, {.type = tb::dtype::float32}))) == numbers{16777216, -3});
  const std::string pattern = "%%MatrixMarket matrix coordinate pattern general\n1 2 1\n1 2\n";
  CHECK(read(pattern).dtype() == tb::dtype::float64);
  for (const tb::dtype type : {tb::dtype::boolean, tb::dtype::uint8, tb::dtype::bfloat16}) {
    CHECK(read(pattern, {.type = type}).dtype() == type);
    CHECK(values(tb::to_dense(read(pattern, {.type = type}))) == numbers{0, 1});
  }
  CHECK(refused(whole, {.type = tb::dtype::int16}) ==
        "line 3: found '16777217', wanted an integer from -32768 to 32767");
  CHECK(refused(whole, {.type = tb::dtype::boolean}) == "line 3: found '16777217', wanted an integer from 0 to 1");
  CHECK(refused(coordinates + "1 1 0\n", {.type = tb::dtype::int64}) ==
        "line 1: found a real matrix, wanted an integer or pattern matrix for int64");
  CHECK(
      refused("%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 1\n", {.type = tb::dtype::uint8}) ==
      "line 3: found 1, wanted a number whose negative is an integer from 0 to 255");
  CHECK(refused("%%MatrixMarket matrix array integer skew-symmetric\n2 2\n-128\n", {.type = tb::dtype::int8}) ==
        "line 3: found -128, wanted a number whose negative is an integer from -128 to 127");
}

TEST_CASE("matrix market: the text of a file", "[sparse][matrix_market]") {
  const tensor a = tb::sparse_coo_tensor(tensor_of({1, 0, 1, 2, 0, 2}, {2, 3}, tb::dtype::int64),
                                         tensor_of({0.1, 2, 0.25}, {3}, tb::dtype::float32), tb::shape{2, 3});
  CHECK(written(a) == coordinates + "2 3 2\n1 1 2\n2 3 0.35\n");
  CHECK(written(tb::to_sparse_csr(a), "one\n\ntwo") == coordinates + "%one\n%\n%two\n2 3 2\n1 1 2\n2 3 0.35\n");
  CHECK(written(tensor_of({1, 2, 3, 4, 5, 6}, {2, 3}, tb::dtype::int8)) ==
        "%%MatrixMarket matrix array integer general\n2 3\n1\n4\n2\n5\n3\n6\n");
  CHECK(written(tensor_of({1, 0}, {1, 2}, tb::dtype::boolean)) ==
        "%%MatrixMarket matrix array integer general\n1 2\n1\n0\n");
}

TEST_CASE("matrix market: what is written is read back, bit by bit", "[sparse][matrix_market]") {
  std::mt19937_64 source(7);
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const tb::dtype type : tb::all_dtypes) {
    INFO(name_of(type));
    for (int round = 0; round < scaled(10); ++round) {
      const auto rows = static_cast<std::int64_t>(source() % 6), columns = static_cast<std::int64_t>(source() % 6);
      numbers all;
      for (std::int64_t i = 0; i < rows * columns; ++i) {
        const double random = static_cast<double>(static_cast<std::int64_t>(source())) * 1e-17;
        all.push_back(!tb::is_floating(type) ? static_cast<double>(source() % 2)
                      : source() % 8 == 0    ? (source() % 2 == 0 ? inf : -inf)
                      : source() % 3 == 0    ? 0
                                             : random);
      }
      const tensor dense = tensor_of(all, {rows, columns}, type);
      const training::file at("again.mtx");
      sparse::save_matrix_market(at.path, dense);
      CHECK(values(sparse::load_matrix_market(at.path, {.type = type})) == values(dense));
      sparse::save_matrix_market(at.path, tb::to_sparse(dense));
      const tensor again = sparse::load_matrix_market(at.path, {.type = type});
      CHECK(again.sizes() == dense.sizes());
      CHECK(values(tb::to_dense(again)) == values(dense));
    }
  }
  const tensor one = tensor_of({std::numeric_limits<double>::quiet_NaN(), 5e-324, -0.0}, {1, 3}, tb::dtype::float64);
  const tensor again = read(written(one));
  CHECK(std::isnan(values(again)[0]));
  CHECK(values(again)[1] == 5e-324);
  CHECK(std::signbit(values(again)[2]));
}

TEST_CASE("matrix market: other first lines are refused", "[sparse][matrix_market]") {
  constexpr const char* const whole =
      "'%%MatrixMarket matrix <coordinate|array> <real|integer|pattern> <general|symmetric|skew-symmetric>'";
  const auto first = [](const std::string& text) { return refused("%%MatrixMarket " + text + "\n1 1 1\n1 1 1\n"); };
  CHECK(refused("") == std::string("line 1: found '', wanted ") + whole);
  CHECK(refused("1 1 1\n") == std::string("line 1: found '1', wanted ") + whole);
  CHECK(first("vector coordinate real general") == "line 1: found object 'vector', wanted one of matrix");
  CHECK(first("matrix dense real general") == "line 1: found format 'dense', wanted one of coordinate, array");
  CHECK(first("matrix coordinate complex general") ==
        "line 1: found field 'complex', wanted one of real, integer, pattern");
  CHECK(first("matrix coordinate real hermitian") ==
        "line 1: found symmetry 'hermitian', wanted one of general, symmetric, skew-symmetric");
  CHECK(first("matrix coordinate real") ==
        "line 1: found symmetry '', wanted one of general, symmetric, skew-symmetric");
  CHECK(first("matrix coordinate real general 1") ==
        std::string("line 1: found '1' at the end of the line, wanted ") + whole + " alone");
  CHECK(first("matrix array pattern general") == "line 1: found the pattern of an array, wanted real or integer");
  CHECK(first("matrix coordinate pattern skew-symmetric") ==
        "line 1: found the pattern of a skew-symmetric matrix, wanted general or symmetric");
}

TEST_CASE("matrix market: invalid sizes are refused", "[sparse][matrix_market]") {
  constexpr const char* const most = "9223372036854775807";
  CHECK(refused(coordinates) == "line 2: found the end, wanted a line with the sizes");
  CHECK(refused(coordinates + "2\n") ==
        std::string("line 2: found the end of the line, wanted the number of columns, from 0 to ") + most);
  CHECK(refused(coordinates + "-1 2 3\n") ==
        std::string("line 2: found '-1', wanted the number of rows, from 0 to ") + most);
  CHECK(refused(coordinates + "99999999999999999999 2 3\n") ==
        std::string("line 2: found '99999999999999999999', wanted the number of rows, from 0 to ") + most);
  CHECK(
      refused(coordinates + "1073741824 1073741824 0\n") ==
      "line 2: found 1073741824 rows and 1073741824 columns, wanted at most 1152921504606846975 elements, as a tensor "
      "can have");
  CHECK(
      refused(coordinates + "1152921504606846976 0 0\n") ==
      "line 2: found 1152921504606846976 rows and 0 columns, wanted at most 1152921504606846975 elements, as a tensor "
      "can have");
  CHECK(refused(coordinates + "2 2 0 1\n") ==
        "line 2: found '1' at the end of the line, wanted rows, columns and entries alone");
  CHECK(refused("%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n") ==
        "line 2: found 2 rows and 3 columns, wanted as many for a symmetric matrix");
}

TEST_CASE("matrix market: a header cannot ask for more memory than the file has bytes", "[sparse][matrix_market]") {
  CHECK(refused(coordinates + "1000000000 1000000000 1000000000000000000\n1 1 1\n") ==
        "line 2: found 1000000000000000000 entries, wanted at most 1, as many as there can be in the 6 bytes that "
        "follow");
  CHECK(refused("%%MatrixMarket matrix array real general\n1000000 1000000\n1\n2\n") ==
        "line 2: found 1000000000000 entries, wanted at most 2, as many as there can be in the 4 bytes that follow");
  CHECK(refused("%%MatrixMarket matrix array real skew-symmetric\n1000000000 1000000000\n") ==
        "line 2: found 499999999500000000 entries, wanted at most 0, as many as there can be in the 0 bytes that "
        "follow");
  const tensor wide = read(coordinates + "1000000000 1000000000 1\n1000000000 999999999 1\n");
  CHECK(values(tb::indices(wide)) == numbers{999999999, 999999998});
}

TEST_CASE("matrix market: invalid entries are refused with their line", "[sparse][matrix_market]") {
  const auto with = [](const std::string& entries) { return refused(coordinates + "2 3 2\n% here\n" + entries); };
  CHECK(with("1 1 1\n3 1 1\n") == "line 5: found '3', wanted a row from 1 to 2");
  CHECK(with("1 0 1\n1 1 1\n") == "line 4: found '0', wanted a column from 1 to 3");
  CHECK(with("1 1.5 1\n1 1 1\n") == "line 4: found '1.5', wanted a column from 1 to 3");
  CHECK(with("1 1\n1 1 1 1\n") == "line 4: found the end of the line, wanted a number in the range of float64");
  CHECK(with("1 1 1 1\n1 1 1\n") == "line 4: found '1' at the end of the line, wanted row, column and value alone");
  CHECK(with("1 1 1e999\n1 1 1\n") == "line 4: found '1e999', wanted a number in the range of float64");
  CHECK(with("1 1 1.0D3\n1 1 1\n") == "line 4: found '1.0D3', wanted a number in the range of float64");
  CHECK(with("1 1 +-1\n1 1 1\n") == "line 4: found '+-1', wanted a number in the range of float64");
  CHECK(with("1 1 1\n\n         ") == "line 7: found the end after 1 entries, wanted 2");
  CHECK(with("1 1 1\n1 2 1\n1 3 1\n") == "line 6: found another line, wanted the end after 2 entries");
  CHECK(refused("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n") ==
        "line 3: found an entry in row 1 and column 2, wanted one on or below the diagonal of a symmetric matrix");
  CHECK(refused("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 1\n") ==
        "line 3: found an entry in row 2 and column 2, wanted one below the diagonal of a skew-symmetric matrix");
  CHECK(
      refused("%%MatrixMarket matrix array integer general\n1 2\n1\n2.5\n").starts_with("line 4: found '2.5', wanted"));
  CHECK(refused("%%MatrixMarket matrix array real general\n1 2\n1 2\n1\n") ==
        "line 3: found '2' at the end of the line, wanted one number alone");
  CHECK(refused("%%MatrixMarket \x1b[31m" + std::string(100, 'x') + "\n") ==
        "line 1: found object '?[31m" + std::string(35, 'x') + "...', wanted one of matrix");
}

TEST_CASE("matrix market: files that cannot be read or written are refused", "[sparse][matrix_market]") {
  CHECK(text_of<tb::error>([] {
          sparse::load_matrix_market("/no/such/file.mtx");
        }).starts_with("load_matrix_market: '/no/such/file.mtx': cannot be read: "));
  CHECK(text_of<tb::error>([] { sparse::load_matrix_market("/"); }) ==
        "load_matrix_market: '/': found no regular file, wanted one");
  const tensor matrix = tensor_of({1}, {1, 1});
  CHECK(text_of<tb::error>([&] { sparse::save_matrix_market("/no/such/file.mtx", matrix); }) ==
        "save_matrix_market: '/no/such/file.mtx': cannot be written; check the folder, its permissions and free space");
  CHECK(text_of<tb::shape_error>([] { sparse::save_matrix_market("x.mtx", tensor_of({1}, {1})); }) ==
        "save_matrix_market: 'x.mtx': found [1], wanted a matrix");
  CHECK(text_of<tb::shape_error>(
            [] { sparse::save_matrix_market("x.mtx", tb::aten::to_sparse_sparse_dim(tensor_of({1}, {1, 1}), 1)); }) ==
        "save_matrix_market: 'x.mtx': found [1, 1] with dense dimensions, wanted a matrix without them; "
        "to_sparse(to_dense(x)) makes one");
  CHECK(text_of<tb::error>([] { sparse::save_matrix_market("x.mtx", tensor()); }) ==
        "save_matrix_market: 'x.mtx': found an undefined tensor, wanted a matrix");
}
