// topbit.backend: devices from outside. A backend describes its memory, and its kernels if it has some; what its
// kernels do not compute runs on the host, over copies of the elements that a kernel touches.
export module topbit.backend;

export import :fallback;
export import :description;
