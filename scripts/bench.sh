# bench [COUNT [PART [NAME]]]
#   Builds for release and measures Quire beside its peers: 100,000 and 1,000,000 people, and how the times grow up to
#   10,000,000. Charts and times go to .build/bench. With COUNT, runs all parts of the benchmark, or one part.

# One benchmark compares the plug-in with the linked store.
build $release_flags --product BinaryStorePlugin
build $release_flags --product quire-bench
bench=$(swift build $release_flags --show-bin-path)/quire-bench
if [ $# = 0 ]; then
  for count in 100000 1000000; do "$bench" $count peers; done
  "$bench" 10000000 growth
else
  "$bench" "$@"
fi
