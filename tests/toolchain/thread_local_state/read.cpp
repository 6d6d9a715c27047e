import fact.state;

extern "C" unsigned long read_state(unsigned long w) { return (w | tls.include) & tls.keep; }
