# Functions of ./run release --check: they install and use the packages as people do.

# check_release: tries each package in clean systems, and a package that depends on Quire. QUIRE_SYSTEMS names the systems, as
# debootstrap does.
check_release() {
  check_icu_data
  check_archive_headers
  check_sizes
  for system in ${QUIRE_SYSTEMS:-bookworm trixie jammy noble}; do
    for check in check_archive check_wheel check_debian_package; do
      make_system
      $check
      rm -rf "$root"
    done
    say "release: the packages work in $system"
  done
  check_swift_package
}

# Compares the sizes in docs/installing.md with those of the packages. Two megabytes more or less are no reason for an edit.
check_sizes() {
  unpacked=$(find "$staged" -type f -printf '%s\n' | awk '{ n += $1 } END { printf "%.0f", n }')
  check_size 'quire_VERSION_amd64.deb' "$packages"/quire_*.deb "$unpacked"
  check_size 'quire-VERSION-linux-x86_64.tar.gz' "$packages/$archive_name.tar.gz" "$unpacked"
  check_size 'quire-VERSION-py3-none-manylinux_….whl' "$packages"/quire-*.whl \
    "$(stat -c %s "$staged/lib/libquire.so.1")"
}

# check_size NAME PACKAGE INSTALLED: compares a row of the table of packages with the sizes of a package in bytes.
check_size() {
  stated=$(sed -n "s/^| \`$1\` |.*| \([0-9]*\) MB | \([0-9]*\) MB |$/\1 \2/p" docs/installing.md)
  [ -n "$stated" ] || fail "docs/installing.md has no row with the sizes of $1."
  found="$(megabytes "$(stat -c %s "$2")") $(megabytes "$3")"
  [ $((${stated% *} - ${found% *})) -ge -2 ] && [ $((${stated% *} - ${found% *})) -le 2 ] &&
    [ $((${stated#* } - ${found#* })) -ge -2 ] && [ $((${stated#* } - ${found#* })) -le 2 ] ||
    fail "docs/installing.md gives $1 the sizes $stated (MB, compressed and installed)." "They are $found."
}

# megabytes BYTES: prints the nearest whole number of megabytes.
megabytes() {
  say $((($1 + 500000) / 1000000))
}

# Unpacks the minimal system with the name $system into a new folder, $root. The first time it downloads the system,
# from QUIRE_MIRROR if the variable is set.
make_system() {
  need debootstrap command -v debootstrap
  [ -z "$missing" ] || install_packages "$missing"
  [ "$(id -u)" = 0 ] || fail "A clean system needs the rights of root." "Run 'sudo ./run release --check'."
  systems=$PWD/.build/systems
  root=$systems/root
  rm -rf "$root"
  mkdir -p "$systems"
  if [ ! -e "$systems/$system.tar" ]; then
    keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    mirror=http://deb.debian.org/debian
    components=main
    script=
    case $system in
    jammy | noble)
      find_ubuntu_keys
      keyring=$systems/ubuntu.gpg
      mirror=http://archive.ubuntu.com/ubuntu
      # pip is not in Ubuntu's main part.
      components=main,universe
      # The script of all of Ubuntu's systems. An older debootstrap does not know the names of newer ones.
      script=gutsy
      ;;
    esac
    say "Downloading a minimal system: $system"
    debootstrap --variant=minbase --components="$components" --keyring="$keyring" "$system" "$root" \
      "${QUIRE_MIRROR:-$mirror}" $script >"$systems/$system.log" 2>&1 ||
      fail "debootstrap can't make the system $system (see $systems/$system.log)."
    tar -C "$root" -cf "$systems/$system.tar.new" .
    mv "$systems/$system.tar.new" "$systems/$system.tar"
  else
    mkdir "$root"
    tar -C "$root" -xf "$systems/$system.tar"
  fi
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  in_root 'useradd --create-home visitor'
}

# Finds the keys of Ubuntu's archive, and keeps only the one with the fingerprint that Ubuntu publishes.
find_ubuntu_keys() {
  fingerprint=F6ECB3762474EDA9D21B7022871920D1991BC93C
  [ ! -e "$systems/ubuntu.gpg" ] || return 0
  keys=$systems/keys
  rm -rf "$keys"
  mkdir -p "$keys/lists/partial" "$keys/home"
  chmod 700 "$keys/home"
  # The package comes from the archive without a check, so the check of the fingerprint is what counts.
  say 'deb [trusted=yes] http://archive.ubuntu.com/ubuntu jammy main' >"$keys/sources.list"
  (
    cd "$keys"
    set -- -o "Dir::Etc::SourceList=$keys/sources.list" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$keys/lists" \
      -o APT::Sandbox::User=root
    apt-get "$@" update && apt-get "$@" download ubuntu-keyring && dpkg-deb -x ubuntu-keyring_*.deb .
    export GNUPGHOME="$keys/home"
    gpg --quiet --import usr/share/keyrings/ubuntu-archive-keyring.gpg
    gpg --export "$fingerprint" >ubuntu.gpg
    [ -s ubuntu.gpg ]
  ) >"$systems/keys.log" 2>&1 || fail "Can't find Ubuntu's keys (see $systems/keys.log)."
  mv "$keys/ubuntu.gpg" "$systems/ubuntu.gpg"
  rm -rf "$keys"
}

# in_root COMMANDS [USER]: runs commands of the shell in the system, with a /proc that ends with them.
in_root() {
  unshare --mount --pid --fork sh -euc '
    mount -t proc proc "$1/proc"
    exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 \
      DEBIAN_FRONTEND=noninteractive chroot --userspec="$3" "$1" /bin/sh -euc "$2"' sh "$root" "$1" "${2:-root}"
}

# Installs the Debian package, uses it, removes it, and looks for files that stay.
check_debian_package() {
  cp "$packages"/quire_*.deb "$root/tmp/quire.deb"
  in_root 'apt-get update && apt-get install -y --no-install-recommends /tmp/quire.deb man-db bash' \
    >"$systems/install.log" 2>&1 ||
    fail "apt-get can't install the package (see $systems/install.log)."
  in_root 'cd / && md5sum --quiet --check /var/lib/dpkg/info/quire.md5sums'
  in_root 'man quire | grep -q document
    test -s /usr/share/zsh/vendor-completions/_quire && test -s /usr/share/fish/vendor_completions.d/quire.fish
    bash -c ". /usr/share/bash-completion/completions/quire; complete -p quire"
    test -s /usr/share/doc/quire/copyright'
  use_tool
  in_root 'dpkg --purge quire'
  before=$(files_in_root)
  left=$(printf '%s\n' "$before" | grep -i quire || :)
  [ -z "$left" ] || fail "Files stay after the package is removed:" "$left"
  # Again, now that the libraries are there: the list of all files is the same before and after.
  in_root 'dpkg --install /tmp/quire.deb'
  use_tool
  in_root 'dpkg --purge quire'
  [ "$before" = "$(files_in_root)" ] || fail "The package leaves files behind, or removes files of the system."
}

# Prints all files of the system except the package tools' own.
files_in_root() {
  (cd "$root" && find . \( -path ./tmp -o -path ./proc -o -path ./var/lib/dpkg -o -path ./var/log -o -path ./var/cache \
    -o -path ./run \) -prune -o -print | LC_ALL=C sort)
}

# Unpacks the archive, and uses the tool from its folder: first in a system with the C library alone, then with the libraries
# of the plug-ins.
check_archive() {
  tar -C "$root/opt" -xzf "$packages/$archive_name.tar.gz" --no-same-owner
  use_tool "/opt/$archive_name/bin" alone
  in_root 'apt-get update && apt-get install -y --no-install-recommends libsqlite3-0 libpq5' \
    >"$systems/libraries.log" 2>&1 || fail "apt-get can't install the libraries (see $systems/libraries.log)."
  use_tool "/opt/$archive_name/bin"
}

# Installs the Python package with pip, and runs the first two programs of the guide.
check_wheel() {
  in_root 'apt-get update && apt-get install -y --no-install-recommends python3-venv python3-cffi' \
    >"$systems/python.log" 2>&1 || fail "apt-get can't install Python (see $systems/python.log)."
  cp "$packages"/quire-*.whl "$root/tmp/"
  sed -n '/^```python$/,/^```$/p' docs/from-a-notebook.md | awk '/^```/ { n++; next } n < 4' >"$root/tmp/guide.py"
  in_root 'cd "$(mktemp -d)"
    python3 -m venv --system-site-packages place
    place/bin/pip install --quiet --no-index /tmp/quire-*.whl
    place/bin/python3 /tmp/guide.py' visitor >"$systems/wheel.log" 2>&1 || {
    cat "$systems/wheel.log"
    fail "The Python package does not work in $system."
  }
}

# use_tool [FOLDER [alone]]: tells a short story with the tool, as a user without rights. With `alone` the system lacks the
# libraries of the plug-ins, and the tool must name the one that is missing.
use_tool() {
  rm -rf "$root/tmp/story"
  mkdir -m 777 "$root/tmp/story"
  cp Examples/FromFiles/*.csv "$root/tmp/story"
  tell "${1:-/usr/bin}" '
    quire --version
    quire new Trips.quire --from trips.csv stops.csv | tail -n 1
    quire set Trips.quire Stop nights=2 --where "trip.name CONTAINS[cd] \"DOURO\" AND name MATCHES \"\\\\w+\""
    quire fetch Trips.quire Stop --where "trip.name CONTAINS \"Douro\"" --sort=-nights
    quire validate Trips.quire
    quire convert Trips.quire Trips.xml --store XML
    quire pack Trips.quire Trips.zip
    quire fetch Trips.zip Stop' "quire $version" '"Régua"'
  if [ -n "${2:-}" ]; then
    tell "$1" '! quire info postgresql://nowhere/trips' 'libpq.so.5'
  else
    tell "${1:-/usr/bin}" '
      quire convert Trips.quire Trips.sqlite --store SQLite
      quire fetch Trips.sqlite Trip --sort=name --columns name
      quire plugin list
      quire plugin test SQLiteStore | tail -n 1' PostgreSQLStore
  fi
}

# tell FOLDER COMMANDS TEXT...: runs commands with the tool in a folder of the system. They must succeed and print the texts.
tell() {
  folder=$1
  commands=$2
  shift 2
  in_root "PATH=$folder:\$PATH; cd /tmp/story; $commands" visitor >"$root/tmp/story.log" 2>&1 || {
    cat "$root/tmp/story.log"
    fail "The tool does not work in $system."
  }
  for text in "$@"; do
    grep -qF "$text" "$root/tmp/story.log" || {
      cat "$root/tmp/story.log"
      fail "The tool does not print '$text' in $system."
    }
  done
}

# Compiles a file against the headers in the unpacked archive, whose folder pkg-config finds.
check_archive_headers() {
  unpacked=$(mktemp -d)
  tar -C "$unpacked" -xzf "$packages/$archive_name.tar.gz"
  say '#include "quire_store_plugin.h"' >"$unpacked/a.c"
  cc -fsyntax-only "$unpacked/a.c" $(PKG_CONFIG_PATH="$unpacked/$archive_name/lib/pkgconfig" pkg-config --cflags quire)
  rm -rf "$unpacked"
}

# Builds a package outside this folder with the manifest in docs/installing.md and the program in the README. It depends on
# a clone of this commit.
check_swift_package() {
  outside=$(mktemp -d)
  git clone -q . "$outside/quire"
  git -C "$outside/quire" checkout -q -B main
  git -C "$outside/quire" tag "v$version"
  mkdir -p "$outside/Trips/Sources/trips"
  sed -n '/^```swift$/,/^```$/p' README.md | sed '/^```/d' >"$outside/Trips/Sources/trips/main.swift"
  manifest=$outside/Trips/Package.swift
  sed -n '/^\/\/ swift-tools-version/,/^```$/p' docs/installing.md | sed "/^\`\`\`/d; s|ADDRESS|file://$outside/quire|" >"$manifest"
  (
    # A user's package compiles Quire without the variables of ./run.
    unset QUIRE_OPTIMIZED QUIRE_STATIC QUIRE_ICU_DATA
    cd "$outside/Trips"
    swift build
    printf 'id,name\n1,Along the Douro\n2,By train to Berlin\n' >trips.csv
    printf 'name,nights,trip_id\nPorto,3,1\nRégua,1,1\nBerlin,4,2\n' >stops.csv
    "$staged/bin/quire" new Trips.quire --from trips.csv stops.csv >/dev/null
    said=$(.build/debug/trips)
    [ "$(printf '%s\n' "$said" | head -n 1)" = 'Porto 4 of 5' ] || fail "The program prints: $said"
    # A package with a version number may not have all flags, which SwiftPM finds out when it plans the build.
    sed -i "s|branch: \"main\"|exact: \"$version\"|" Package.swift
    swift build --print-manifest-job-graph >/dev/null
  )
  rm -rf "$outside"
  say "release: a package outside this folder builds with Quire"
}

# Compares what the part of ICU's data in the release gives with what all of the data gives.
check_icu_data() {
  [ -n "${QUIRE_ICU_DATA:-}" ] || return 0
  below="-lCoreFoundation -l_FoundationCollections -l_FoundationCShims -l_FoundationICU"
  for data in "" "$QUIRE_ICU_DATA"; do
    made=.build/icu/check${data:+-part}
    swiftc -static-stdlib -use-ld=lld scripts/lib/icu-check.swift -o "$made" ${data:+"$data"} $below
    for language in C.UTF-8 sv_SE.UTF-8; do
      TZ=Europe/Berlin LC_ALL=$language "$made"
    done >"$made.txt"
  done
  cmp .build/icu/check.txt .build/icu/check-part.txt || fail "The part of ICU's data is not enough."
  say "release: the part of ICU's data gives the same results as all of it"
}
