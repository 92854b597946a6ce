# bench [COUNT [PART [NAME]]]
#   Builds for release and measures Quire beside its peers: 100,000 and 1,000,000 people, and how the times grow up to
#   10,000,000. Charts and times go to .build/bench. With COUNT, runs all parts of the benchmark, or one part.

# One benchmark compares the plug-in with the linked store.
swift build -c release --product BinaryStorePlugin
if [ $# = 0 ]; then
  for count in 100000 1000000; do swift run -c release quire-bench $count peers; done
  swift run -c release quire-bench 10000000 growth
else
  swift run -c release quire-bench "$@"
fi
