# examples
#   Builds the packages in Examples/ as users of Quire do, runs the commands in their pages, compares the output,
#   and tests their store plug-ins.

# Each package has its own build folder. In a shared folder SwiftPM does not compile a program again after another
# package has built Quire.

# try_plugin FOLDER PLACE: installs the built plug-in, and runs the conformance tests on its stores.
try_plugin() {
  plugins=.build/examples/plugins
  install_plugin "$1" "$2/lib${1##*/}.so"
  "$tool" plugin test "$plugins/${1##*/}"
}

# build_example FOLDER OPTION...
build_example() {
  package=$1
  shift
  build --package-path "$package" --scratch-path "$PWD/$(example_scratch "$package")" "$@"
}

# Each of these packages has its own build folder too.
example_scratch() { say "${QUIRE_EXAMPLES_SCRATCH:-.build/examples/${1##*/}}"; }

build --product quire
tool=$(swift build --show-bin-path)/quire
for package in Examples/*/Package.swift; do
  folder=${package%/Package.swift}
  page=$folder/README.md
  printf '\n$ swift build --package-path %s\n' "$folder"
  build_example "$folder"
  if [ -d "$folder/Tests" ]; then
    build_example "$folder" --build-tests
    swift test --skip-build --package-path "$folder" --scratch-path "$PWD/$(example_scratch "$folder")"
  fi
  [ ! -f "$folder/plugin.json" ] || try_plugin "$folder" "$(build_example "$folder" --show-bin-path)"
  # A library has no commands to run.
  if grep -q '^    \$ ' "$page"; then
    Examples/replay "$page" "$(build_example "$folder" --show-bin-path)"
  fi
done
# Pages without a package show the tool alone.
for page in Examples/*/README.md; do
  [ -f "${page%/README.md}/Package.swift" ] || ! grep -q '^    \$ quire ' "$page" ||
    Examples/replay "$page" "$(swift build --show-bin-path)"
done
# Plug-ins in C have makefiles that build and test them.
for makefile in Examples/*/Makefile; do
  folder=${makefile%/Makefile}
  printf '\n$ make -C %s test\n' "$folder"
  make -C "$folder" test
  [ ! -f "$folder/plugin.json" ] || try_plugin "$folder" "$folder"
done
say "examples: done"
