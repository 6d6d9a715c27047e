import fact.shapes;

int main(int count, char**) { return area(count, 3) - 3; }
