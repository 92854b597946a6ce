# demo
#   Builds the tool, and runs its main commands on the files in Examples/.

# show ARGUMENT...: prints the command line, and runs the tool.
show() {
  printf '\n$ quire'
  for word; do case $word in *' '*) printf " '%s'" "$word" ;; *) printf ' %s' "$word" ;; esac done
  printf '\n'
  "$quire" "$@"
}

build_tool
quire=$bin/quire
model=Examples/Trips.xcdatamodeld
show --version
show model "$model" --versions
show model "$model"
show hash "$model"
show hash "$model" --digest --format json
show predicate 'stops.@count > 3 AND name BEGINSWITH[cd] "é"' --model "$model" --entity Trip
show info Examples/Trips.store
show validate Examples/Trips.store
show fetch Examples/Trips.store Trip --where 'ANY stops.name BEGINSWITH[cd] "e" OR stops.@count > 2' \
  --columns 'name, start, stops.@count' --sort name
xml=.build/Trips.xml
show convert Examples/Trips.store "$xml" --force
printf '\n$ head -n 3 %s; tail -n 8 %s\n' "$xml" "$xml"
head -n 3 "$xml"
tail -n 8 "$xml"
show fetch "$xml" Stop --sort name --limit 2
show count Examples/Trips.store Stop --where 'trip.name CONTAINS "Douro"'
database=.build/Trips.sqlite
show convert Examples/Trips.store "$database" --store SQLite --force
show fetch "$database" Trip --where 'stops.@count > 2' --columns name --sort name
# The models differ, so the expected exit code is 1.
show model "$model/Trips.xcdatamodel" --diff "$model" || [ $? = 1 ]
document=.build/Trips.quire
packed=.build/Trips.quire.zip
rm -rf "$document" "$packed"
show new "$document" --model "$model" --title "A document"
show export Examples/Trips.store --output .build/Trips.jsonl
show import "$document" .build/Trips.jsonl
show set "$document" Trip --where 'name BEGINSWITH "Along"' 'name=Down the Douro'
show history "$document" --changes
show revert "$document" --to 2
show info "$document"
show validate "$document"
show pack "$document" "$packed"
show fetch "$packed" Trip --columns name --sort name
say "demo: done"
