# release [--check | --twice]
#   Builds for release, and packs the tool, its plug-ins, the library for other languages, headers, completions and manual
#   pages into an archive and a Debian package in .build/packages, and the Python package into a wheel. --check also uses all three
#   in clean systems, and builds a package that depends on Quire. --twice builds in two folders, and compares the packages.

case ${1:-} in
'' | --check | --twice) ;;
*) fail "Unknown option '$1' for 'release'." "Write --check, --twice, or nothing." ;;
esac
need dpkg-dev command -v dpkg-shlibdeps
[ -z "$missing" ] || install_packages "$missing"
. scripts/lib/release.sh
. scripts/lib/check-release.sh
. scripts/lib/library.sh
[ -z "$(git status --porcelain)" ] ||
  say "Some changes are not committed. The packages contain them, with the time of the last commit."
link_statically --portable
build_release
pack_archive
pack_debian
ls -l "$packages"
[ "${1:-}" != --check ] || check_release
[ "${1:-}" != --twice ] || compare_two_builds
say "release: done (the packages are in .build/packages)"
