# build
#   Builds everything, for debugging.

build "$@"
say "build: done"
