module;

#include <filesystem>
#include <fstream>

module topbit.sparse;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.ops;
import :payload;
import :parts;
import :market_text;

namespace topbit::sparse {

namespace {

std::string beginning(std::string_view function, const std::string& path) {
  return std::string(function) + ": '" + path + "': ";
}

std::string text_of(const std::string& path) {
  const auto refuse = [&](const std::string& what) {
    throw error(beginning("load_matrix_market", path) + what, "load_matrix_market");
  };
  // Opening a pipe would block until it has a writer.
  ::std::error_code failed;
  const ::std::filesystem::file_status status = ::std::filesystem::status(path, failed);
  if (::std::filesystem::exists(status) && !::std::filesystem::is_regular_file(status)) {
    refuse("found no regular file, wanted one");
  }
  const std::uint64_t size = failed ? 0 : ::std::filesystem::file_size(path, failed);
  if (failed) refuse("cannot be read: " + failed.message());
  ::std::ifstream in(path, ::std::ios::binary);
  if (!in) refuse("cannot be read; check its permissions");
  std::string text(size, '\0');
  in.read(text.data(), static_cast<::std::streamsize>(size));
  if (!in) refuse("cannot be read completely");
  return text;
}

tensor values_of(const detail::market_matrix& m) {
  const tensor values = is_floating(m.type)
                            ? from_values<double>(m.real, {static_cast<std::int64_t>(m.real.size())})
                            : from_values<std::int64_t>(m.whole, {static_cast<std::int64_t>(m.whole.size())});
  return to(values, m.type);
}

// Elements of a tensor of any dtype and device, as the writer takes them.
void take_values(const tensor& from, detail::market_matrix& m) {
  m.type = from.dtype();
  const bool floats = is_floating(m.type);
  const tensor values = aten::contiguous(to(to(from, cpu), floats ? dtype::float64 : dtype::int64));
  const auto count = static_cast<std::size_t>(values.numel());
  if (floats) {
    const double* const begin = values.data_ptr<double>();
    m.real.assign(begin, begin + count);
  } else {
    const std::int64_t* const begin = values.data_ptr<std::int64_t>();
    m.whole.assign(begin, begin + count);
  }
}

detail::market_matrix coordinates_of(const tensor& matrix) {
  detail::market_matrix m;
  const tensor once = coalesced(coo_from(matrix));
  const coo_payload& parts = coo_parts(once);
  const tensor indices = aten::contiguous(to(parts.indices, cpu));
  const std::int64_t *const first = indices.data_ptr<std::int64_t>(), count = indices.size(1);
  m.row.assign(first, first + count);
  m.column.assign(first + count, first + 2 * count);
  take_values(parts.values, m);
  return m;
}

detail::market_matrix array_of(const tensor& matrix) {
  detail::market_matrix m;
  m.is_coordinate = false;
  take_values(aten::t(matrix), m);
  return m;
}

}  // namespace

tensor load_matrix_market(const std::string& path, const matrix_market_options& options) {
  const no_grad guard;
  const detail::market_matrix m =
      detail::read_market(beginning("load_matrix_market", path), text_of(path), options.type);
  const tensor values = values_of(m);
  if (!m.is_coordinate) return aten::contiguous(aten::t(aten::reshape(values, shape{m.columns, m.rows})));
  const auto count = static_cast<std::int64_t>(m.row.size());
  const tensor indices =
      aten::stack(std::array{from_values<std::int64_t>(m.row, {count}), from_values<std::int64_t>(m.column, {count})});
  return coalesced(coo_of(indices, values, {m.rows, m.columns}, false));
}

void save_matrix_market(const std::string& path, const tensor& matrix, std::string_view comment) {
  const no_grad guard;
  const std::string who = beginning("save_matrix_market", path);
  if (!matrix.defined()) throw error(who + "found an undefined tensor, wanted a matrix", "save_matrix_market");
  const bool sparse = is_sparse(matrix);
  if (!sparse && matrix.layout() != layout::strided) {
    throw layout_error(
        who + "found layout " + std::string(name_of(matrix.layout())) + ", wanted a sparse or a strided matrix",
        "save_matrix_market");
  }
  if (matrix.dim() != 2 || (sparse && sparse_dims_of(matrix) != 2)) {
    const bool hybrid = sparse && sparse_dims_of(matrix) != matrix.dim();
    throw shape_error(who + "found " + to_string(matrix.sizes()) + (hybrid ? " with dense dimensions" : "") +
                          ", wanted a matrix" + (hybrid ? " without them; to_sparse(to_dense(x)) makes one" : ""),
                      "save_matrix_market");
  }
  detail::market_matrix m = sparse ? coordinates_of(matrix) : array_of(matrix);
  m.rows = matrix.size(0);
  m.columns = matrix.size(1);
  const std::string text = detail::write_market(m, comment);
  ::std::ofstream out(path, ::std::ios::binary);
  out.write(text.data(), static_cast<::std::streamsize>(text.size()));
  out.close();
  if (!out)
    throw error(who + "cannot be written; check the folder, its permissions and free space", "save_matrix_market");
}

}  // namespace topbit::sparse
