# Functions that several commands of ./run share. `run` reads this file first.

lowest_swift=6.2
build_flags="--explicit-target-dependency-import-check error"
export QUIRE_OPTIMIZED=1 # Package.swift tells what it optimizes.

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
  need libpq-dev has_library libpq
  need libxml2-utils command -v xmllint # Validates documents against the grammars in spec/.
  need zlib1g-dev has_library zlib
  need libdeflate-dev has_library libdeflate
  need liblmdb-dev has_library lmdb # A peer in the benchmarks, and an example of a store.
  need g++ command -v g++ # Installs the headers of the C and C++ libraries, which Foundation imports.
  need make command -v make # The examples of plug-ins in C.
  need git command -v git
  need python3 command -v python3
  need python3-dev has_library python3-embed # The template of plug-ins in Python.
  need python3-venv python3 -c 'import ensurepip'
  [ -z "$missing" ] || install_packages "$missing"
  find_swift
}

# need PACKAGE TEST...: adds the package to the missing packages if the test fails.
need() {
  package=$1
  shift
  "$@" >/dev/null 2>&1 || missing="$missing $package"
}

has_library() { command -v pkg-config && pkg-config --exists "$1"; }

install_packages() {
  if ! command -v apt-get >/dev/null; then
    fail "Not found:$1 (Debian's names)." "Install the packages under your system's names, and run this again."
  fi
  if [ "$(id -u)" = 0 ]; then
    as_root=
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
  else
    fail "Missing packages:$1" "Run: sudo apt-get update && sudo apt-get install -y$1"
  fi
  say "Installing:$1"
  # A fresh image has empty or old package lists. So if the installation fails, update the lists and try again.
  # Another command may be installing packages at the same time.
  install="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install -y
    --no-install-recommends$1"
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
  # SwiftPM requests the linker gold, which newer systems do not have. The toolchain contains lld.
  command -v ld.gold >/dev/null || build_flags="$build_flags -Xswiftc -use-ld=lld"
}

# Installs a PostgreSQL server for the tests, which start it in a temporary folder. Debian's package would start a server of
# its own, so its configuration forbids that first. Without the package, the tests of PostgreSQL stores are skipped.
find_postgresql() {
  ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 && return 0
  command -v initdb >/dev/null && return 0
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    say "PostgreSQL is not installed: its tests are skipped (Debian: postgresql)."
    return 0
  fi
  settings=/etc/postgresql-common/createcluster.conf
  if [ ! -e "$settings" ]; then
    mkdir -p "$(dirname "$settings")"
    printf 'create_main_cluster = false\n' >"$settings"
  fi
  mkdir -p .build
  (install_packages " postgresql") >.build/postgresql.log 2>&1 ||
    say "Can't install postgresql (see .build/postgresql.log), so its tests are skipped."
}

# Installs Patroni and etcd for a cluster of PostgreSQL servers. Debian's packages would start services, now and whenever
# the machine starts, so both are forbidden. Without the packages, the trial of a cluster is skipped.
find_patroni() {
  if command -v patroni >/dev/null && command -v etcd >/dev/null; then return 0; fi
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    say "Patroni or etcd is not installed: the cluster is skipped (Debian: postgresql patroni etcd-server)."
    return 0
  fi
  mkdir -p .build
  (
    policy=/usr/sbin/policy-rc.d
    if [ ! -e "$policy" ]; then
      trap 'rm -f "$policy"' EXIT
      printf '#!/bin/sh\nexit 101\n' >"$policy"
      chmod +x "$policy"
    fi
    install_packages " patroni etcd-server"
    for service in patroni etcd; do update-rc.d "$service" disable || :; done
  ) >.build/patroni.log 2>&1 ||
    say "Can't install patroni and etcd-server (see .build/patroni.log), so the cluster is skipped."
}

# Installs pyarrow, Polars and DuckDB for tests against other implementations of Arrow. Without them, the tests are skipped.
find_pyarrow() {
  [ ! -x .build/python/bin/python3 ] || return 0
  mkdir -p .build
  { python3 -m venv .build/python &&
    timeout 180 .build/python/bin/python3 -m pip install --quiet pyarrow cffi; } >.build/python.log 2>&1 ||
    { say "Can't install pyarrow (see .build/python.log), so its test is skipped."; rm -rf .build/python; return; }
  timeout 180 .build/python/bin/python3 -m pip install --quiet polars duckdb pytz >>.build/python.log 2>&1 ||
    say "Can't install Polars and DuckDB (see .build/python.log), so their tests are skipped."
}

