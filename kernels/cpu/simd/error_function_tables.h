// Coefficients of the error function: of erf(x) / x, of exp(x^2) erfc(x) / v as a function of v = 1 / (x + 2), and of
// the tail of the normal distribution, in sixteen pieces (see polynomial.h). Interpolated at Chebyshev nodes, computed
// with 50 digits, unless said otherwise; lowest first.
#pragma once

#include "polynomial.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename T>
struct error_function;

// Absolute error of the ratio: 2^-28.5.
template <>
struct error_function<float> {
  // In powers of x^2, for x up to 1/2, within 2^-28; small[0] is the low part of small_first.
  static constexpr float small_first = 0x1.20dd76p0f;
  static constexpr float small[] = {-0x1.f7ac92p-25f, -0x1.812746p-2f, 0x1.ce2ef2p-4f,
                                    -0x1.b8200ap-6f,  0x1.54cd6ap-8f,  -0x1.933f0ep-11f};
  static constexpr float step = 0x1.04p-2f, one_from = 3.93f;
  static constexpr float ratio[7][16] = {
      {0x1.20dd76p0f, 0x1.1ac698p0f, 0x1.09d7fp0f, 0x1.e3087cp-1f, 0x1.ac0b3ap-1f, 0x1.7605b4p-1f, 0x1.459856p-1f,
       0x1.1ca08ep-1f, 0x1.f61226p-2f, 0x1.bf8ed8p-2f, 0x1.932a5ep-2f, 0x1.6e9b36p-2f, 0x1.501398p-2f, 0x1.363a88p-2f,
       0x1.2011f8p-2f, 0x1.0cdd9ap-2f},
      {-0x1.f735eap-25f, -0x1.0c5556p-25f, -0x1.318956p-25f, -0x1.d4b4dp-26f, 0x1.8d7eccp-26f, 0x1.9b206ep-29f,
       0x1.ac84c6p-28f, 0x1.39a512p-28f, -0x1.31848ap-27f, -0x1.5aad3cp-27f, -0x1.2e0fbp-31f, 0x1.f59f46p-30f,
       -0x1.880768p-35f, 0x1.35c512p-28f, -0x1.19c378p-28f, -0x1.3c0d4cp-27f},
      {-0x1.06e644p-25f, -0x1.786216p-3f, -0x1.4fde38p-2f, -0x1.a32356p-2f, -0x1.b55ccap-2f, -0x1.979cdp-2f,
       -0x1.60f9d4p-2f, -0x1.24ac72p-2f, -0x1.dbf9c8p-3f, -0x1.82404cp-3f, -0x1.3c2096p-3f, -0x1.062e9cp-3f,
       -0x1.b91132p-4f, -0x1.77eb74p-4f, -0x1.442764p-4f, -0x1.1a6092p-4f},
      {-0x1.81268ap-2f, -0x1.5621c8p-2f, -0x1.ced42cp-3f, -0x1.82335cp-4f, 0x1.2bd652p-6f, 0x1.6a044ap-4f,
       0x1.d8f95p-4f, 0x1.ce6346p-4f, 0x1.8a05f6p-4f, 0x1.391c46p-4f, 0x1.e35e06p-5f, 0x1.73b442p-5f, 0x1.20a966p-5f,
       0x1.c7358ep-6f, 0x1.6cb3a4p-6f, 0x1.288f1cp-6f},
      {-0x1.8d4602p-14f, 0x1.b29c5ap-4f, 0x1.57d11ep-3f, 0x1.585122p-3f, 0x1.f4fc36p-4f, 0x1.fa81bap-5f, 0x1.992a2ap-7f,
       -0x1.01892cp-6f, -0x1.a4a6a2p-6f, -0x1.9aa1b6p-6f, -0x1.4ef9f6p-6f, -0x1.f9f602p-7f, -0x1.745b46p-7f,
       -0x1.126122p-7f, -0x1.99d798p-8f, -0x1.375f42p-8f},
      {0x1.d4177ap-4f, 0x1.68024ap-4f, 0x1.f25f22p-6f, -0x1.b569f4p-6f, -0x1.d4a03ep-5f, -0x1.d1c9b6p-5f,
       -0x1.3b522ep-5f, -0x1.22bf4cp-6f, -0x1.beb728p-9f, 0x1.b70e64p-9f, 0x1.4ca196p-8f, 0x1.2a53b4p-8f, 0x1.c56bdp-9f,
       0x1.445bb2p-9f, 0x1.ca5acap-10f, 0x1.46e4c6p-10f},
      {-0x1.4c535ap-7f, -0x1.2816f6p-5f, -0x1.97f4fap-5f, -0x1.2c6758p-5f, -0x1.66c12ep-7f, 0x1.3ca456p-7f,
       0x1.195e7cp-6f, 0x1.d80fb2p-7f, 0x1.094884p-7f, 0x1.7e9846p-9f, 0x1.59de4ap-13f, -0x1.9a03p-11f,
       -0x1.c3aac4p-11f, -0x1.621294p-11f, -0x1.f1c3f8p-12f, -0x1.53c28ep-12f},
  };
};

