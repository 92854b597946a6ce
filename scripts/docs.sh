# docs [--serve]
#   Builds a site in docs/site/: the reference of each module, and the pages of the repository. A warning or a dead link
#   is an error. With --serve, it then serves the site to browsers on this machine.

# exported_modules: the modules that a client of a library product can import: the targets of the products, the
# dependencies of the umbrella module, and the modules that one of these targets exports with `@_exported`.
exported_modules() {
  swift package dump-package | python3 -c '
import json, pathlib, re, sys

package = json.load(sys.stdin)
targets = {target["name"]: target for target in package["targets"]}
# Dynamic libraries are plug-ins, which no program imports.
modules = {
  name for product in package["products"] if "automatic" in product["type"].get("library", [])
  for name in product["targets"]}
modules |= {dependency["byName"][0] for dependency in targets["Quire"]["dependencies"]}
for name in sorted(modules):
  for file in pathlib.Path(targets[name].get("path") or f"Sources/{name}").rglob("*.swift"):
    exports = r"^@_exported public import (?:(?:class|enum|protocol|struct|typealias) )?(\w+)"
    modules |= set(re.findall(exports, file.read_text(), re.MULTILINE))
print(*sorted(modules & targets.keys()))'
}

case ${1:-} in '' | --serve) ;; *) fail "Unknown option '$1'." "Write --serve, or nothing." ;; esac
need cmark-gfm command -v cmark-gfm # Writes the HTML of the pages.
[ -z "$missing" ] || install_packages "$missing"
command -v docc >/dev/null || fail "The toolchain has no 'docc'."
modules=$(exported_modules)
[ -n "$modules" ] || fail "Package.swift has no library product."
build
graphs=$(swift build --show-bin-path)/../symbolgraph
rm -rf "$graphs"
# The flags are those of `build`, so nothing is compiled again. The command always fails, because SwiftPM also requests graphs
# of the test products, which are not modules. So the loop below checks that each graph exists.
swift package $build_flags $plain_flags $stats_flags dump-symbol-graph --minimum-access-level public --skip-synthesized-members \
  >.build/symbolgraph.log 2>&1 || :
rm -rf docs/site .build/documented
mkdir -p docs/site
# Each page of docc begins with a link to the start page.
catalogue=.build/documented/site.docc
mkdir -p "$catalogue"
cp scripts/site/header.html "$catalogue/"
for module in $modules; do
  [ -f "$graphs/$module.symbols.json" ] ||
    fail "There is no symbol graph of the module '$module'." "See .build/symbolgraph.log."
  mkdir -p ".build/documented/$module"
  # Copies the symbols of the module, and its extensions of other modules.
  for graph in "$graphs/$module.symbols.json" "$graphs/$module"@*.symbols.json; do
    [ ! -f "$graph" ] || cp "$graph" ".build/documented/$module/"
  done
  # Comments document only parameters whose names do not tell their meaning, so no complete list is required.
  docc convert "$catalogue" --experimental-enable-custom-templates \
    --additional-symbol-graph-dir ".build/documented/$module" \
    --fallback-display-name "$module" --fallback-bundle-identifier "quire.$module" \
    --warnings-as-errors --disable-parameters-and-returns-validation \
    --transform-for-static-hosting --hosting-base-path "$module" \
    --output-path "docs/site/$module"
done
python3 scripts/site $modules
serve="python3 -m http.server --bind localhost --directory docs/site 8000"
if [ "${1:-}" = --serve ]; then
  say "docs: http://localhost:8000/"
  $serve
else
  # A browser shows the guides from files, but the reference only from a server, because docc's pages load their text.
  say "docs: docs/site/index.html; to browse it with the reference: $serve"
fi
