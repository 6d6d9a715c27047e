// Sparse tensors in files of tensors: what is written, what comes back, and what is wrong with damaged descriptions.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
#include "training/file.h"
import topbit;
import topbit.sparse;

namespace tb = topbit;
using support::tensor_of;
using support::values;
using tb::tensor;
using toy::text_of;
using numbers = std::vector<double>;
using list = std::vector<tb::named_tensor>;

namespace {

tensor index_of(const numbers& all, const tb::shape& sizes) { return tensor_of(all, sizes, tb::dtype::int64); }
tensor coo() {
  return tb::sparse_coo_tensor(index_of({1, 0, 1, 2, 0, 2}, {2, 3}), tensor_of({0.1, 2, 0.25}, {3}, tb::dtype::float32),
                               tb::shape{2, 3});
}

// What load_tensors() says of a file with the parts of coo() and this description of a tensor w.
std::string refused(const std::string& description, const std::string& more = "") {
  const training::file at("damaged.safetensors");
  std::string header = R"({"__metadata__":{"topbit.layout.w":")" + description + R"("},)" + more +
                       R"("w.indices":{"dtype":"I64","shape":[2,1],"data_offsets":[0,16]},)"
                       R"("w.values":{"dtype":"U8","shape":[1],"data_offsets":[16,17]}})";
  const std::uint64_t length = header.size();
  at.write(std::string(reinterpret_cast<const char*>(&length), 8) + header + std::string(16, '\0') + "\7");
  const std::string begin = "load_tensors: '" + at.path + "': 'w': ";
  std::string found = text_of<tb::error>([&] {
    const list all = tb::load_tensors(at.path);
    const numbers elements = values(tb::to_dense(all.at(0).value));
    throw tb::error("loaded " + std::to_string(all.size()) + ": " + std::to_string(static_cast<int>(elements.at(0))) +
                    " of " + std::to_string(elements.size()) + " elements");
  });
  return found.starts_with(begin) ? found.substr(begin.size()) : found;
}

}  // namespace

TEST_CASE("files: sparse tensors round-trip beside others, in their order", "[sparse][files]") {
  const training::file at("sparse.safetensors");
  const tensor s = coo(), hybrid = tb::aten::to_sparse_sparse_dim(tensor_of({0, 0, 1, 2, 3, 4}, {3, 2}), 1);
  tb::save_tensors(at.path,
                   list{{"a", tensor_of({1}, {1})},
                        {"w", s},
                        {"b.bias", tensor_of({3}, {1})},
                        {"b", tb::to_sparse_csr(s)},
                        {"c", tb::to_sparse_csc(s)},
                        {"d.e", tb::coalesce(s)},
                        {"h", hybrid}},
                   {{"note", "kept"}});
  const list all = tb::load_tensors(at.path);
  REQUIRE(all.size() == 7);
  std::string names;
  for (const tb::named_tensor& one : all) names += one.name + ":" + std::string(name_of(one.value.layout())) + " ";
  CHECK(names == "a:strided w:sparse_coo b.bias:strided b:sparse_csr c:sparse_csc d.e:sparse_coo h:sparse_coo ");
  CHECK(values(tb::_indices(all[1].value)) == values(tb::_indices(s)));
  CHECK(values(tb::_values(all[1].value)) == values(tb::_values(s)));
  CHECK_FALSE(tb::is_coalesced(all[1].value));
  CHECK(tb::is_coalesced(all[5].value));
  for (const std::size_t i : {1, 3, 4, 5}) {
    CHECK(all[i].value.sizes() == s.sizes());
    CHECK(values(tb::to_dense(all[i].value)) == values(tb::to_dense(s)));
  }
  CHECK(values(all[2].value) == numbers{3});
  CHECK(tb::sparse_dim(all[6].value) == 1);
  CHECK(values(tb::to_dense(all[6].value)) == numbers{0, 0, 1, 2, 3, 4});
  const tb::tensor_metadata kept = tb::load_metadata(at.path);
  CHECK(kept == tb::tensor_metadata{{"note", "kept"}});
  tb::save_tensors(at.path, all, kept);
  CHECK(tb::load_tensors(at.path).size() == 7);
}

