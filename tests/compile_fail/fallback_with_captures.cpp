// expect: error: no matching function for call to 'fallback'$
// note: candidate template ignored: invalid explicitly-specified argument for template parameter 'FunctionOrLambdaWithoutCaptures'$
// topic: boxed
// A fallback with a state is an object, given behind the key.
import topbit.core;

#ifndef FIXED
topbit::registration count(int& calls) {
  return topbit::fallback<[&calls](const topbit::operator_handle&, topbit::boxed_stack&) { ++calls; }>(
      topbit::key::PrivateUse1);
}
#else
topbit::registration count(int& calls) {
  return topbit::fallback(topbit::key::PrivateUse1,
                          [&calls](const topbit::operator_handle&, topbit::boxed_stack&) { ++calls; });
}
#endif
