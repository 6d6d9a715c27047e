module fact.core;

int& registered() {
  static int& count = *new int(0);
  return count;
}