// Within 2^-58.
template <>
struct error_function<double> {
  // In powers of x^2, for x up to 1/2, within 2^-55.9; small[0] is the low part of small_first.
  static constexpr double small_first = 0x1.20dd750429b6dp0;
  static constexpr double small[] = {0x1.1ae3a914fed8p-56,  -0x1.812746b0379e6p-2,  0x1.ce2f21a042b23p-4,
                                     -0x1.b82ce3127f317p-6, 0x1.565bcd0a8f3a6p-8,   -0x1.c02db23457503p-11,
                                     0x1.f9a2a45e0f4f8p-14, -0x1.f4bb5b6510123p-17, 0x1.b77175035cfbbp-20,
                                     -0x1.39d731ad39ce1p-23};
  static constexpr double step = 0x1.8cp-2, one_from = 5.95;
  static constexpr double ratio[14][16] = {
      {0x1.20dd750429b6dp0, 0x1.1316b67c2f75p0, 0x1.e0921c9ad5117p-1, 0x1.8ccf2c6c90863p-1, 0x1.417dbe1b17c56p-1,
       0x1.07234070d61bep-1, 0x1.b8dd31be8e43cp-2, 0x1.7a39b186113d9p-2, 0x1.4afc62e19a29p-2, 0x1.2636869f50113p-2,
       0x1.08caba6e4fe82p-2, 0x1.e1709a279f181p-3, 0x1.b951e2b12be08p-3, 0x1.975f4768d19bcp-3, 0x1.7a463005e910dp-3,
       0x1.610e4ef473281p-3},
      {0x1.1ae2522afde05p-56, -0x1.cd8d69e8a29cep-55, 0x1.949346553c435p-61, -0x1.deacce38cdf64p-56,
       -0x1.e871f65a92e18p-56, 0x1.329a96537a5b9p-56, -0x1.467c4b3f9d51ep-56, 0x1.372d0d43b6a54p-56,
       0x1.573cd3a3316eep-57, -0x1.0594122d55f7bp-56, 0x1.bac198843545fp-56, -0x1.90967a228dae2p-57,
       -0x1.dd7202af872dep-58, -0x1.bf99a72c9ade2p-59, -0x1.4dc3f128f1246p-63, 0x1.c76fd6121029ap-58},
      {0x1.249054e43a674p-61, -0x1.108935c7b5945p-2, -0x1.a55484413bd1ep-2, -0x1.a8d3884558becp-2,
       -0x1.5b6a06d9fe53dp-2, -0x1.01f674f8e816fp-2, -0x1.776eb75ac684fp-3, -0x1.16e0e3b98f47fp-3, -0x1.abd653c4b9fdp-4,
       -0x1.521f7e87720bep-4, -0x1.11e2a8cf0fff8p-4, -0x1.c4b4287d19cb5p-5, -0x1.7c659c8d538c7p-5,
       -0x1.44200c425d58dp-5, -0x1.1779ac87deeap-5, -0x1.e6e8768ae0a29p-6},
      {-0x1.812746b0379e9p-2, -0x1.22387a8cb23cbp-2, -0x1.6a1355aba21cbp-4, 0x1.05b4d2bb42237p-4, 0x1.dc0f42897d2eep-4,
       0x1.a7b910adfe89p-4, 0x1.2e63ec12cc4ep-4, 0x1.96021bb396dc8p-5, 0x1.13eff5424fc6ep-5, 0x1.847e51211bf1ep-6,
       0x1.1b491f98823fdp-6, 0x1.a9aeae431a0f7p-7, 0x1.47e25ac465d69p-7, 0x1.01e3cadf491f9p-7, 0x1.9cf64872d55d5p-8,
       0x1.4fc0e12bdf416p-8},
      {0x1.2464558a89cddp-46, 0x1.2abf721cc8bf5p-3, 0x1.559e4547bfb9fp-3, 0x1.673b15a86c44p-4, 0x1.25f3b69b3b035p-7,
       -0x1.8191006be1647p-6, -0x1.923779078b6fcp-6, -0x1.178b8e24b8728p-6, -0x1.5fbacc65aa588p-7,
       -0x1.bd94f5eb3fdacp-8, -0x1.24f4a7a347a16p-8, -0x1.9044c73860661p-9, -0x1.1a9edaa98aae2p-9,
       -0x1.9a612254ecfe6p-10, -0x1.311a6fe143456p-10, -0x1.cf0bba971728fp-11},
      {0x1.ce2f21a031f83p-4, 0x1.ecf7d2caf9bcp-5, -0x1.de2297b352ef3p-6, -0x1.efbd8fa0d1578p-5, -0x1.2ade82aacce0dp-5,
       -0x1.016e7c91642p-7, 0x1.fbe3099a21b69p-9, 0x1.3eb2f0de39a12p-8, 0x1.ab06cdf71c077p-9, 0x1.fa5ae2aba03c8p-10,
       0x1.2e97a35979e12p-10, 0x1.78550c73f6c6cp-11, 0x1.e735275390988p-12, 0x1.46848e900f45fp-12,
       0x1.c2d4af64aef7ep-13, 0x1.3f4c86de199cbp-13},
      {0x1.2458cc75a88dep-35, -0x1.825e6e2dfca36p-5, -0x1.2496da5bd9dep-5, 0x1.316d8d25d48ffp-9, 0x1.1c13c8b77cf7cp-6,
       0x1.5a1b46921522ap-7, 0x1.370abbd5ab23fp-9, -0x1.406e158b00594p-11, -0x1.b70215e83b09fp-11,
       -0x1.1527a4629c70dp-11, -0x1.36a41f26fc159p-12, -0x1.6196aeb200081p-13, -0x1.a3ed05f177b07p-14,
       -0x1.03caf18141412p-14, -0x1.4d14d0a852649p-15, -0x1.b85a5e8f7d7e7p-16},
      {-0x1.b82ce3de2eac3p-6, -0x1.1b9acf2a59d86p-7, 0x1.f825b64606f35p-7, 0x1.b1ddf1bde9ad8p-7, 0x1.975b47bb2dc2ap-13,
       -0x1.1a87cb8721778p-8, -0x1.358cfd0481bc8p-9, -0x1.e2155b921b7f3p-12, 0x1.b6c093578a007p-14,
       0x1.0aa9331be0a58p-13, 0x1.3709b74ebc7c7p-14, 0x1.4b15051eff582p-15, 0x1.69d268683d03dp-16,
       0x1.9d65fdc44c7a4p-17, 0x1.ec2bf0da41d84p-18, 0x1.2fa69c0d7f9d7p-18},
      {0x1.7a3d673d0c8cap-27, 0x1.68304807dcfefp-7, 0x1.2060768c0be6dp-8, -0x1.2da7b3d2e93a9p-8, -0x1.e2193e0132e1ep-9,
       0x1.819e5f8b3121p-15, 0x1.ee53e782475efp-11, 0x1.b623e12819decp-12, 0x1.025c465895b85p-14,
       -0x1.3194ba916eef2p-16, -0x1.1d3ffa9eb0fa4p-16, -0x1.3193e9a534312p-17, -0x1.3740a8b089599p-18,
       -0x1.48df797ade9c8p-19, -0x1.6b9f43cdd5debp-20, -0x1.a2c5afb12dcf1p-21},
      {0x1.5659effc50d7p-8, 0x1.5d22539afff96p-11, -0x1.f079ed05464d3p-9, -0x1.4e50f864baad4p-10, 0x1.56e860a33c182p-10,
       0x1.9b94e2733b6c8p-11, -0x1.3e826dbf405dfp-14, -0x1.6fa05a49d8f3fp-13, -0x1.e790cb84c4f6p-15,
       -0x1.6ae1cf03f17e7p-18, 0x1.7a741a1647f36p-19, 0x1.0bb7015f5d21bp-19, 0x1.09dd5f24a5948p-20,
       0x1.0576692071c2p-21, 0x1.0ca353e096d59p-22, 0x1.20c4de608e0fcp-23},
      {0x1.97d63b29d8a9p-21, -0x1.0718f862f8d28p-9, -0x1.4101250172601p-13, 0x1.275b5dad9db5ap-10,
       0x1.be8207c0625bdp-13, -0x1.58e7cd1a98817p-12, -0x1.021da8aafa139p-13, 0x1.e8b9a7a148b45p-16,
       0x1.bcbbb6bb8a00cp-16, 0x1.a1872aaa59722p-18, 0x1.b437a7789ddf9p-23, -0x1.86da2075fe8edp-22,
       -0x1.ba3b8d22f349dp-23, -0x1.9e8689e52e64p-24, -0x1.8cd86007e658fp-25, -0x1.8e3de9026e617p-26},
      {-0x1.c1f97715e9f33p-11, 0x1.5cf6e2794ac5fp-15, 0x1.5006ca799d0d6p-11, -0x1.7de643079ff7fp-15,
       -0x1.203eadfca7b44p-12, -0x1.d3463ff3a8a8ep-19, 0x1.17515c9299352p-14, 0x1.9b19507af1142p-17,
       -0x1.b799ec8f8611dp-18, -0x1.a6259c93f8516p-19, -0x1.08e393aee7a62p-21, 0x1.7ef8412f6c4a8p-26,
       0x1.4f2db92e2686p-25, 0x1.44cc8b5fc3e8p-26, 0x1.24d400487610fp-27, 0x1.129810450bb2bp-28},
      {0x1.3d2e88dcd6e2dp-17, 0x1.36f0ed54581aap-12, -0x1.05f63dfaed3a5p-14, -0x1.4cd667270ed19p-13,
       0x1.5d861837a831ap-15, 0x1.a303e8a12555bp-15, -0x1.1e8ff9a0f821cp-17, -0x1.4f681d6fbb3fp-17,
       -0x1.65bf7ebe8f2ebp-22, 0x1.0a4f17dca8247p-20, 0x1.356a0325908fp-22, 0x1.d9bbffc915863p-26,
       -0x1.57c128b98c062p-28, -0x1.e8e1821c8045cp-29, -0x1.aff0594273eefp-30, -0x1.7bed47f035b67p-31},
      {0x1.c3cedbadbf4ecp-14, -0x1.967fc20e01564p-16, -0x1.54270558019cp-14, 0x1.2ce94d5bdbdcp-15,
       0x1.cddc06b8a3f08p-16, -0x1.f67288c8aad06p-17, -0x1.8b672aa49a381p-18, 0x1.632b0677b52e9p-19,
       0x1.143b5161e67edp-20, -0x1.1a1914acdc63p-23, -0x1.d1fbe0aa994c2p-24, -0x1.4f228762eb3a6p-26,
       -0x1.7c75fdba909d7p-31, 0x1.3af4028130549p-31, 0x1.380cbafb64981p-32, 0x1.058949b7bcf1bp-33},
  };
};

