// An exception out of an initialiser does not reach the caller of dlopen: it ends the process. So an initialiser
// must collect its errors, and what brackets the dlopen throws them afterwards.
static const int thrown = [] {
  throw 1;
  return 0;
}();

extern "C" const int* use() { return &thrown; }
