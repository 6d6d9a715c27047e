// Coefficients of erfinv(x) / x as a function of sqrt(-log(1 - x^2)), in sixteen pieces: interpolated at Chebyshev
// nodes, computed with 50 digits; lowest first.
#pragma once

#include "polynomial.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename T>
struct inverse_error_function;

// Of a float, in double: by sqrt(-log2(1 - x^2)), minimax within 2^-30.1.
template <>
struct inverse_error_function<float> {
  static constexpr double step = 0x1.3dp-2;
  static constexpr double ratio[6][16] = {
      {0x1.c5bf891b7287ep-1, 0x1.cdaa33544092bp-1, 0x1.e5b4e50753865p-1, 0x1.074f196c86793p0, 0x1.249929a914691p0,
       0x1.4ad476b4f9248p0, 0x1.797d58a8c6d5dp0, 0x1.af4beb92843c2p0, 0x1.ea6c075ba337p0, 0x1.147e2534ccf3bp1,
       0x1.34c01e46fac1ap1, 0x1.5583663255a29p1, 0x1.7687c3e2c56c5p1, 0x1.97ae64d0ca0a3p1, 0x1.b8e8982d5131p1,
       0x1.da2eada29b583p1},
      {-0x1.01a8d776b682dp-28, 0x1.9a7b2a7f0e812p-4, 0x1.a1be3385df26cp-3, 0x1.40adf69cc67d6p-2, 0x1.b48918cd02403p-2,
       0x1.13319325033cfp-1, 0x1.464c77df5ca88p-1, 0x1.6eeb4f2d43fecp-1, 0x1.8af8a52648871p-1, 0x1.9bce24ee028eep-1,
       0x1.a4ced13832397p-1, 0x1.a956ac0020e2dp-1, 0x1.aba707999ff01p-1, 0x1.acecf106783d9p-1, 0x1.adaecb6fab689p-1,
       0x1.ae263cd0a5b01p-1},
      {0x1.495beaabda1cep-3, 0x1.4fac384f2ffe4p-3, 0x1.5fe7f0e43eafdp-3, 0x1.71b2c9982e40dp-3, 0x1.777f5922e2fabp-3,
       0x1.62a2295c5f4a7p-3, 0x1.2c601dc076747p-3, 0x1.bc45b697847f4p-4, 0x1.1befaa0e4ab8ep-4, 0x1.3dcaf407a6436p-5,
       0x1.44dedf1f02492p-6, 0x1.45825e00a77d7p-7, 0x1.5883739f0e6bcp-8, 0x1.8d727f2021e59p-9, 0x1.e631851126bf8p-10,
       0x1.2b3d08296aebfp-10},
      {-0x1.8064c1e3f82b8p-18, 0x1.a3c622cca0c84p-8, 0x1.457341e1a4f51p-7, 0x1.ef447be68b4bcp-8, -0x1.73117d536dbfdp-9,
       -0x1.4431f7ebc685p-6, -0x1.2a4a2ef807d66p-5, -0x1.668923d4a7aedp-5, -0x1.3d130d23a4fb9p-5, -0x1.b2e43014dcd72p-6,
       -0x1.e5ffa8f8ab691p-7, -0x1.d8a235422e67dp-8, -0x1.b7f24d4dc1e56p-9, -0x1.b6f3a1ba5347ap-10,
       -0x1.f6091a41fa951p-11, -0x1.424bc3effeea7p-11},
      {0x1.70108e8f39d36p-8, 0x1.1f41649158703p-8, 0x1.b48bb53da5c4fp-11, -0x1.49e7e21b7434bp-8, -0x1.7ab57954f75b8p-7,
       -0x1.e247a4efbdf5fp-7, -0x1.5c1456e3ed401p-7, -0x1.7ad39f617ff5ap-11, 0x1.051a5df14dc52p-7, 0x1.552f604f82d63p-7,
       0x1.048368f0590fp-7, 0x1.23b2a7da4c2f5p-8, 0x1.0bd4d7677df42p-9, 0x1.c393b144be4cdp-11, 0x1.9288bd33bd305p-12,
       0x1.a7c1c0635d2c8p-13},
      {-0x1.85cccb4431b73p-12, -0x1.8662d707867dcp-10, -0x1.96722bcbd0c5cp-9, -0x1.1aa5de0aff38dp-8,
       -0x1.e069db4a4732p-9, 0x1.adcaa49ca0fb2p-15, 0x1.4c6ff5b26dc2bp-8, 0x1.c12e7349c6599p-8, 0x1.f135a0af8f6f5p-9,
       -0x1.afdf92fc4ae22p-12, -0x1.2cb140339d863p-9, -0x1.06aa11b2c9f56p-9, -0x1.23e952aa3de26p-10,
       -0x1.f6ca50a4f2582p-12, -0x1.7e8a279088ef4p-13, -0x1.2dfcd3d7f051cp-14},
  };
};

