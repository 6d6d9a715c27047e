// How many registries a process has depends on how the core is linked. One, if host and plugin link a shared core, or
// if the host exports its static core and the plugin brings none. Two, without a word from anybody, if each carries
// a static core (the control, and the reason why such a plugin has to be refused).
export module fact.core;

export int& registered();
