# examples
#   Builds the packages in Examples/ as users of Quire do, runs the commands in their pages and in the README, compares
#   the output, and tests their store plug-ins and the templates of new ones.

# The pages show this author.
export QUIRE_AUTHOR=quire

# All packages use one build folder, so that Quire is compiled once for them. SwiftPM keeps the plan of the package that
# it built last, so the plan is removed before each build.
scratch=$PWD/.build/examples/together
built=$scratch/debug

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
  rm -f "$scratch/debug.yaml" "$scratch/plugin-tools.yaml"
  build --package-path "$package" --scratch-path "$scratch" "$@"
}

# begin NAME COMMAND...: starts a test of a plug-in. Such a test often waits for the disk, so all of them run while the
# packages are compiled.
logs=$PWD/.build/examples/logs
rm -rf "$logs"
mkdir -p "$logs"
tests=
begin() {
  log=$logs/$1
  shift
  "$@" >"$log" 2>&1 &
  tests="$tests $!:$log"
}

# try_folder FOLDER: builds and tests a plug-in in C by its makefile.
try_folder() {
  printf '\n$ make -C %s test\n' "$1"
  make -C "$1" test
  [ ! -f "$1/plugin.json" ] || try_plugin "$1" "$1"
}

# try_template LANGUAGE OPTION...: builds and tests a new plug-in, as its README says.
templates=$PWD/.build/examples/templates
rm -rf "$templates"
try_template() {
  folder=$templates/$(printf %s "$*" | tr -d ' ')
  mkdir -p "$folder"
  printf '\n$ quire plugin new Ledger --language %s\n' "$*"
  "$tool" plugin new Ledger --output "$folder/Ledger" --language "$@" >/dev/null
  chmod -R go-w "$folder"
  make -C "$folder/Ledger" test "QUIRE=$tool"
}

build --product quire
build --product quire-c
bin=$(swift build --show-bin-path)
tool=$bin/quire
export QUIRE_LIBRARY="$bin/libquire-c.so"
for makefile in Examples/*/Makefile; do
  folder=${makefile%/Makefile}
  begin "${folder##*/}" try_folder "$folder"
done
for words in c 'c --incremental' c++ rust python; do
  if [ "$words" = rust ] && ! cargo --version >/dev/null 2>&1; then
    say "The template in Rust is not tested: Debian's package cargo is missing."
    continue
  fi
  begin "template-$(printf %s "$words" | tr -d ' ')" try_template $words
done
# A user's package compiles Quire without the flags of ./run. SwiftPM would also compile modules with them again for
# each package.
unset QUIRE_OPTIMIZED
stats_flags=
for package in Examples/*/Package.swift; do
  folder=${package%/Package.swift}
  page=$folder/README.md
  printf '\n$ swift build --package-path %s\n' "$folder"
  build_example "$folder"
  if [ -d "$folder/Tests" ]; then
    build_example "$folder" --build-tests
    swift test --skip-build --package-path "$folder" --scratch-path "$scratch"
  fi
  [ ! -f "$folder/plugin.json" ] || begin "${folder##*/}" try_plugin "$folder" "$built"
  # A library has no commands to run.
  if grep -q '^    \$ ' "$page"; then
    Examples/replay "$page" "$built"
  fi
done
# Pages without a package show the tool alone.
for page in README.md Examples/*/README.md; do
  [ -f "${page%/README.md}/Package.swift" ] || ! grep -q '^    \$ quire ' "$page" ||
    Examples/replay "$page" "$bin"
done
for test in $tests; do
  status=0
  wait "${test%%:*}" || status=$?
  cat "${test#*:}"
  [ "$status" = 0 ] || fail "A plug-in does not pass its tests (see above)."
done
say "examples: done"
