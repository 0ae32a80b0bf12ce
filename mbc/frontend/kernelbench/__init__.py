"""KernelBench's problems, from a checkout that the user has."""