template <typename T>
struct scaled_complement;

// From 0, within 2^-30.1.
template <>
struct scaled_complement<float> {
  static constexpr float step = 0x1.088p-5f, zero_from = 10.25f, half_at = 0.46875f;
  static constexpr float ratio[6][16] = {
      {0x1.20dd76p-1f, 0x1.349f68p-1f, 0x1.4acce4p-1f, 0x1.63bd74p-1f, 0x1.7fcf44p-1f, 0x1.9f6438p-1f, 0x1.c2ddc6p-1f,
       0x1.ea97ecp-1f, 0x1.0b71fcp0f, 0x1.2401cep0f, 0x1.3f1288p0f, 0x1.5cb042p0f, 0x1.7cdb92p0f, 0x1.9f89b2p0f,
       0x1.c4a552p0f, 0x1.ec0fdp0f},
      {-0x1.f7b22p-26f, -0x1.ca81c6p-26f, 0x1.a813cp-27f, -0x1.db50fp-26f, -0x1.ace1e2p-26f, 0x1.acde9cp-26f,
       0x1.4072eep-27f, 0x1.9af48ep-26f, -0x1.0745bp-26f, -0x1.21fbd6p-25f, -0x1.2e0462p-25f, 0x1.c8a38p-25f,
       0x1.7168p-27f, 0x1.265f04p-28f, 0x1.5b0d64p-25f, -0x1.b12c98p-26f},
      {0x1.20dd76p0f, 0x1.43dbdcp0f, 0x1.6be7aap0f, 0x1.997872p0f, 0x1.cce1cp0f, 0x1.031fccp1f, 0x1.22b2f4p1f,
       0x1.44ebcp1f, 0x1.69637p1f, 0x1.8f90a4p1f, 0x1.b6d0c6p1f, 0x1.de735ep1f, 0x1.02e2dcp2f, 0x1.160e88p2f,
       0x1.286f44p2f, 0x1.39c25cp2f},
      {0x1.f9836ep0f, 0x1.21d96ep1f, 0x1.4ae8ecp1f, 0x1.77243p1f, 0x1.a527c8p1f, 0x1.d2fedp1f, 0x1.fe4c4p1f,
       0x1.1248acp2f, 0x1.21bf9ap2f, 0x1.2c9f42p2f, 0x1.324f08p2f, 0x1.329176p2f, 0x1.2d7eeep2f, 0x1.237718p2f,
       0x1.150dd2p2f, 0x1.02f76ap2f},
      {0x1.691fp1f, 0x1.943b56p1f, 0x1.b9f6a6p1f, 0x1.d47a6p1f, 0x1.dd954ep1f, 0x1.d0084ap1f, 0x1.a8e9bcp1f,
       0x1.68826ap1f, 0x1.1250bap1f, 0x1.588b3p0f, 0x1.ecb1a4p-2f, -0x1.93b126p-2f, -0x1.3ae7fcp0f, -0x1.fcc21ep0f,
       -0x1.51d672p1f, -0x1.95f6e2p1f},
      {0x1.548b9p1f, 0x1.402e84p1f, 0x1.0102f2p1f, 0x1.23d3e4p0f, -0x1.6e6916p-4f, -0x1.9412e2p0f, -0x1.936a0cp1f,
       -0x1.26cc48p2f, -0x1.70ebe6p2f, -0x1.a0c0a6p2f, -0x1.b3cf16p2f, -0x1.abda2p2f, -0x1.8d8862p2f, -0x1.5ee792p2f,
       -0x1.263206p2f, -0x1.d1f974p1f},
  };
};

