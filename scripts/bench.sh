# bench [ARGUMENT...]
#   Builds for release and runs the benchmarks.

# The plug-in is measured beside the store that is linked in.
swift build -c release --product BinaryStorePlugin
swift run -c release quire-bench "$@"