# Installs a browser for a test of the page that `quire report` writes. Without it, the test is skipped.
find_chromium() {
  command -v chromium >/dev/null || (install_packages " chromium") >.build/chromium.log 2>&1 ||
    say "Can't install chromium (see .build/chromium.log), so its test is skipped."
}

# --- Building and testing -----------------------------------------------------------------------

# Swift Testing names the line of a failure itself. Without debugging information a build of tests takes a tenth less time.
# With QUIRE_DEBUG=1, or under a sanitizer, programs and reports have lines. SwiftPM looks for tests in the index, so the
# index stays.
plain_flags="-debug-info-format none"
[ -z "${QUIRE_DEBUG:-}" ] || plain_flags=
# Each of the compiler's processes for a module expands the macros of all its files, so there is one for each core and not one
# for 25 files (docs/decisions/0029).
plain_flags="$plain_flags -Xswiftc -driver-batch-size-limit -Xswiftc 200"
# The compiler writes down its time for each module of a debug build; `run_tests` prints the slowest ones. All commands that
# share .build/debug pass this, because other flags would compile everything again.
stats_flags="-Xswiftc -stats-output-dir -Xswiftc .build/stats"

# build OPTION...: builds, and writes what the compiler prints to a log. On a terminal a line shows how far the build is.
build() {
  mkdir -p .build/logs .build/stats
  build_log=$PWD/.build/logs/build-$$.log
  : >"$build_log"
  watch_build "$build_log" &
  watcher=$!
  status=0
  case " $* " in
  *' release '*) swift build $build_flags $plain_flags "$@" ;;
  *) swift build $build_flags $plain_flags $stats_flags "$@" ;;
  esac >"$build_log" 2>&1 || status=$?
  kill "$watcher" 2>/dev/null || :
  wait "$watcher" 2>/dev/null || :
  [ ! -t 2 ] || printf '\r\033[K' >&2
  [ $status != 0 ] || return 0
  # The compiler prints each error with its place. An error without one, such as the linker's, is at the end.
  grep -aE -A 3 '(error|warning):' "$build_log" | head -n 100 >&2
  tail -n 20 "$build_log" >&2
  fail "The build failed." "The whole log: $build_log"
}

