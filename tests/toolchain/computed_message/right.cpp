import fact.message;

static int good(int x) { return x; }

int main() { return install(&good) - 1; }
