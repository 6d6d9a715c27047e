module topbit.transform;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;

namespace topbit::detail {

namespace {

std::string argument_text(std::size_t i) { return "argument " + std::to_string(i); }

// The dimension itself; throws shape_error if the tensor, that of an argument or of a result, has none of this number.
std::int64_t dimension_of(const tensor& t, std::int64_t dim, std::int64_t dims, std::optional<std::size_t> argument) {
  if (dim >= -dims && dim < dims) return dim < 0 ? dim + dims : dim;
  throw shape_error("vmap: found batch dimension " + std::to_string(dim) + " for " +
                    (argument ? argument_text(*argument) : std::string("a result")) + " of sizes " +
                    to_string(t.sizes()) +
                    (dims == 0 ? ", which has no dimension to map"
                               : ", wanted " + std::to_string(-dims) + " to " + std::to_string(dims - 1)));
}

void check_count(std::string_view which, const batch_dims& dims, std::size_t count, std::string_view what) {
  if (dims.fits(count)) return;
  throw error("vmap: found " + std::to_string(dims.size()) + " batch dimensions in '" + std::string(which) +
              "', wanted one for each of " + std::to_string(count) + " " + std::string(what) + ", or one for all");
}

}  // namespace

void check_dims(const vmap_options& options, std::size_t arguments, std::size_t results) {
  check_count("in", options.in, arguments, "arguments");
  check_count("out", options.out, results, "results");
  if (options.chunk && *options.chunk < 1) {
    throw error("vmap: found a chunk of " + std::to_string(*options.chunk) + " examples, wanted at least 1");
  }
}

void mapped_arguments::add(const tensor& t, batch_dim dim, std::size_t argument) {
  if (!dim || !t.defined()) return;
  const std::int64_t at = dimension_of(t, *dim, t.dim(), argument), found = t.size(at);
  if (size_ < 0) {
    size_ = found;
    from_ = argument;
    from_dim_ = at;
  } else if (found != size_) {
    throw shape_error("vmap: mapped sizes differ: " + argument_text(from_) + " has " + std::to_string(size_) +
                      " in dimension " + std::to_string(from_dim_) + ", " + argument_text(argument) + " has " +
                      std::to_string(found) + " in dimension " + std::to_string(at));
  }
}

std::int64_t mapped_arguments::size() const {
  if (size_ < 0) throw error("vmap: found no mapped argument with a tensor, wanted at least one");
  return size_;
}

tensor enter(const tensor& t, batch_dim dim, const batch_level& l) {
  if (!dim || !t.defined()) return t;
  return make_batched(t, *dim < 0 ? *dim + t.dim() : *dim, l);
}

tensor leave(const tensor& t, batch_dim dim, const batch_level& l) {
  if (!t.defined()) return t;
  const batched_view seen = look_into(t, l);
  const below_level outside(l);
  if (!dim) {
    if (!seen.dim) return seen.physical;
    throw error("vmap: found a batched result (" + describe(l) +
                ") for an unmapped `out`, wanted one that is the same for all examples");
  }
  const std::int64_t at = dimension_of(t, *dim, t.dim() + 1, std::nullopt);
  if (seen.dim) return *seen.dim == at ? seen.physical : aten::movedim_int(seen.physical, *seen.dim, at);
  const tensor all = with_batch_first(seen.physical, {}, l.size);
  return at == 0 ? all : aten::movedim_int(all, 0, at);
}

tensor chunk_of(const tensor& t, batch_dim dim, std::int64_t first, std::int64_t count) {
  return dim && t.defined() ? aten::narrow(t, *dim, first, count) : t;
}

void check_chunks(std::span<const std::vector<tensor>> pieces, std::size_t chunks) {
  for (const std::vector<tensor>& p : pieces) {
    if (p.size() != chunks) {
      throw error("vmap: found results with other numbers of tensors for different chunks, wanted the same structure");
    }
  }
}

tensor join_chunks(std::span<const tensor> chunks, batch_dim dim) {
  return dim && chunks[0].defined() ? aten::cat(chunks, *dim) : chunks[0];
}

}  // namespace topbit::detail
