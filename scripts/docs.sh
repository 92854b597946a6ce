# docs
#   Builds the reference of the public API into docs/site/.

command -v docc >/dev/null || fail "The toolchain has no 'docc'."
swift package dump-symbol-graph --minimum-access-level public --skip-synthesized-members
graphs=$(swift build --show-bin-path)/../symbolgraph
rm -rf docs/site .build/documented
mkdir -p docs/site
for module in ObjectModel Rows ObjectQuery StoreInterface BinaryStore XMLStore; do
  mkdir -p ".build/documented/$module"
  cp "$graphs/$module"*.symbols.json ".build/documented/$module/"
  docc convert --additional-symbol-graph-dir ".build/documented/$module" \
    --fallback-display-name "$module" --fallback-bundle-identifier "quire.$module" \
    --transform-for-static-hosting --hosting-base-path "$module" \
    --output-path "docs/site/$module"
done
say "docs: docs/site/"
