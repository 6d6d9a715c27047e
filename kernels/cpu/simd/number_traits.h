// Constants for the functions of float and double: the format, and polynomial coefficients.
//
// The polynomials are minimax (Remez, in 60 digits, weighted for the least relative error of the result), rounded to
// the type; highest coefficient first. Comments give the function approximated, the interval, and the relative error.
#pragma once

#include <stdint.h>

#include "isa/arch.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename T>
struct number;

// magic is 1.5 * 2^(mantissa bits): adding it to a small integer leaves that integer in the low bits. Constants in two
// parts, _high and _low: the high part has few enough bits for its product with an exponent to be exact.
template <>
struct number<float> {
  using bits = uint32_t;
  static constexpr int mantissa = 23;
  static constexpr uint32_t bias = 127;
  static constexpr float magic = 0x1.8p23f;
  static constexpr float log2e = 0x1.715476p+0f;
  static constexpr float log2e_low = 0x1.4ae0cp-26f;
  static constexpr float ln2 = 0x1.62e43p-1f;  // relative error 2^-28
  static constexpr float ln2_high = 0x1.62e3p-1f;
  static constexpr float ln2_low = 0x1.2fefa2p-17f;
  static constexpr float exp_underflow = -104;
  static constexpr float exp_overflow = 90;
  static constexpr float exp_one = 20;  // 1 + exp(-x) rounds to 1 from here on, with some margin

  // (exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2: error 2^-26.2 of exp(r) - 1
  static constexpr float exp_terms[] = {0x1.6d98f8p-10f, 0x1.1227f2p-7f, 0x1.555486p-5f, 0x1.5554bp-3f, 0x1.0p-1f};
  // the same for (exp(2r) - 1) / 2: each coefficient is scaled by a power of two
  static constexpr float half_exp_of_twice_terms[] = {0x1.6d98f8p-5f, 0x1.1227f2p-3f, 0x1.555486p-2f, 0x1.5554bp-1f,
                                                      0x1.0p+0f};
  // (2^f - 1) / f for |f| <= 1/2: 2^-28.0
  static constexpr float exp2_terms[] = {0x1.446c7ep-13f, 0x1.5f88fep-10f, 0x1.3b29e4p-7f,
                                         0x1.c6ae2cp-5f,  0x1.ebfbep-3f,   0x1.62e432p-1f};
  // exp2_terms times sigmoid_factor
  static constexpr float sigmoid_factor = 171.0f / 128;
  static constexpr float sigmoid_terms[] = {0x1.b168fp-13f, 0x1.d5a104p-10f, 0x1.a509f6p-7f,
                                            0x1.2fb658p-4f, 0x1.48a13ep-2f,  0x1.da1cdap-1f};
  // (sinh(r) / r - 1) / r^2 and (cosh(r) - 1) / r^2 in powers of r^2, |r| <= ln(2) / 2: 2^-36.7, 2^-33.5
  static constexpr float sinh_terms[] = {0x1.a17dfap-13f, 0x1.1110acp-7f, 0x1.555556p-3f};
  static constexpr float cosh_terms[] = {0x1.6da75cp-10f, 0x1.55547p-5f, 0x1.0p-1f};
  // (log(1 + f) - f + f^2 / 2) / f^3 for f from -1/4 to 1/2: 2^-27.6
  static constexpr float log_terms[] = {-0x1.7a33f4p-5f, 0x1.b1783cp-4f, -0x1.0e113cp-3f, 0x1.284c7p-3f,
                                        -0x1.54dd26p-3f, 0x1.996ae4p-3f, -0x1.000082p-2f, 0x1.5555a2p-2f};
  // (log(1 + t) - t) / t^2 for t from 0 to 1: 2^-29.3
  static constexpr float log1p_terms[] = {0x1.0b158cp-9f, -0x1.bb3134p-7f, 0x1.576d58p-5f, -0x1.54e4b4p-4f,
                                          0x1.ffd35ep-4f, -0x1.4ac4dap-3f, 0x1.97aec4p-3f, -0x1.ffcd54p-3f,
                                          0x1.55541ap-2f, -0x1.fffffcp-2f};
};

template <>
struct number<double> {
  using bits = uint64_t;
  static constexpr int mantissa = 52;
  static constexpr uint64_t bias = 1023;
  static constexpr double magic = 0x1.8p52;
  static constexpr double log2e = 0x1.71547652b82fep+0;
  static constexpr double log2e_low = 0x1.777d0ffda0d24p-56;
  static constexpr double ln2_high = 0x1.62e42feep-1;
  static constexpr double ln2_low = 0x1.a39ef35793c76p-33;
  static constexpr double exp_underflow = -746;
  static constexpr double exp_overflow = 711;
  static constexpr double exp_one = 40;

