# bench [ARGUMENT...]
#   Builds for release and runs the benchmarks.

# One benchmark compares the plug-in with the linked store.
swift build -c release --product BinaryStorePlugin
swift run -c release quire-bench "$@"