# watch_build LOG: prints how far the build is that writes LOG, until it is killed: on a terminal in one line, elsewhere once a
# minute. SwiftPM prints "[done/all]" before each step.
watch_build() {
  begun=$(date +%s)
  every=60
  [ ! -t 2 ] || every=2
  trap 'kill $! 2>/dev/null; exit' TERM
  while :; do
    sleep $every &
    wait $!
    steps=$(sed -n 's|^\[\([0-9]*\)/\([0-9]*\)\].*|\1 \2|p' "$1" | tail -n 1)
    [ -n "$steps" ] || continue
    finished=${steps% *} all=${steps#* } passed=$(($(date +%s) - begun))
    [ "$finished" -gt 0 ] || continue
    line="building: $((100 * finished / all)) %, about $((passed * (all - finished) / finished + 1)) s left"
    if [ -t 2 ]; then printf '\r\033[K%s' "$line" >&2; else say "$line" >&2; fi
  done
}

# The flags of a release build, without quotes: `build $release_flags`. The last one lets the compiler write down which types
# conform to which protocols. Without it each process finds this out again for every generic type, which takes most of the
# time of a short command (docs/performance.md).
release_flags="-c release -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors"

# run_tests [OPTION...]: builds the tests with the flags in $test_flags, and runs those that the options select. They print
# tens of thousands of lines, so the failures are printed again at the end.
run_tests() {
  rm -rf .build/stats
  build --build-tests ${test_flags:-}
  log=.build/tests.log
  {
    swift test --skip-build --parallel --xunit-output .build/tests.xml $build_flags ${test_flags:-} "$@" 2>&1 &&
      rm -f "$log.failed" || : >"$log.failed"
  } | tee "$log"
  python3 scripts/lib/slowest.py .build
  ! grep -qa 'Test run with 0 tests' "$log" || fail "No test has such a name." "Names are MODULE.SUITE/test: '$*'"
  [ -e "$log.failed" ] || return 0
  printf '\n=== Failures (the whole log: %s)\n' "$log"
  grep -aE '✘|↳|error:|Fatal error|signal' "$log" | grep -av '◇' | tail -n 100
  return 1
}

lint() {
  swift format lint --strict --parallel --recursive Package.swift Sources Plugins Tests Fuzz Benchmarks Examples &&
    lint_report
}

# lint_report: checks the syntax of the script and the styles that reports contain. The script is checked if node is installed.
lint_report() {
  if command -v node >/dev/null; then node --check Sources/CEmbeddedFiles/Report/report.js || return 1; fi
  for style in Sources/CEmbeddedFiles/Report/*.css; do
    awk '
      { depth += gsub(/{/, "{") - gsub(/}/, "}") }
      depth < 0 { exit }
      END { if (depth) { print FILENAME ": line " NR ": The braces do not match."; exit 1 } }
    ' "$style" || return 1
  done
}

# test_targets FILTER: prints the test targets in a filter such as `RowsTests|ObjectGraphTests.RandomWorkTests`, which
# also names a suite; prints nothing if the filter contains another name.
test_targets() {
  targets=
  for name in $(printf '%s' "$1" | tr '|' ' '); do
    [ -d "Tests/${name%%.*}" ] || return 0
    targets="$targets ${name%%.*}"
  done
  printf '%s' "${targets# }"
}

# The flags that count the branches of a program for libFuzzer, beside the address sanitizer.
fuzz_flags="--sanitize address -Xcc -fsanitize=fuzzer-no-link -Xswiftc
  -sanitize-coverage=edge,indirect-calls,trace-cmp,inline-8bit-counters,pc-table -Xswiftc -use-ld=lld"

# sanitized_tests SANITIZER...: runs all tests, or those that $filter names, under each sanitizer. With QUIRE_ONLY_BUILD=1
# it only builds them.
sanitized_tests() {
  # gold prints hundreds of warnings about the sanitizer's symbols, so the toolchain's own linker is used.
  # Leak detection is off, because Foundation and the test runner leak so much that our leaks would not be seen.
  # The thread sanitizer can't see Swift's mutexes. QUIRE_SANITIZER=thread links in Tests/Support/CSanitizedLocks,
  # which reports them. No report is suppressed.
  # HouseTests read the sources and run no code of the project, so they are skipped.
  # Plug-ins use the thread sanitizer of the program that loads them. So the program exports all symbols of the
  # sanitizer, also the ones that it does not use itself.
  # With QUIRE_FUZZ=1, the fuzzers are built too, from the same modules.
  filter=${filter:-}
  only=$(test_targets "$filter")
  [ -z "$only" ] || export QUIRE_TARGETS="$only"
  for sanitizer; do
    wanted=
    [ "$sanitizer" != thread ] || wanted='-Xlinker -u -Xlinker __tsan_external_write -Xlinker --export-dynamic-symbol=__tsan_*'
    [ "${QUIRE_FUZZ:-}$sanitizer" != 1address ] || wanted=$fuzz_flags
    test_flags="--sanitize $sanitizer --scratch-path .build/$sanitizer -Xswiftc -use-ld=lld $wanted"
    # A report of a sanitizer needs the lines of functions alone.
    plain_flags=$(say "$plain_flags" | sed 's/-debug-info-format none/-Xswiftc -gline-tables-only/')
    stats_flags=
    export QUIRE_SANITIZER=$sanitizer ASAN_OPTIONS=detect_leaks=0
    if [ -n "${QUIRE_ONLY_BUILD:-}" ]; then
      build --build-tests $test_flags
    else
      run_tests --skip HouseTests ${filter:+--filter "$filter"}
    fi
  done
}

# Runs all tests, and prints which part of each module's lines they execute, also in programs that the tests start. With
# QUIRE_ONLY_BUILD=1 it only builds the tests.
covered_lines() {
  folder=.build/coverage
  build --build-tests --enable-code-coverage --scratch-path "$folder"
  [ -z "${QUIRE_ONLY_BUILD:-}" ] || return 0
  rm -rf "$folder/counts"
  mkdir -p "$folder/counts"
  tests=$folder/debug/quirePackageTests.xctest
  # Each process writes a file of its own, because a process that is killed would damage a file that it shares.
  LLVM_PROFILE_FILE=$PWD/$folder/counts/%p-%m.profraw "$tests" --testing-library swift-testing >"$folder/tests.log" 2>&1 ||
    say "Some tests failed, so lines may be missing (see $folder/tests.log)."
  tools=$(dirname "$(readlink -f "$(command -v swift)")")
  find "$folder/counts" -name '*.profraw' -size +0 >"$folder/counts.txt"
  "$tools/llvm-profdata" merge -sparse -failure-mode=all -f "$folder/counts.txt" -o "$folder/counts.profdata" \
    2>"$folder/merge.log"
  rm -rf "$folder/counts"
  objects=
  for object in "$folder"/debug/quire "$folder"/debug/lib*.so; do
    [ ! -f "$object" ] || objects="$objects -object $object"
  done
  "$tools/llvm-cov" export --format=lcov --instr-profile "$folder/counts.profdata" "$tests" $objects >"$folder/lines.lcov"
  python3 scripts/lib/coverage.py "$folder/lines.lcov" "$folder/missing.txt"
}

# counted_instructions [--update]: compares the instructions of the benchmark's counted work with the project's file, or
# writes the file anew. With QUIRE_ONLY_BUILD=1 it only builds the benchmark. Instructions vary by less than 0.1 % between
# runs, also on a busy machine.
counted_instructions() {
  need valgrind command -v valgrind
  [ -z "$missing" ] || install_packages "$missing"
  counts=Benchmarks/instructions.txt
  kind="Swift $found, $(uname -m)"
  if [ "${1:-}" != --update ] && [ "$(sed -n 's/^# Compiled by //p' "$counts")" != "$kind" ]; then
    say "count: $counts is of another compiler than $kind, so nothing is compared."
    return 0
  fi
  # A build folder of its own, because CI builds this during the tests.
  counting="$release_flags --scratch-path .build/counting"
  build $counting --product quire-bench
  [ -z "${QUIRE_ONLY_BUILD:-}" ] || return 0
  # This version of valgrind can't read the debugging information of Swift.
  strip --strip-debug -o .build/counted "$(swift build $counting --show-bin-path)/quire-bench"
  new=.build/instructions.txt
  {
    say "# The instructions of each piece of work in Benchmarks/quire-bench/CountedWork.swift, as './run count' counts them."
    say "# Compiled by $kind"
  } >"$new"
  slower=
  for work in $(.build/counted --counted); do
    instructions "$work" 1 >.build/once &
    instructions "$work" 3 >.build/thrice
    wait $!
    now=$((($(cat .build/thrice) - $(cat .build/once)) / 2))
    say "$work $now" >>"$new"
    before=$(sed -n "s/^$work //p" "$counts" 2>/dev/null || :)
    say "count: $work $now${before:+, before $before ($((now * 1000 / before - 1000)) in a thousand)}"
    [ -z "$before" ] || [ $((now * 100)) -le $((before * 105)) ] || slower="$slower $work"
  done
  if [ "${1:-}" = --update ]; then
    cp "$new" "$counts"
  elif [ -n "$slower" ]; then
    fail "More than 5 % more instructions than before:$slower" \
      "Make it fast again, or write down why it costs more and run './run count --update'."
  fi
}

# instructions WORK REPETITIONS: prints how many instructions the process of a piece of work executes.
instructions() {
  SWIFT_DETERMINISTIC_HASHING=1 valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null \
    .build/counted --counted "$1" "$2" 2>&1 | sed -n 's/^==.*I *refs: *//p' | tr -d ,
}

# The backends that the tool loads as plug-ins.
tool_plugins="SQLiteStore PostgreSQLStore"

# Builds the tool, and installs the plug-ins in $tool_plugins beside it.
build_tool() {
  QUIRE_TARGETS="quire-cli $(printf '%sExport ' $tool_plugins)" with_archives build "$@"
  bin=$(swift build --show-bin-path "$@")
  plugins=$bin/plugins
  install_plugins
}

# Installs the plug-ins in $tool_plugins from $bin into $plugins.
install_plugins() {
  for plugin in $tool_plugins; do install_plugin "Plugins/$plugin" "$bin/lib${plugin}Plugin.so"; done
}

# install_plugin FOLDER LIBRARY: installs a plug-in into $plugins, which only the owner may write to.
install_plugin() {
  own=$plugins/${1##*/}
  # Another step may run the tool with these files at the same time.
  if cmp -s "$1/plugin.json" "$own/plugin.json" && cmp -s "$2" "$own/${2##*/}"; then return; fi
  mkdir -p "$own"
  # A running program may have loaded the library, so the file is replaced, not written to.
  rm -f "$own/plugin.json" "$own/${2##*/}"
  cp "$1/plugin.json" "$2" "$own/"
  chmod -R go-w "$plugins"
}

# --- Installing ---------------------------------------------------------------------------------

# link_statically [--portable]: makes the release builds of this run link the standard library, with a part of ICU's data, and
# the archives of C libraries. Package.swift tells how. With --portable the programs also run with a C library before 2.36,
# which does not know compact relocations.
link_statically() {
  export QUIRE_STATIC=1
  # Otherwise the C library would be searched for in the tool's own folder first.
  build_flags="$build_flags --disable-local-rpath"
  if [ "${1:-}" != --portable ]; then
    known=$(printf '2.36\n%s\n' "$(getconf GNU_LIBC_VERSION | sed 's/.* //')" | sort -V | sed -n 1p)
    [ "$known" != 2.36 ] || export QUIRE_COMPACT_RELOCATIONS=1
  fi
  make_icu_data
  find_static_libraries
}

# Fills a folder in which the linker finds the archives of C libraries before the shared libraries. Each archive there is a
# linker script. SwiftPM reads files for pkg-config, so the folder contains these too. A library without an archive stays shared.
#
# The archives are made for programs. Their code can also be a part of a shared library that shows no symbol of theirs, except
# that the three streams of the C library are found in another way there.
find_static_libraries() {
  archives=$PWD/.build/archives
  rm -rf "$archives"
  mkdir -p "$archives"
  place=$(cc -print-file-name=libstdc++.a)
  [ ! -f "$place" ] || say "INPUT($place)" >"$archives/libstdc++.a"
  place=$(cc -print-file-name=libz.a)
  [ ! -f "$place" ] || link_archive zlib z "$place"
  place=$(cc -print-file-name=libdeflate.a)
  [ ! -f "$place" ] || link_archive libdeflate deflate "$place"
  place=$(cc -print-file-name=libxml2.a)
  if [ -f "$place" ]; then
    below=
    case $(pkg-config --static --libs-only-l libxml-2.0) in
    *-llzma*) below=$(cc -print-file-name=liblzma.a) ;;
    esac
    objcopy --redefine-sym stdin=quire_stdin --redefine-sym stdout=quire_stdout --redefine-sym stderr=quire_stderr \
      "$place" "$archives/libxml2-renamed.a"
    make_libxml2_parts "$place"
    link_archive libxml-2.0 xml2 "$archives/libxml2-renamed.a $below $archives/libxml2-parts.a"
    if ! say 'void xmlParseChunk(void); void quire_trial(void) { xmlParseChunk(); }' |
      cc -shared -fPIC -x c - -L "$archives" -lxml2 -lz -lm -Wl,--exclude-libs=ALL,-z,defs -o "$archives/trial" \
        2>"$archives/trial.log"; then
      say "Can't link the archive of libxml2 (see .build/archives/trial.log), so the programs load the shared library."
      rm "$archives/libxml2.a" "$archives/libxml-2.0.pc"
    fi
  fi
}

# with_archives COMMAND...: runs a command whose programs contain the archives, if link_statically was called.
with_archives() {
  (
    [ -z "${archives:-}" ] || export QUIRE_ARCHIVES="$archives" PKG_CONFIG_PATH="$archives${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
    "$@"
  )
}

# link_archive PACKAGE LIBRARY FILES: lets the linker take the files for a library, which has a package of pkg-config.
link_archive() {
  say "INPUT($3)" >"$archives/lib$2.a"
  cat >"$archives/$1.pc" <<END
Name: $1
Description: an archive
Version: $(pkg-config --modversion "$1")
Cflags: $(pkg-config --cflags "$1")
Libs: -L$archives -l$2
END
}

# make_libxml2_parts LIBXML2: compiles what the archive of libxml2 needs from elsewhere.
#
# - The functions of ICU. Quire converts all texts to UTF-8 before libxml2 reads them (spec 5.2.1), so no converter is ever
#   opened, and 30 MB of ICU are not needed.
# - The streams of the C library, as variables that are set when the program is loaded.
make_libxml2_parts() {
  {
    nm -u "$1" 2>/dev/null | sed -n 's/^ *U \(ucnv_.*\|UCNV_.*\)/\1/p' | sort -u | while read -r function; do
      case $function in
      ucnv_open*) say "void *$function(const char *name, int *status) { *status = 16; return 0; }" ;; # U_UNSUPPORTED_ERROR
      *) say "void $function(void) { __builtin_trap(); }" ;;
      esac
    done
    cat <<'END'
#include <stdio.h>
FILE *quire_stdin, *quire_stdout, *quire_stderr;
__attribute__((constructor)) static void set_streams(void) {
  quire_stdin = stdin, quire_stdout = stdout, quire_stderr = stderr;
}
END
  } | cc -c -O1 -fPIC -x c - -o "$archives/libxml2-parts.o"
  # An object file would be linked as often as the linker's command names libxml2.
  ar rcs "$archives/libxml2-parts.a" "$archives/libxml2-parts.o"
}