  // as above: 2^-60
  static constexpr double exp_terms[] = {0x1.1f9542d3d46dp-29,
                                         0x1.af5eb22f27f48p-26,
                                         0x1.27e4c5b4f429ap-22,
                                         0x1.71ddf85a60789p-19,
                                         0x1.a01a01b0ae17bp-16,
                                         0x1.a01a01afe2bb3p-13,
                                         0x1.6c16c16c1446cp-10,
                                         0x1.111111110f6b4p-7,
                                         0x1.555555555555ap-5,
                                         0x1.5555555555559p-3,
                                         0x1.0p-1};
  // the same for (exp(2r) - 1) / 2: each coefficient is scaled by a power of two
  static constexpr double half_exp_of_twice_terms[] = {0x1.1f9542d3d46dp-18,
                                                       0x1.af5eb22f27f48p-16,
                                                       0x1.27e4c5b4f429ap-13,
                                                       0x1.71ddf85a60789p-11,
                                                       0x1.a01a01b0ae17bp-9,
                                                       0x1.a01a01afe2bb3p-7,
                                                       0x1.6c16c16c1446cp-5,
                                                       0x1.111111110f6b4p-3,
                                                       0x1.555555555555ap-2,
                                                       0x1.5555555555559p-1,
                                                       0x1.0p+0};
  // 2^-58.0
  static constexpr double exp2_terms[] = {0x1.ea182383d47c2p-32, 0x1.e61ca926b47b7p-28, 0x1.b524ce00d2495p-24,
                                          0x1.62bfc6cc40107p-20, 0x1.ffcbfc7c3d14p-17,  0x1.4309130f2fb7ap-13,
                                          0x1.5d87fe78a0e4ep-10, 0x1.3b2ab6fb9ff55p-7,  0x1.c6b08d704a0d7p-5,
                                          0x1.ebfbdff82c5a5p-3,  0x1.62e42fefa39efp-1};
  // exp2_terms times sigmoid_factor
  static constexpr double sigmoid_factor = 171.0 / 128;
  static constexpr double sigmoid_terms[] = {0x1.475e1fb90eeefp-31, 0x1.44b524fcda8e7p-27, 0x1.23ff959a8c77p-23,
                                             0x1.d9ec3394dd95fp-20, 0x1.55dd41a6fccc6p-16, 0x1.af8e1f7649bf5p-13,
                                             0x1.d2f3adf526f1cp-10, 0x1.a50b107427b1cp-7,  0x1.2fb7ee7a0177p-4,
                                             0x1.48a13e9ac5a05p-2,  0x1.da1cd80a24965p-1};
  // 2^-60.9, 2^-69.8
  static constexpr double sinh_terms[] = {0x1.af631dcacae6dp-26, 0x1.71ddf6badd01dp-19, 0x1.a01a01b009b9ep-13,
                                          0x1.111111110f808p-7, 0x1.5555555555558p-3};
  static constexpr double cosh_terms[] = {0x1.1f9768ad2105bp-29, 0x1.27e4c4129aff7p-22, 0x1.a01a01b19d2c3p-16,
                                          0x1.6c16c16c1408p-10,  0x1.555555555555bp-5,  0x1.0p-1};
  // (2 atanh(s) / s - 2) / s^2 in powers of s^2, s^2 from 0 to 1/25: 2^-60.8
  static constexpr double log_terms[] = {0x1.1bbe7763fb0c6p-3, 0x1.0dc751c6504bdp-3, 0x1.3b35a0413305ap-3,
                                         0x1.745c4ff18f05dp-3, 0x1.c71c7461b17d5p-3, 0x1.249249223f8b8p-2,
                                         0x1.999999999b7a3p-2, 0x1.5555555555552p-1};
  // 2^-58.2
  static constexpr double log1p_terms[] = {-0x1.143d380011077p-16, 0x1.a0a644369ff3p-13,  -0x1.2a9d8bf60e092p-10,
                                           0x1.0fe23d4318b15p-8,   -0x1.637e81260b7fp-7,  0x1.66eb8fbeb3d18p-6,
                                           -0x1.273285242cd2bp-5,  0x1.9e4a696434f4p-5,   -0x1.032442dd5ff37p-4,
                                           0x1.2d21d5cfd7f49p-4,   -0x1.509bcf80b5de8p-4, 0x1.7314a975dfc25p-4,
                                           -0x1.99533ebb01815p-4,  0x1.c710c9494935dp-4,  -0x1.fffe8b1b8b0bap-4,
                                           0x1.2492382bce837p-3,   -0x1.55555442ab647p-3, 0x1.9999998e5bd4dp-3,
                                           -0x1.ffffffffbbc0fp-3,  0x1.5555555554f2fp-2,  -0x1.ffffffffffffbp-2};
};

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
