// Compares the device with the CPU. Try --help.
import topbit.backend_test;

int main(int count, char** words) { return topbit::backend_test::run("opencl", count, words); }
