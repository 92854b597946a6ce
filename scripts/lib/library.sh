# Functions of ./run library and ./run release: they build libquire.so and the Python package that contains it.

# build_library OPTION...: builds libquire.so, after link_statically. $library receives its path.
build_library() {
  QUIRE_TARGETS=LibQuire with_archives build --product quire-c "$@"
  library=$(QUIRE_TARGETS=LibQuire swift build --show-bin-path "$@")/libquire-c.so
  check_symbols "$library"
}

# check_symbols LIBRARY: fails if the library shows other symbols than the functions of the header, or lacks one.
check_symbols() {
  nm -D --defined-only "$1" | sed 's/.* //; s/@.*//' | sort >.build/shown.txt
  sed -n 's/^[a-z].*[ *]\(quire_[a-z_]*\)(.*/\1/p' Sources/CQuire/include/quire.h | sort -u >.build/declared.txt
  cmp -s .build/shown.txt .build/declared.txt || {
    diff .build/shown.txt .build/declared.txt | head -n 20 >&2
    fail "The symbols of $1 (<) are not the functions of quire.h (>)."
  }
}

# install_library PREFIX [PKG-CONFIG-PREFIX]: installs the library of build_library, its header, and a file for pkg-config.
install_library() {
  mkdir -p "$1/lib/pkgconfig" "$1/include/quire"
  install -m 755 "$library" "$1/lib/libquire.so.1"
  strip --strip-all --remove-section=.comment --remove-section=.swift_modhash --remove-section=.note.gnu.build-id \
    "$1/lib/libquire.so.1"
  ln -sf libquire.so.1 "$1/lib/libquire.so"
  install -m 644 Sources/CQuire/include/quire.h Sources/CArrow/include/CArrow.h "$1/include/quire/"
  library_prefix=${2:-$(cd "$1" && pwd)}
  cat >"$1/lib/pkgconfig/libquire.pc" <<END
prefix=$(printf %s "$library_prefix" | sed "s| |\\\\ |g")
includedir=\${prefix}/include/quire
libdir=\${prefix}/lib

Name: libquire
Description: Documents and stores of Quire for programs in any language
Version: $(quire_version)
Cflags: -I\${includedir}
Libs: -L\${libdir} -lquire
END
}

# pack_wheel PREFIX FOLDER: packs the Python package with the library in PREFIX, and writes the wheel into FOLDER.
pack_wheel() {
  python3 scripts/lib/wheel.py "$(quire_version)" "$(uname -m)" "$1" "$2"
}
