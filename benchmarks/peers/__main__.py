from benchmarks.peers.cli import main

main()
