// Parts of training: training and test set, shuffled batches with random shifts, an optimizer step, accuracy.
// Include the standard headers and import topbit before this file.
#pragma once

struct labelled {
  topbit::tensor images, labels;  // [n, 8, 8] float32, [n] int64
};

struct split_digits {
  labelled train, test;
};

// Every fifth image is held out: a fixed fifth, the same on every machine and in every run.
inline split_digits split(const digits& d) {
  const topbit::tensor images = topbit::from_values(d.pixels, {d.count(), d.side, d.side});
  const topbit::tensor labels = topbit::from_values(d.labels, {d.count()});
  const topbit::tensor held_out = topbit::eq(topbit::remainder(topbit::arange(d.count()), 5), 4);
  const auto part = [&](const topbit::tensor& of) {
    return labelled{topbit::index(images, of), topbit::index(labels, of)};
  };
  return {part(~held_out), part(held_out)};
}

// Data augmentation: shifts each image by up to one pixel in each direction by drawing one of the nine windows of the
// zero-padded image. With it, the mlp makes a quarter fewer mistakes on the held-out images.
inline topbit::tensor shifted(const topbit::tensor& images, const topbit::generator& random) {
  const std::int64_t n = images.size(0), side = images.size(1);
  const topbit::tensor edged = topbit::pad(images, {1, 1, 1, 1});  // [n, 10, 10]
  const topbit::tensor windows =
      topbit::unfold(topbit::unfold(edged, 1, side, 1), 2, side, 1);  // [n, 3, 3, 8, 8], a view
  const auto draw = [&] { return topbit::randint(3, {n}, topbit::arg<"generator"> = random); };
  return topbit::index(windows, topbit::arange(n), draw(), draw());
}

// The images in random order, in batches.
inline std::vector<labelled> batches(const labelled& all, std::int64_t size, const topbit::generator& random) {
  const topbit::tensor order = topbit::randperm(all.labels.numel(), topbit::arg<"generator"> = random);
  const auto images = topbit::split(shifted(topbit::index_select(all.images, 0, order), random), size);
  const auto labels = topbit::split(topbit::index_select(all.labels, 0, order), size);
  std::vector<labelled> out;
  for (std::size_t i = 0; i < images.size(); ++i) out.push_back({images[i], labels[i]});
  return out;
}

inline labelled to(const labelled& b, topbit::device where) {
  return {topbit::to(b.images, where), topbit::to(b.labels, where)};
}

template <class Model>
double accuracy(const Model& scores, const labelled& b) {
  const topbit::no_grad guard;
  const topbit::tensor hits = topbit::eq(topbit::argmax(scores(b.images), 1), b.labels);
  return topbit::item(topbit::mean(hits, topbit::arg<"dtype"> = topbit::dtype::float64));
}
