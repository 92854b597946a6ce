# What several commands of ./run need. `run` reads this file first.

lowest_swift=6.2
build_flags="--explicit-target-dependency-import-check error"

say() { printf '%s\n' "$*"; }

fail() {
  printf 'error: %s\n' "$1" >&2
  shift
  for hint; do printf 'hint: %s\n' "$hint" >&2; done
  exit 1
}

# --- Set-up -------------------------------------------------------------------------------------

set_up() {
  missing=
  need pkg-config command -v pkg-config
  need libxml2-dev has_library libxml-2.0
  need libsqlite3-dev has_library sqlite3
  need libxml2-utils command -v xmllint # Documents are held against the grammars in spec/.
  need zlib1g-dev has_library zlib
  need g++ command -v g++ # The headers of the C and C++ libraries, which Foundation imports.
  need make command -v make # The examples of plug-ins in C.
  need git command -v git
  need python3 command -v python3
  need python3-venv python3 -c 'import ensurepip'
  [ -z "$missing" ] || install_packages "$missing"
  find_swift
}

# need PACKAGE TEST...: notes the package as missing where the test fails.
need() {
  package=$1
  shift
  "$@" >/dev/null 2>&1 || missing="$missing $package"
}

has_library() { command -v pkg-config && pkg-config --exists "$1"; }

install_packages() {
  if ! command -v apt-get >/dev/null; then
    fail "Not found:$1 (Debian's names)." "Install what your system calls them, and run this again."
  fi
  if [ "$(id -u)" = 0 ]; then
    as_root=
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
  else
    fail "Missing packages:$1" "Run: sudo apt-get update && sudo apt-get install -y$1"
  fi
  say "Installing:$1"
  # The lists of a fresh image are empty or old, so a first failure is answered with an update.
  install="$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends$1"
  $install >/dev/null 2>&1 || { $as_root apt-get update && $install; } ||
    fail "apt-get could not install:$1"
}

find_swift() {
  for folder in "$HOME/.local/share/swiftly/bin" /opt/swift/usr/bin /usr/local/swift/usr/bin; do
    command -v swift >/dev/null && break
    [ ! -x "$folder/swift" ] || PATH="$folder:$PATH"
  done
  where="Install Swift $lowest_swift or later: https://www.swift.org/install/linux/"
  command -v swift >/dev/null || fail "There is no 'swift' on the PATH." "$where"
  found=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p')
  [ -n "$found" ] || fail "'swift --version' does not work:" "Run it by hand to see why. $where"
  lower=$(printf '%s\n%s\n' "$lowest_swift" "$found" | sort -V | sed -n 1p)
  [ "$lower" = "$lowest_swift" ] || fail "Swift $found is too old." "$where"
  # SwiftPM asks for gold, which newer systems no longer have; the toolchain brings lld.
  command -v ld.gold >/dev/null || build_flags="$build_flags -Xswiftc -use-ld=lld"
}

# Another implementation of Arrow, for a test that is skipped where it can't be had.
find_pyarrow() {
  [ ! -x .build/python/bin/python3 ] || return 0
  mkdir -p .build
  { python3 -m venv .build/python &&
    timeout 180 .build/python/bin/python3 -m pip install --quiet pyarrow cffi; } >.build/python.log 2>&1 ||
    { say "No pyarrow (.build/python.log says why): its test is skipped."; rm -rf .build/python; }
}

# --- Building and testing -----------------------------------------------------------------------

build() { swift build $build_flags "$@"; }

# The tests print tens of thousands of lines, so what failed is said once more at the end.
run_tests() {
  mkdir -p .build
  log=.build/tests.log
  {
    swift test --parallel $build_flags "$@" 2>&1 && rm -f "$log.failed" || : >"$log.failed"
  } | tee "$log"
  [ -e "$log.failed" ] || return 0
  printf '\n=== What failed (all of it: %s)\n' "$log"
  grep -aE '✘|↳|error:|Fatal error|signal' "$log" | grep -av '◇' | tail -n 100
  return 1
}

lint() {
  swift format lint --strict --parallel --recursive Package.swift Sources Plugins Tests Fuzz Benchmarks Examples
}

# test_targets FILTER: the test targets that a filter names, when it names nothing else: `RowsTests|ChecksumsTests`.
test_targets() {
  for name in $(printf '%s' "$1" | tr '|' ' '); do
    [ -d "Tests/$name" ] || return 0
  done
  printf '%s' "$1" | tr '|' ' '
}

# sanitized_tests SANITIZER...: runs all tests, or those that $filter names, under each sanitizer.
sanitized_tests() {
  # The linker of the toolchain itself: gold warns hundreds of times about the sanitizer's symbols.
  # Leaks are not looked for: those of Foundation and of the test runner itself drown ours.
  # The thread sanitizer suppresses nothing: what it can't see of Swift's mutexes it is told, by what
  # QUIRE_SANITIZER=thread links in (Tests/Support/CSanitizedLocks).
  # The rules of the house read our sources and run none of them.
  # Plug-ins that are built with it find the thread sanitizer in whoever loads them, also what that itself does not use.
  filter=${filter:-}
  only=$(test_targets "$filter")
  [ -z "$only" ] || export QUIRE_TEST_TARGETS="$only"
  for sanitizer; do
    wanted=
    [ "$sanitizer" != thread ] || wanted='-Xlinker -u -Xlinker __tsan_external_write -Xlinker --export-dynamic-symbol=__tsan_*'
    QUIRE_SANITIZER=$sanitizer ASAN_OPTIONS=detect_leaks=0 run_tests --sanitize "$sanitizer" --skip HouseTests \
      ${filter:+--filter "$filter"} --scratch-path ".build/$sanitizer" -Xswiftc -use-ld=lld $wanted
  done
}

# The tool, and beside it the plug-ins that it is to find.
build_tool() {
  build --product quire "$@"
  build --product SQLiteStorePlugin "$@"
  bin=$(swift build --show-bin-path "$@")
  plugins=$bin/plugins
  install_plugin Plugins/SQLiteStore "$bin/libSQLiteStorePlugin.so"
}

# install_plugin FOLDER LIBRARY: into $plugins, where only the owner may write.
install_plugin() {
  own=$plugins/${1##*/}
  # Another step may be running the tool with these very files.
  if cmp -s "$1/plugin.json" "$own/plugin.json" && cmp -s "$2" "$own/${2##*/}"; then return; fi
  mkdir -p "$own"
  # Another file, and not another content of the same: somebody may have the library loaded.
  rm -f "$own/plugin.json" "$own/${2##*/}"
  cp "$1/plugin.json" "$2" "$own/"
  chmod -R go-w "$plugins"
}
