#pragma once

template <class T>
struct trait;
