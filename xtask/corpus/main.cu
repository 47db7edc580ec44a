// The host side of an executable.

int main() { return 0; }
