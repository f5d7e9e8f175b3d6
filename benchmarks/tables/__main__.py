from benchmarks.tables.cli import main

main()
