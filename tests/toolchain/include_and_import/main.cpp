unsigned long include_first();
unsigned long import_first();

int main() { return include_first() == 2 && import_first() == 2 ? 0 : 1; }