# Writes an object file with the part of ICU's data that Quire uses, which is a third. Without the programs for it, or
# with a version of Foundation that is not known, everything is linked.
make_icu_data() {
  archive=$(swiftc -print-target-info -static-stdlib |
    sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')/linux/lib_FoundationICU.a
  made=$PWD/.build/icu
  mkdir -p "$made"
  if ! {
    member=icu_packaged_data.cpp.o
    (cd "$made" && ar x "$archive" "$member") &&
      symbol=$(nm -g "$made/$member" | sed -n 's/.* R \(icudt[0-9]*_dat\)$/\1/p') && [ -n "$symbol" ] &&
      objcopy -O binary -j .rodata "$made/$member" "$made/all.dat" &&
      python3 scripts/lib/small-icu-data.py "$made/all.dat" "$made/small.dat" &&
      cc -c -x assembler - -o "$made/data.o" <<END
.section .rodata,"a",@progbits
.globl $symbol
.type $symbol, @object
.balign 16
$symbol: .incbin "$made/small.dat"
.size $symbol, .-$symbol
.section .note.GNU-stack,"",@progbits
END
  }; then
    say "Can't reduce the data of ICU in $archive, so the tool contains all of it (20 MB more)."
    return 0
  fi
  rm "$made/$member" "$made/all.dat"
  export QUIRE_ICU_DATA="$made/data.o"
}

# install_tool PREFIX [PKG-CONFIG-PREFIX]: installs the tool that build_tool has built, with everything beside it.
install_tool() {
  mkdir -p "$1/bin" "$1/lib/quire/plugins" "$1/share/man/man1"
  install -m 755 "$bin/quire" "$1/bin/quire"
  plugins=$1/lib/quire/plugins
  install_plugins
  install_completion "$1" bash bash-completion/completions quire
  install_completion "$1" zsh zsh/site-functions _quire
  install_completion "$1" fish fish/vendor_completions.d quire.fish
  "$1/bin/quire" man --output "$1/share/man/man1" >/dev/null
  install_headers "$@"
}

# install_completion PREFIX SHELL FOLDER NAME: installs the script of a shell into a folder that the shell searches.
install_completion() {
  mkdir -p "$1/share/$3"
  "$1/bin/quire" completion "$2" >"$1/share/$3/$4"
}

# --- Headers ------------------------------------------------------------------------------------

# Prints the version of Quire.
quire_version() {
  sed -n 's/.*static let version = "\([^"]*\)".*/\1/p' Sources/ObjectModel/QuireVersion.swift
}

# install_headers PREFIX [PKG-CONFIG-PREFIX]: installs the headers of the plug-in interface, so that pkg-config and CMake
# find them. The second prefix is the one that pkg-config prints, for files that are moved later.
install_headers() {
  mkdir -p "$1/include/quire" "$1/lib/pkgconfig" "$1/lib/cmake/Quire"
  # The files name the folder as it is from every working directory.
  headers_prefix=${2:-$(cd "$1" && pwd)}
  tool_version=$(quire_version)
  install -m 644 Sources/CStorePlugin/include/quire_store_plugin.h Sources/CArrow/include/CArrow.h \
    "$1/include/quire/"
  cat >"$1/lib/pkgconfig/quire.pc" <<END
prefix=$(printf %s "$headers_prefix" | sed "s| |\\\\ |g")
includedir=\${prefix}/include/quire

Name: quire
Description: The headers for store plug-ins of Quire
Version: $tool_version
Cflags: -I\${includedir}
END
  cat >"$1/lib/cmake/Quire/QuireConfig.cmake" <<'END'
# The headers for store plug-ins of Quire: target_link_libraries(MyStore PRIVATE Quire::Plugin)
if(NOT TARGET Quire::Plugin)
  get_filename_component(quire_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
  add_library(Quire::Plugin INTERFACE IMPORTED)
  set_target_properties(Quire::Plugin PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${quire_prefix}/include/quire")
  unset(quire_prefix)
endif()
END
  # A later version fits if the interface has the same number, which is a part of the header.
  cat >"$1/lib/cmake/Quire/QuireConfigVersion.cmake" <<END
set(PACKAGE_VERSION "$tool_version")
if(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
else()
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
END
}