// Within 2^-56.8.
template <>
struct inverse_error_function<double> {
  static constexpr double step = 0x1.8ep-2;
  static constexpr double ratio[14][16] = {
      {0x1.c5bf891b4ef6bp-1, 0x1.d7d301424e239p-1, 0x1.07b57a26afddap0, 0x1.378900fe14792p0, 0x1.7b1dca69900f5p0,
       0x1.ceb2e8d1e85a3p0, 0x1.1607b5245f249p1, 0x1.46ee9b9169299p1, 0x1.78a86344a3193p1, 0x1.aab0b98b692d9p1,
       0x1.dcdb5e969c164p1, 0x1.078b259b77ccap2, 0x1.20ac11309f5e6p2, 0x1.39cdc25e8536cp2, 0x1.52eea7eea7635p2,
       0x1.6c0ddb3ac8cap2},
      {-0x1.618f211205fa7p-55, 0x1.f037ee74f295dp-55, 0x1.428c888a3e63dp-55, 0x1.a918c19c8644fp-55,
       0x1.acb91d71706e9p-54, 0x1.8adcf92a60122p-56, -0x1.8fc8ff87941d6p-53, -0x1.15e1fcc36c20fp-53,
       -0x1.b7e4c9f4ca744p-53, -0x1.3d4c125d2b1fap-53, 0x1.3ba25f3e868dep-53, -0x1.e9ad9a6499b46p-53,
       0x1.ea0e93ac50eb1p-52, 0x1.1e9c132014ca4p-53, 0x1.8f4f8c4c9be8dp-55, -0x1.ebc471d8072dfp-53},
      {0x1.653647be128e6p-65, 0x1.76a9ee3ee53bdp-3, 0x1.8362835cb2411p-2, 0x1.2a7cdc3146f95p-1, 0x1.89b66d1ad12cdp-1,
       0x1.ccc5f78165143p-1, 0x1.ef54657b08f97p-1, 0x1.fcec6ccb5607ep-1, 0x1.00e5040d28639p0, 0x1.01e21503811cep0,
       0x1.02591f3ef8ce1p0, 0x1.02903b7512d77p0, 0x1.02a38ae2c5378p0, 0x1.02a1fa4d4de82p0, 0x1.0294489dfcabap0,
       0x1.027fbd4a8d98fp0},
      {0x1.db29fb2fee5e4p-3, 0x1.eef161da2d068p-3, 0x1.0ad8ab255ecbfp-2, 0x1.09e8fe36f283ap-2, 0x1.ae1f6e87b0521p-3,
       0x1.002dd3b85d7fcp-3, 0x1.bc97e17162b8cp-5, 0x1.3e3764451a556p-6, 0x1.de8ba5a2081e6p-8, 0x1.af17dce8c72e7p-9,
       0x1.9ea5295a93b3ap-10, 0x1.5dd590a46ef5bp-11, 0x1.212532e869ccap-13, -0x1.67a8552812781p-13,
       -0x1.6e3ff911467e7p-12, -0x1.d4a7464f0639cp-12},
      {0x1.6140aa1bd84fbp-50, 0x1.f0ae2616fa7eap-7, 0x1.a765c25720f47p-7, -0x1.3e59ec1ad355ep-6, -0x1.0570856dec21p-4,
       -0x1.2cdbec92cfe33p-4, -0x1.6fee57e8aa792p-5, -0x1.1d4f1116c216cp-6, -0x1.6b5bc6f8d71ap-8, -0x1.0f8c2effa5777p-9,
       -0x1.0e5e8d36226aep-10, -0x1.33a0aa6a608b8p-11, -0x1.67f9ef65bfd43p-12, -0x1.a27419f3eedd3p-13,
       -0x1.d8134edd4b98ep-14, -0x1.f10d1922f6de6p-15},
      {0x1.7a72e72c14bf7p-7, 0x1.8ef6314d0c685p-8, -0x1.5de9c06dbead1p-7, -0x1.de112e4f0d712p-6, -0x1.642d93ea74247p-6,
       0x1.3d83f7c3357e6p-7, 0x1.63e52aa6ff668p-6, 0x1.9440fb1166092p-7, 0x1.05e0d99ddb5fcp-8, 0x1.2063d2fdefd1dp-10,
       0x1.a3c55f79708cap-12, 0x1.ac3fe2cbe0d96p-13, 0x1.f0212f84cc916p-14, 0x1.29c0789ee0caep-14,
       0x1.6b2e8e0d03f7ap-15, 0x1.bf0d64e7c95e2p-16},
      {0x1.5d437663af85bp-39, -0x1.79874712ff231p-8, -0x1.63fad81a1ac58p-7, -0x1.5a3c4f6c1d0bbp-8, 0x1.aed732c2a6a86p-7,
       0x1.d10f8eb32325ap-7, -0x1.8f11809f6a925p-10, -0x1.7a63dc6dee147p-8, -0x1.59fed203951b2p-9,
       -0x1.6718ad72899b2p-11, -0x1.5c8a2bbc085ecp-13, -0x1.00b56b51a7cecp-14, -0x1.0abdb86471f7p-15,
       -0x1.331f20f6d33e2p-16, -0x1.6d7c7bf1bc8f2p-17, -0x1.bc57895e3e6c6p-18},
      {-0x1.321102d6e77d9p-9, -0x1.5b24a61caf28ep-9, -0x1.e49bf310b2286p-11, 0x1.9c1dec19689c4p-8, 0x1.afe1dda4f3fa1p-8,
       -0x1.6f1fb4ec8c092p-8, -0x1.5112700563b7bp-8, 0x1.89008905b5cf8p-11, 0x1.53ba745ce5942p-10,
       0x1.c6ee9a31230f3p-12, 0x1.76e9913882d4ap-14, 0x1.540b39879b671p-16, 0x1.09d100b084243p-17,
       0x1.18484e7853fffp-18, 0x1.3e3cca394d80ap-19, 0x1.745ac42b14691p-20},
      {0x1.be6fe2754e5f3p-31, -0x1.f96a75450072dp-15, 0x1.bb2721442f5fdp-10, 0x1.6aa4fd2b64e16p-9,
       -0x1.b850d1ab576efp-9, -0x1.a0737c01cbac9p-9, 0x1.4cfa7d1875f54p-9, 0x1.213a3028b9ee8p-10,
       -0x1.4b9b8bb1359ebp-12, -0x1.da9e2bba26009p-13, -0x1.c5f60d7e4d4c6p-15, -0x1.310032a423049p-17,
       -0x1.1c211fe433a42p-19, -0x1.e4a01b26b19eap-21, -0x1.00ef56f5dadd3p-21, -0x1.1ec83ab6bb889p-22},
      {-0x1.0c8b172859cdbp-13, 0x1.a57ecc9031b6ap-13, 0x1.bd77970704d51p-11, -0x1.959a185e3c1fep-11,
       -0x1.163a9699dadap-9, 0x1.1ca60bc4b5dep-9, 0x1.1a89ceeef95c7p-11, -0x1.a67d954f15145p-11, -0x1.ca9b5aa8d0616p-14,
       0x1.4954049a2ac5dp-14, 0x1.ef8cc394989acp-16, 0x1.5748b960ffea7p-18, 0x1.938756d96a50cp-21,
       0x1.ae15447083b9dp-23, 0x1.8d1d7b1c4f5fdp-24, 0x1.a330a191a9abcp-25},
      {0x1.dad48f5f6760ap-25, 0x1.8c4807f4d6581p-13, 0x1.28c2f1458396fp-15, -0x1.e85316375365p-11,
       0x1.8ccd3965044b2p-11, 0x1.5485e623d90f2p-11, -0x1.e20318f3f64e8p-11, 0x1.eb8a3a5cb86c4p-14,
       0x1.30d5f83a61154p-13, -0x1.5e243e8a8495cp-18, -0x1.a274d441c23adp-17, -0x1.7ea02cbfc7484p-19,
       -0x1.8e7699bdec64cp-22, -0x1.d2d3f5bacf399p-25, -0x1.312293cc63f15p-26, -0x1.277f8fe546ec2p-27},
      {0x1.84ee394fe8af7p-15, 0x1.69b2f54adfef8p-15, -0x1.7b7777925bff4p-13, -0x1.784e4b6f667d4p-14,
       0x1.6da619403a122p-11, -0x1.7e32ac1154183p-11, 0x1.3e9547ae7e1f1p-13, 0x1.3e155942b8447p-13,
       -0x1.ef47fa377027p-15, -0x1.c8115d5978721p-17, 0x1.ab8416744d75fp-19, 0x1.6a84d44e2c216p-20,
       0x1.b602106e26751p-23, 0x1.712618179699cp-26, 0x1.0279ee44310c1p-28, 0x1.9876948a71aabp-30},
      {0x1.6b0f087ea93d6p-21, -0x1.bda5102eeb377p-17, -0x1.5c98a6f7d712p-14, 0x1.c0660bcea9406p-13,
       -0x1.21e62950feb6bp-13, -0x1.c5b3611d5e5a9p-14, 0x1.b0e1570fef26ep-13, -0x1.9670667492356p-14,
       -0x1.cc5c5ae634586p-21, 0x1.3d3a9001c0a19p-17, 0x1.40a408fedee72p-22, -0x1.03aca9619f084p-21,
       -0x1.c322249c8f5d6p-24, -0x1.843367f70921bp-27, -0x1.31d54024b02fp-30, -0x1.2375c3960d69bp-32},
      {0x1.2a89ef525e0c2p-20, -0x1.91c5288818e65p-17, 0x1.5dba09e2ddcf1p-19, 0x1.743bb3456fb4bp-14,
       -0x1.bfd09531a4347p-13, 0x1.d01649745f40cp-13, -0x1.b25d25d2b40c4p-14, 0x1.a2255d46f725dp-18,
       0x1.acc51cf759fp-17, -0x1.7694210530b75p-19, -0x1.9638eb1667c35p-21, 0x1.a0638de32e74ap-24,
       0x1.7b932a63fb9c9p-25, 0x1.90a0344a6749p-28, 0x1.049e78c0ed0b1p-31, 0x1.e8743cd98b5a3p-35},
  };
};

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