TEST_CASE("files: the parts of a sparse tensor are tensors to other programs", "[sparse][files]") {
  const training::file at("parts.safetensors");
  tb::save_tensors(at.path, list{{"w", coo()}});
  const std::string text = at.read();
  CHECK(text.find(R"("topbit.layout.w":"sparse_coo float32 [2, 3] indices,values)") != std::string::npos);
  CHECK(text.find(R"("w.indices":{"dtype":"I64","shape":[2,3],)") != std::string::npos);
  CHECK(text.find(R"("w.values":{"dtype":"F32","shape":[3],)") != std::string::npos);
}

TEST_CASE("files: names that the parts of a tensor have are refused", "[sparse][files]") {
  const training::file at("twice.safetensors");
  const std::string begin = "save_tensors: '" + at.path + "': ";
  const auto saving = [&](const list& all, const tb::tensor_metadata& metadata = {}) {
    return text_of<tb::error>([&] { tb::save_tensors(at.path, all, metadata); });
  };
  CHECK(saving({{"w", coo()}, {"w.values", tensor_of({1}, {1})}}) ==
        begin + "found 'w.values' twice, wanted a name for each tensor");
  CHECK(saving({{"w", coo()}, {"w", coo()}}) == begin + "found 'w' twice, wanted a name for each tensor");
  CHECK(saving({{"w", coo()}, {"w", tensor_of({1}, {1})}}) == begin + "found 'w' twice, wanted a name for each tensor");
  CHECK(saving({{"w", coo()}}, {{"topbit.layout.x", "1"}}) ==
        begin + "found metadata of the name 'topbit.layout.x', wanted none that begins with 'topbit.layout.'");
}

TEST_CASE("files: damaged descriptions are refused with a reason", "[sparse][files]") {
  const auto no_text = [](const std::string& found) {
    return "found the layout '" + found + "', wanted a text as 'sparse_coo float32 [3, 4] indices,values coalesced=1'";
  };
  CHECK(refused("sparse_coo uint8 [2, 3] indices,values") == "loaded 1: 7 of 6 elements");
  for (const char* const text :
       {"", "sparse_coo", "sparse uint8 [2, 3] indices,values", "strided uint8 [2, 3] values",
        "sparse_coo byte [2, 3] indices,values", "sparse_coo uint8 2, 3 indices,values", "sparse_coo uint8 [2, 3]",
        "sparse_coo uint8 [2, 3] ", "sparse_coo uint8 [2, -3] indices,values", "sparse_coo uint8 [2, x] indices,values",
        "sparse_coo uint8 [1, 1, 1, 1, 1, 1, 1, 1, 1] indices,values",
        "sparse_coo uint8 [4294967296, 4294967296] indices,values"}) {
    CHECK(refused(text) == no_text(text));
  }
  CHECK(refused("sparse_coo uint8 [2, 3] indices,value") ==
        "found no tensor 'w.value', wanted each part of the layout");
  CHECK(refused("sparse_coo uint8 [2, 3] indices,indices") ==
        "found no tensor 'w.indices', wanted each part of the layout");
  CHECK(refused("sparse_coo uint8 [2, 3] indices,values", R"("w":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)") ==
        "found a tensor of this name, and the parts of another");
  CHECK(refused("quantized float32 [2, 3] indices,values") ==
        "found a tensor of layout quantized, wanted one of a layout that a module of this program reads; import the "
        "module of the layout");
  // what the layout's module finds
  CHECK(
      refused("sparse_coo float32 [2, 3] indices,values").starts_with("reading a sparse_coo tensor: found values of"));
  CHECK(refused("sparse_coo uint8 [2] indices,values").find("loaded") == std::string::npos);
  CHECK(refused("sparse_csr uint8 [2, 3] indices,values").starts_with("reading a sparse_csr tensor: found"));
  CHECK(refused("sparse_coo uint8 [0, 3] indices,values").find("loaded") == std::string::npos);
}
