// A unit may be compiled with more optimisation, without assertions, for a newer processor, or with other sanitizers
// than the module it imports. Language flags must agree.
export module fact.shapes;

export constexpr int area(int width, int height) { return width * height; }
