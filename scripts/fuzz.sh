# fuzz [TARGET] [SECONDS]
#   Builds the fuzzers and runs one of them, or each in turn. The default is 60 seconds each. QUIRE_FUZZERS names a
#   folder of fuzzers that are built already, by QUIRE_FUZZ=1 ./run sanitize address TESTS.

targets=$(cd Fuzz && for folder in *Fuzz; do say "$folder"; done)
seconds=60
for word; do
  case $word in
  *[!0-9]*) targets=$word ;;
  *) seconds=$word ;;
  esac
done
[ "$(printf '%s\n' $targets | wc -l)" != 1 ] || product="--product $targets"
for target in $targets; do
  [ -d "Fuzz/$target" ] ||
    fail "There is no fuzzer '$target'." "There are: $(cd Fuzz && echo *Fuzz)"
done
programs=${QUIRE_FUZZERS:-.build/fuzz/release}
[ -n "${QUIRE_FUZZERS:-}" ] ||
  QUIRE_FUZZ=1 swift build -c release --scratch-path .build/fuzz ${product:-} $fuzz_flags
for target in $targets; do
  corpus=.build/fuzz/corpus/$target
  findings=.build/fuzz/findings/$target/
  log=.build/fuzz/$target.log
  seeds=Fuzz/$target/Seeds
  [ -d "$seeds" ] || seeds=
  # The first inputs may also be in one file, one on each line.
  if [ -f "Fuzz/$target/seeds.txt" ]; then
    seeds=.build/fuzz/seeds/$target
    rm -rf "$seeds"
    mkdir -p "$seeds"
    split -l 1 -a 3 "Fuzz/$target/seeds.txt" "$seeds/"
  fi
  # Inputs that earlier runs found may be in one file, in hexadecimal, one on each line.
  if [ -f "Fuzz/$target/corpus.hex" ]; then
    kept=.build/fuzz/kept/$target
    python3 - "Fuzz/$target/corpus.hex" "$kept" <<'END'
import os, shutil, sys
shutil.rmtree(sys.argv[2], ignore_errors=True)
os.makedirs(sys.argv[2])
for number, line in enumerate(open(sys.argv[1])):
  with open(f"{sys.argv[2]}/{number}", "wb") as output:
      output.write(bytes.fromhex(line))
END
    seeds="$seeds $kept"
  fi
  mkdir -p "$corpus" "$findings"
  # The output goes to a file, because a pipe would wait for the symbolizer of a crashed program.
  "$programs/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -artifact_prefix="$findings" "$corpus" $seeds >"$log" 2>&1 || {
    tail -n 60 "$log"
    fail "$target found a fault." "The input is in $findings, and the log of the run is $log."
  }
  sed -n 's/^#\([0-9]*\).*DONE.*cov: \([0-9]*\).*/'"$target"': \1 inputs, \2 places reached/p' "$log"
done
say "fuzz: nothing found"