// From 0.34 to 27.3, within 2^-62.
template <>
struct scaled_complement<double> {
  static constexpr double step = 0x1.c5p-6, zero_from = 28, half_at = 0.46875;
  static constexpr double ratio[11][16] = {
      {0x1.20dd750429b6dp-1, 0x1.31a495553b47bp-1, 0x1.44292622a5421p-1, 0x1.58a113a15e19cp-1, 0x1.6f463bd379545p-1,
       0x1.885547655d7eap-1, 0x1.a40c02e74dcd2p-1, 0x1.c2a7493ea30afp-1, 0x1.e460a58173678p-1, 0x1.04b5f0f15df26p0,
       0x1.18fa5f337aa18p0, 0x1.2f0e82026ed4cp0, 0x1.46fd8d28f1969p0, 0x1.60cc99b07382ap0, 0x1.7c7a87b4ed0b4p0,
       0x1.9a002599938cdp0},
      {0x1.1bdc2e4f4f12cp-57, 0x1.197ff79f7a9adp-55, 0x1.1a2a2cca0af5ep-59, -0x1.af8512b3e28a7p-55,
       0x1.c7ed39fd73958p-60, -0x1.7aa2211540e6fp-55, 0x1.4dcc14d302d69p-55, -0x1.fceff4d3013b6p-55,
       0x1.8503feafb79bcp-56, 0x1.d5a759eb2f86bp-54, -0x1.cff9a416a2e99p-58, 0x1.fe502ace0e8d3p-56,
       -0x1.c349fa6b57a08p-54, 0x1.22999b7e58e65p-54, 0x1.6724ee2f367c5p-55, -0x1.caeb4f716d55cp-56},
      {0x1.20dd750429b6bp0, 0x1.3e885ef30298cp0, 0x1.5fda09fd27899p0, 0x1.8521388ce324cp0, 0x1.ae9c592df4f4bp0,
       0x1.dc706df332a3fp0, 0x1.07502e9643ad6p1, 0x1.22831e29e905dp1, 0x1.3fa7f9f5f669fp1, 0x1.5e7fff229fa3cp1,
       0x1.7eb91a2e19d05p1, 0x1.9ff1f1410362fp1, 0x1.c1bef6198f79cp1, 0x1.e3afd4949d8c9p1, 0x1.02aa5362929d6p2,
       0x1.13213fb40827fp2},
      {0x1.f9838cc749e4p0, 0x1.1c43b4f15f28dp1, 0x1.3ebdc619277f9p1, 0x1.63c3841fcbf3dp1, 0x1.8a98ae5409dbfp1,
       0x1.b22e56d6b821fp1, 0x1.d92d9df7bc34dp1, 0x1.fe106c40790bfp1, 0x1.0fa225d406e6cp2, 0x1.1da843c1683e9p2,
       0x1.287c2107242a4p2, 0x1.2fa981b88cb76p2, 0x1.32ec9f5d2955fp2, 0x1.323291af4c3b6p2, 0x1.2d9503456c1ecp2,
       0x1.2552c7689c336p2},
      {0x1.6914d243dafc1p1, 0x1.8e505604390dp1, 0x1.b0253444cbe2p1, 0x1.cb0f1c48c2e64p1, 0x1.db2235ca09712p1,
       0x1.dc9cfa00f7f3ep1, 0x1.cc9742771d16bp1, 0x1.a99bac391df3dp1, 0x1.73fc05a9e7af9p1, 0x1.2dcafc23df667p1,
       0x1.b509e5b9dad7bp0, 0x1.fa1eef7db747cp-1, 0x1.e7e79458ff0d7p-3, -0x1.0481c37b6d851p-1, -0x1.38e4d7583c175p0,
       -0x1.e0c062758a7ebp0},
      {0x1.5706fce2a427p1, 0x1.461523a8f984dp1, 0x1.185f526b77a0dp1, 0x1.90aafa5c82adbp0, 0x1.525ba8e666878p-1,
       -0x1.f277f7d93433cp-2, -0x1.cb5fc5f58518p0, -0x1.92736d85cf607p1, -0x1.1a0c1c58b3c7ep2, -0x1.5df3c9dbdd935p2,
       -0x1.8faae83276842p2, -0x1.ac893c1f2b33dp2, -0x1.b46d4950078f6p2, -0x1.a93a1af4573dap2, -0x1.8e269c701f8f1p2,
       -0x1.670f380bcf309p2},
      {-0x1.20e9889d31c3cp-2, -0x1.b473cf15cd9f4p0, -0x1.c212a1b29f248p1, -0x1.62df01c150bcbp2, -0x1.dfa4a7578332dp2,
       -0x1.2034828cdc80cp3, -0x1.38850ff615a46p3, -0x1.3340a766ca36bp3, -0x1.10de4ef24828cp3, -0x1.ae3b6ba3c3328p2,
       -0x1.1dd0d8c72a42ep2, -0x1.077887d0fbf7p1, 0x1.e6ee7ee92df98p-3, 0x1.1db57e1182e2ap1, 0x1.e845c1c0f0f1bp1,
       0x1.3c986bd2045f8p2},
      {-0x1.d08c7a685634bp2, -0x1.3b34697215dfdp3, -0x1.7a13ea00c2ff1p3, -0x1.8ad1104fd92b5p3, -0x1.596971eb57155p3,
       -0x1.c6e20c49c435fp2, -0x1.e00d20fe0b02bp0, 0x1.ebd591084126fp1, 0x1.1d914b67fb3p3, 0x1.9179f924d6f18p3,
       0x1.cb30d44ae9ed5p3, 0x1.cd0ebcd218717p3, 0x1.a29e8cee16544p3, 0x1.5b45b76b206a8p3, 0x1.06120e0b4cf15p3,
       0x1.5e8c643e1cab8p2},
      {-0x1.c16db7663dd5bp3, -0x1.8e4d686b163e7p3, -0x1.c79948f0b2469p2, 0x1.2499cf93573bfp1, 0x1.b7da2bde27937p3,
       0x1.7d0f8ea6d6925p4, 0x1.d4d3e26913c6ap4, 0x1.cc8b21c4766f1p4, 0x1.700f2a7c4cdbcp4, 0x1.c3deda463113dp3,
       0x1.25fa0e2d3e1eap2, -0x1.d51a3f11fc63dp1, -0x1.33a4012bdacaap3, -0x1.a0769f9bd8214p3, -0x1.c55a7ba85e1e2p3,
       -0x1.b436caa3ced93p3},
      {0x1.68bc97902a13cp3, 0x1.c6b5cfb3fa2acp3, 0x1.1021550c34b42p5, 0x1.8a989bf793bep5, 0x1.9ab766e05eae2p5,
       0x1.27df5427b4845p5, 0x1.6dc77d4614b0ap3, -0x1.ee2b492e653ccp3, -0x1.17bccaf70c5aap5, -0x1.5a3ae70fe5ac3p5,
       -0x1.4a441dc4f2922p5, -0x1.045efe79b9d92p5, -0x1.511df4294db38p4, -0x1.3e4745ae9a538p3, -0x1.e681199c6ac23p-1,
       0x1.527963560104bp2},
      {-0x1.26712d380130ap7, 0x1.313f980e7c753p6, 0x1.34a5a308aa323p6, 0x1.3c9ff0e0ba7c5p5, -0x1.99be87d8f13e4p4,
       -0x1.584b2f83ef65p6, -0x1.c15df0b2e33fbp6, -0x1.86b62483acfeep6, -0x1.c5c03fc1a488ap5, -0x1.5afc3d52cf603p3,
       0x1.85f21904847e8p4, 0x1.58f5a138815d1p5, 0x1.78751d8ee75eep5, 0x1.4987689af40aep5, 0x1.eb9a3d8fb4d24p4,
       0x1.3873c2b7894fdp4},
  };
};

