#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "support/raises.h"
import topbit.core;

namespace tb = topbit;

namespace {

std::string expected(const std::string& argument) {
  const std::string text = "f(" + argument + ") -> ()";
  const std::string message = toy::text_of<tb::bad_schema>([&] { tb::schema s(text); });
  const std::size_t at = message.find("column ");
  return at == std::string::npos ? message : message.substr(at + 7);
}
bool parses(const std::string& argument) {
  try {
    tb::schema s("f(" + argument + ") -> ()");
    return true;
  } catch (const tb::bad_schema&) {
    return false;
  }
}

}  // namespace

TEST_CASE("literal: every type takes its own defaults", "[core][literal][G2][G12][G14]") {
  for (const char* good : {"int x=-1",
                           "int x=9223372036854775807",
                           "int x=-9223372036854775808",
                           "int x=Mean",
                           "SymInt x=3",
                           "SymBool x=True",
                           "DeviceIndex x=-1",
                           "float x=1",
                           "float x=-1.5e-3",
                           "float x=inf",
                           "float x=nan",
                           "float x=1e307",
                           "bool x=True",
                           "str x=''",
                           "Scalar x=1",
                           "Scalar x=1.5",
                           "Scalar x=True",
                           "complex x=1",
                           "complex x=2j",
                           "ScalarType x=float32",
                           "Layout x=strided",
                           "MemoryFormat x=contiguous_format",
                           "MemoryFormat x=preserve_format",
                           "MemoryFormat? x=None",
                           "Device x='cpu'",
                           "Device x=\"cuda:12\"",
                           "Device x='cuda:127'",
                           "Device x='meta'",
                           "Device? x='xla:0'",
                           "Device x='privateuse8:1'",
                           "Tensor x=None",
                           "Generator x=None",
                           "Tensor? x=None",
                           "int? x=None",
                           "int? x=1",
                           "Storage? x=None",
                           "int[] x=[]",
                           "int[] x=[1, 2]",
                           "int[2] x=1",
                           "int[2] x=[]",
                           "int[2] x=[1, 2, 3]",
                           "int[]? x=None",
                           "int[]? x=[1]",
                           "int[1]? x=2",
                           "bool[3] x=[True, False, True]",
                           "str[] x=['a']",
                           "Tensor[] x=[]",
                           "Tensor[] x=[None]",
                           "int[][] x=[[1], []]",
                           "Mine x=anything",
                           "Mine x=1.5",
                           "Mine[] x=[a, b]"}) {
    INFO(good);
    CHECK(parses(good));
  }
}

TEST_CASE("literal: what only looks like a default is refused, with its place", "[core][literal][G8][G12][G13][G15]") {
  struct mistake {
    const char* argument;
    const char* expected;
  };
  const auto m = GENERATE(values<mistake>({
      {"int x=1.5", "9: expected an integer or 'Mean'"},
      {"int x=True", "9: expected an integer or 'Mean'"},
      {"int x=-0x1", "9: expected an integer or 'Mean'"},
      {"int x=1e3", "9: expected an integer or 'Mean'"},
      {"int x=None", "9: expected an integer or 'Mean'"},
      {"int x=9223372036854775808", "9: expected a 64-bit integer"},
      {"int x=-9223372036854775809", "9: expected a 64-bit integer"},
      {"SymInt x=Mean", "12: expected an integer"},
      {"bool x=1", "10: expected 'True' or 'False'"},
      {"bool x=true", "10: expected 'True' or 'False'"},
      {"str s=None", "9: expected a string in quotes"},
      {"str s=abc", "9: expected a string in quotes"},
      {"str s='a", "18: expected the closing quote"},
      {"str s='\\x41'", "10: expected one of the escapes \\\\ \\' \\\" \\a \\b \\f \\n \\v \\t \\001..\\377"},
      {"float x=True", "11: expected a number"},
      {"float x=1.5.5", "11: expected a number"},
      {"float x=.", "11: expected a number"},
      {"float x=1e400", "11: expected zero, or a number from 1e-307 to below 1e308"},
      {"float x=1e99999", "11: expected zero, or a number from 1e-307 to below 1e308"},
      {"float x=1e-400", "11: expected zero, or a number from 1e-307 to below 1e308"},
      {"float x=2j", "11: expected a number"},
      {"Scalar x=None", "12: expected a number, 'True' or 'False'"},
      {"Scalar x=99999999999999999999", "12: expected a 64-bit integer"},
      {"Device x=cpu", "12: expected the name of a device in quotes, such as \"cuda:0\""},
      {"Device x=''", "12: expected the name of a device in quotes, such as \"cuda:0\""},
      {"Device x='cuda:'", "12: expected the name of a device in quotes, such as \"cuda:0\""},
      {"Device x='xyz'", "12: expected the name of a device in quotes, such as \"cuda:0\""},
      {"Device x='CUDA'", "12: expected the name of a device in quotes, such as \"cuda:0\""},
      {"Device x='undefined'", "12: expected the name of a device in quotes, such as \"cuda:0\""},
      {"Device x='privateuse9'", "12: expected the name of a device in quotes, such as \"cuda:0\""},
      {"Device x='cuda:-1'", "12: expected the name of a device in quotes, such as \"cuda:0\""},
      {"Device x='cuda:128'", "12: expected the name of a device in quotes, such as \"cuda:0\""},
      {"Device x='cpu:1'", "12: expected the name of a device in quotes, such as \"cuda:0\""},
      {"Device[] x=['cpu', 'xyz']", "22: expected the name of a device in quotes, such as \"cuda:0\""},
      {"SymBool x=1", "13: expected 'True' or 'False'"},
      {"ScalarType x=float33", "16: expected a dtype such as 'float32' or 'long'"},
      {"Layout x=0", "12: expected a layout such as 'strided'"},
      {"MemoryFormat x=strided", "18: expected 'contiguous_format' or 'preserve_format'"},
      {"MemoryFormat x=channels_last", "18: expected 'contiguous_format' or 'preserve_format'"},
      {"Tensor x=1", "12: expected 'None', the only default of this type"},
      {"Storage x=None", "13: expected no default, which this type cannot have"},
      {"Dict(str, int) x=1", "20: expected no default, which this type cannot have"},
      {"(int, int) x=None", "16: expected no default, which this type cannot have"},
      {"int[] x=1", "11: expected '[', since the type is a list"},
      {"int[]? x=1", "12: expected '[', since the type is a list"},
      {"int[] x=None", "11: expected '[', since the type is a list"},
      {"int[2] x=None", "12: expected an integer or 'Mean'"},
      {"int[] x=[1.5]", "12: expected an integer or 'Mean'"},
      {"int[] x=[1,]", "14: expected an integer or 'Mean'"},
  }));
  INFO(m.argument);
  CHECK(expected(m.argument) == m.expected);
}
