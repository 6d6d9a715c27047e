import fact.keyword;

static_assert(scale(3) == 3);
static_assert(scale(3, arg<"alpha"> = 2) == 6);
static_assert(scale(3, arg<"beta"> = 1, arg<"alpha"> = 2) == 7);

int main() {}