// exp(x^2 / 2) P(-x), with P the normal distribution function, for x up to where x P(-x) is 0. Relative error 2^-25.3.
struct scaled_normal_tail {
  static constexpr float step = 0x1.dcp-1f, zero_from = 14.4f;
  static constexpr float ratio[9][16] = {
      {0x1.0p-1f, 0x1.1611e8p-2f, 0x1.6b3e98p-3f, 0x1.089a4ap-3f, 0x1.9cd402p-4f, 0x1.511ea2p-4f, 0x1.1c50a2p-4f,
       0x1.eb155p-5f, 0x1.afdd9ap-5f, 0x1.813bep-5f, 0x1.5b98d2p-5f, 0x1.3c99e8p-5f, 0x1.22a49cp-5f, 0x1.0c97f8p-5f,
       0x1.f345e6p-6f, 0x1.d2555cp-6f},
      {0x1.418898p-34f, 0x1.c5ce94p-27f, 0x1.5cd5b8p-28f, 0x1.dd2b1ap-28f, 0x1.47123p-33f, -0x1.babfb6p-31f,
       0x1.ef567ep-29f, 0x1.b5472cp-30f, -0x1.7a43dep-31f, 0x1.2fe8fp-30f, 0x1.b2014ap-30f, 0x1.54042cp-30f,
       -0x1.cf043p-30f, 0x1.ba2104p-31f, 0x1.f04c2p-31f, 0x1.528dcep-32f},
      {-0x1.988454p-2f, -0x1.2bff5ap-3f, -0x1.1b4086p-4f, -0x1.3c2946p-5f, -0x1.8b7396p-6f, -0x1.0bf3a4p-6f,
       -0x1.80fcp-7f, -0x1.210786p-7f, -0x1.c1139ap-8f, -0x1.667cc6p-8f, -0x1.248e8ep-8f, -0x1.e64a48p-9f,
       -0x1.9a637ap-9f, -0x1.5ede56p-9f, -0x1.2f5b0cp-9f, -0x1.08d692p-9f},
      {0x1.ffffccp-3f, 0x1.153cc6p-4f, 0x1.8fa29cp-6f, 0x1.613c2ap-7f, 0x1.69746ep-8f, 0x1.9baff4p-9f, 0x1.fc1db2p-10f,
       0x1.4d891ep-10f, 0x1.cbac06p-11f, 0x1.495c1ep-11f, 0x1.e74a58p-12f, 0x1.722b72p-12f, 0x1.1f8fap-12f,
       0x1.c7630ep-13f, 0x1.6e911ap-13f, 0x1.2b5516p-13f},
      {-0x1.1053aep-3f, -0x1.c85668p-6f, -0x1.03f56cp-7f, -0x1.7499fp-9f, -0x1.3cdc9ap-10f, -0x1.328c56p-11f,
       -0x1.47632ap-12f, -0x1.79ba66p-13f, -0x1.cf791p-14f, -0x1.2ae3c2p-14f, -0x1.91af14p-15f, -0x1.175aaap-15f,
       -0x1.90081ep-16f, -0x1.25a5dp-16f, -0x1.b8814ap-17f, -0x1.50adeap-17f},
      {0x1.ff517ap-5f, 0x1.561cb4p-7f, 0x1.3bcd36p-9f, 0x1.75aa54p-11f, 0x1.0b76bap-12f, 0x1.bb8898p-14f,
       0x1.9c7fbp-15f, 0x1.a4318cp-16f, 0x1.cc95fp-17f, 0x1.0c05ecp-17f, 0x1.47d592p-18f, 0x1.a218f8p-19f,
       0x1.143ea6p-19f, 0x1.785988p-20f, 0x1.073d96p-20f, 0x1.78e026p-21f},
      {-0x1.acecc6p-6f, -0x1.db4194p-9f, -0x1.69d966p-11f, -0x1.66618p-13f, -0x1.b4505ap-15f, -0x1.386916p-16f,
       -0x1.fcdep-18f, -0x1.cb8d94p-19f, -0x1.c366d8p-20f, -0x1.db2f28p-21f, -0x1.08fc68p-21f, -0x1.364ff2p-22f,
       -0x1.7ad70ap-23f, -0x1.df65dcp-24f, -0x1.38fp-24f, -0x1.a3e212p-25f},
      {0x1.2f8bccp-7f, 0x1.42193ap-10f, 0x1.95a96ep-13f, 0x1.51792cp-15f, 0x1.5e8edap-17f, 0x1.b2b9acp-19f,
       0x1.36bb6p-20f, 0x1.f2724p-22f, 0x1.b75b1cp-23f, 0x1.a2cb0cp-24f, 0x1.aa43cap-25f, 0x1.caaf3p-26f,
       0x1.02d21cp-26f, 0x1.305bbap-27f, 0x1.72f9acp-28f, 0x1.d2a3bap-29f},
      {-0x1.0e192cp-9f, -0x1.89ab26p-12f, -0x1.a45b1cp-15f, -0x1.2b30d6p-17f, -0x1.0ccc22p-19f, -0x1.238d82p-21f,
       -0x1.70848ep-23f, -0x1.07f6f8p-24f, -0x1.a35a38p-26f, -0x1.6b211ap-27f, -0x1.522bd4p-28f, -0x1.4f0c3ap-29f,
       -0x1.5e182p-30f, -0x1.7f148cp-31f, -0x1.b4677ep-32f, -0x1.018b74p-32f},
  };
};

