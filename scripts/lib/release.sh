# Functions of ./run release: they build and pack a release.

packages=$PWD/.build/packages
version=$(quire_version)
machine=$(uname -m)
# Every file in a package has the time of the commit. dpkg-deb reads the variable too.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
archive_name=quire-$version-linux-$machine

# Builds the tool, the plug-ins and the library without a path of this machine, and installs them into .build/staged.
build_release() {
  set -- $release_flags --scratch-path "$PWD/.build/release-package" \
    -Xswiftc -file-prefix-map -Xswiftc "$PWD=/quire" -Xcc "-ffile-prefix-map=$PWD=/quire" \
    -Xswiftc -Xfrontend -Xswiftc -function-sections
  build_tool "$@"
  build_library "$@"
  staged=$PWD/.build/staged
  rm -rf "$staged" "$packages"
  mkdir -p "$packages"
  # The folder of the archive may be anywhere, so the file for pkg-config finds it from its own place.
  install_tool "$staged" '${pcfiledir}/../..'
  install_library "$staged" '${pcfiledir}/../..'
  for program in "$staged/bin/quire" "$staged/lib/libquire.so.1" "$staged"/lib/quire/plugins/*/*.so; do
    # Two sections depend on the folder of the build: hashes of the compiler's options, and a hash of everything.
    strip --strip-all --remove-section=.comment --remove-section=.swift_modhash --remove-section=.note.gnu.build-id \
      "$program"
    ! grep -qaF "$PWD" "$program" || fail "$program contains the path of this folder."
  done
  mkdir -p "$staged/share/doc/quire"
  install -m 644 scripts/lib/package/copyright LICENSE README.md CHANGELOG.md "$staged/share/doc/quire/"
  pack_wheel "$staged" "$packages"
  set_modes "$staged"
}

# set_modes FOLDER: makes modes and times of all files the same on every machine.
set_modes() {
  chmod -R u=rwX,go=rX "$1"
  find "$1" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
}

pack_archive() {
  tar --create --directory "$staged" --transform "s|^\.|$archive_name|" --sort=name --format=gnu \
    --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner . |
    gzip --no-name -9 >"$packages/$archive_name.tar.gz"
}

pack_debian() {
  architecture=$(dpkg --print-architecture)
  debian=$PWD/.build/debian
  rm -rf "$debian"
  mkdir -p "$debian/root/usr/share/zsh" "$debian/root/DEBIAN" "$debian/debian"
  cp -a "$staged/." "$debian/root/usr/"
  # Debian's folders are different in part, and it has the text of the license itself.
  mv "$debian/root/usr/share/zsh/site-functions" "$debian/root/usr/share/zsh/vendor-completions"
  mv "$debian/root/usr/lib/pkgconfig" "$debian/root/usr/share/pkgconfig"
  sed -i 's|^prefix=.*|prefix=/usr|' "$debian/root/usr/share/pkgconfig"/*.pc
  rm "$debian/root/usr/share/doc/quire/LICENSE"
  mv "$debian/root/usr/share/doc/quire/CHANGELOG.md" "$debian/root/usr/share/doc/quire/changelog"
  gzip --no-name -9 "$debian/root/usr/share/doc/quire/changelog" "$debian/root/usr/share/man/man1"/*
  printf 'Source: quire\n\nPackage: quire\nArchitecture: any\n' >"$debian/debian/control"
  needed=$(cd "$debian" && dpkg-shlibdeps -O root/usr/bin/quire root/usr/lib/libquire.so.1 root/usr/lib/quire/plugins/*/*.so |
    sed -n 's/^shlibs:Depends=//p')
  [ -n "$needed" ] || fail "dpkg-shlibdeps finds no dependency."
  # Folders are not counted, because their sizes depend on the file system.
  kibibytes=$(find "$debian/root/usr" -type f -printf '%s\n' | awk '{ n += int(($1 + 1023) / 1024) } END { print n }')
  cat >"$debian/root/DEBIAN/control" <<END
Package: quire
Version: $version
Architecture: $architecture
Maintainer: The authors of Quire <quire@localhost>
Installed-Size: $kibibytes
Depends: $needed
Section: database
Priority: optional
Description: document store with objects, versions and undo
 Quire keeps objects with relationships in a file that has its own model and
 the versions of its contents. The tool makes such documents from CSV and JSON,
 queries and changes them, and opens the databases of Core Data.
END
  (cd "$debian/root" && find usr -type f | LC_ALL=C sort | xargs md5sum >DEBIAN/md5sums)
  set_modes "$debian/root"
  dpkg-deb --root-owner-group --threads-max=1 -Zxz --build "$debian/root" \
    "$packages/quire_${version}_$architecture.deb" >/dev/null
}

# Builds the same commit in another folder, and fails if a package has other bytes there.
#
# The path of the other folder is as long as the one of this folder. For `withoutActuallyEscaping` the compiler stores the length
# of the path of the source file, also if prefixes of paths are replaced.
compare_two_builds() {
  length=$((${#PWD} - 5))
  [ $length -gt 0 ] || fail "The path of this folder, $PWD, is too short for another folder in /tmp with as long a path."
  second=/tmp/$(printf "%${length}s" '' | tr ' ' q)
  [ ! -e "$second" ] || fail "'$second' exists already." "Remove it: rm -r $second"
  git clone -q . "$second"
  (cd "$second" && ./run release)
  for package in "$packages"/*; do
    cmp "$package" "$second/.build/packages/${package##*/}"
  done
  rm -rf "$second"
  say "release: two builds have the same bytes"
}
