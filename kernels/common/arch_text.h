// TOPBIT_ARCH as a string literal: TOPBIT_TEXT(TOPBIT_ARCH).
#pragma once

#define TOPBIT_TEXT_OF(token) #token
#define TOPBIT_TEXT(token) TOPBIT_TEXT_OF(token)