// x P(-x), which is max(x, 0) - gelu(x) and to either side of zero the same, for x up to 5.33. Of the steps about 0.34
// this is the one whose constant coefficients are closest to floats; the others are minimax, each rounded before the
// next. Relative error 2^-25.3.
struct lost_by_gelu {
  static constexpr float step = 0x1.60484p-2f, up_to = 5.3125f;
  static constexpr float terms[8][16] = {
      {0, 0x1.017516p-3f, 0x1.5a3cc8p-3f, 0x1.3f34b4p-3f, 0x1.dbb18ap-4f, 0x1.2ce19ep-4f, 0x1.49c346p-5f,
       0x1.3c483ep-6f, 0x1.0aeccap-7f, 0x1.8db556p-9f, 0x1.060f26p-10f, 0x1.31d91ap-12f, 0x1.3c63b8p-14f,
       0x1.2244fap-16f, 0x1.d88dbep-19f, 0x1.55618ep-21f},
      {0x1p-1f, 0x1.e36feap-3f, 0x1.dc5b36p-6f, -0x1.738892p-4f, -0x1.075c96p-3f, -0x1.d14c6p-4f, -0x1.40cf36p-4f,
       -0x1.6f862cp-5f, -0x1.67134ap-6f, -0x1.2f3942p-7f, -0x1.be144p-9f, -0x1.1f33aep-10f, -0x1.44c2dcp-12f,
       -0x1.43398ep-14f, -0x1.1b9ddcp-16f, -0x1.b75b6ep-19f},
      {-0x1.988454p-2f, -0x1.6a41acp-2f, -0x1.ec2efcp-3f, -0x1.c06534p-4f, -0x1.0db446p-7f, 0x1.64ddd2p-5f,
       0x1.b6d85cp-5f, 0x1.55b80cp-5f, 0x1.9cc4b4p-6f, 0x1.9ad5bcp-7f, 0x1.5a0bb6p-8f, 0x1.f46c8ap-10f, 0x1.394ca6p-11f,
       0x1.55957cp-13f, 0x1.458cf4p-15f, 0x1.0ffd0ep-17f},
      {0x1.f3b5fcp-21f, 0x1.56cd8p-4f, 0x1.04c64p-3f, 0x1.e44aacp-4f, 0x1.3244a6p-4f, 0x1.bc63fcp-6f, -0x1.16957cp-8f,
       -0x1.03d264p-6f, -0x1.e5a33cp-7f, -0x1.383c28p-7f, -0x1.3c2272p-8f, -0x1.0863bp-9f, -0x1.75d03ap-11f,
       -0x1.c4a646p-13f, -0x1.d9570cp-15f, -0x1.addc28p-17f},
      {0x1.103e02p-4f, 0x1.97df62p-5f, 0x1.81c164p-7f, -0x1.74c538p-6f, -0x1.2ac36p-5f, -0x1.eca064p-6f,
       -0x1.efc97ep-7f, -0x1.63aa1cp-9f, 0x1.9be286p-9f, 0x1.03c498p-8f, 0x1.67229p-9f, 0x1.70781cp-10f,
       0x1.2ff47cp-11f, 0x1.a18c1ap-13f, 0x1.e602aap-15f, 0x1.e4ad66p-17f},
      {0x1.36465cp-12f, -0x1.2bf98ep-6f, -0x1.81a3a6p-6f, -0x1.e73b86p-7f, -0x1.7918fp-10f, 0x1.e969fap-8f,
       0x1.1d95b4p-7f, 0x1.6025ccp-8f, 0x1.b1967p-10f, -0x1.893984p-12f, -0x1.c29b1cp-11f, -0x1.50432cp-11f,
       -0x1.5a59ep-12f, -0x1.183726p-13f, -0x1.734168p-15f, -0x1.9c9fdp-17f},
      {-0x1.7c07e4p-7f, -0x1.df1f96p-9f, 0x1.42d1dcp-8f, 0x1.137914p-7f, 0x1.fe6632p-9f, 0x1.0f8512p-10f,
       -0x1.5580c4p-10f, -0x1.f8f042p-10f, -0x1.67434cp-10f, -0x1.0534ccp-11f, -0x1.fdc826p-17f, 0x1.3b41fcp-13f,
       0x1.0f7bb4p-13f, 0x1.12c6bcp-14f, 0x1.af6d82p-16f, 0x1.136822p-17f},
      {0x1.d3cf22p-9f, 0x1.26dbc4p-7f, 0x1.f7bb3ep-9f, -0x1.0e56e4p-11f, 0x1.2d14f4p-10f, 0x1.5bbe2ap-13f,
       -0x1.afd2c2p-12f, -0x1.440182p-12f, 0x1.becd02p-13f, 0x1.b3e002p-13f, 0x1.57e3aap-13f, 0x1.f43c7ap-16f,
       -0x1.225d4ap-15f, -0x1.6380e6p-16f, -0x1.633b8cp-17f, -0x1.1222e2p-18f},
  };
};

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
