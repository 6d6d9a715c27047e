// The headers that many tests include, compiled once for all of them: reading these takes a quarter of the time that a
// test takes to compile. A test still includes what it uses; -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON shows that it does.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <catch2/catch_tostring.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <source_location>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
