"""What the reproduction and the benchmarks share: how a study is recorded."""
