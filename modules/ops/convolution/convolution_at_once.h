// Convolutions and their gradients as one call of the backend's convolution kernel.
#pragma once

namespace topbit::detail {

// `out` is dense and of the kernel's sizes and dtype.
void convolve_at_once(backend_call c, const convolution_shape& s, const tensor& image, const tensor& weight,
                      const tensor& out);

// The gradients of a convolution of the given shape, as convolutions themselves. False, with nothing written, where
// products of matrices are faster or the backend has no such kernel.
bool input_gradient_at_once(backend_call c, const convolution_shape& s, const tensor& gradient, const tensor& weight,
                            const tensor& out);
bool weight_gradient_at_once(backend_call c, const convolution_shape& s, const tensor& gradient, const tensor& input,
                             const tensor& out);

}  // namespace topbit::detail
