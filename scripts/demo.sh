# demo
#   Builds the tool, and tells a story with it: two files become a document, which is changed, migrated and packed.

# tell SENTENCE: prints a sentence of the story.
tell() { printf '\n# %s\n' "$1"; }

# show ARGUMENT...: prints the command line, and runs the tool.
show() {
  printf '$ quire'
  for word; do case $word in *[!A-Za-z0-9_./@,=-]*) printf " '%s'" "$word" ;; *) printf ' %s' "$word" ;; esac done
  printf '\n'
  "$quire" "$@"
}

# differs ARGUMENT...: like show, for a comparison. The two sides differ, so the expected exit code is 1.
differs() { show "$@" || [ $? = 1 ]; }

# A tool that tests have built tells the story as well. In a new clone nothing is built yet, and without optimized modules the
# first build takes half of the time. The story needs one of the plug-ins.
tool_plugins=SQLiteStore
if [ -x .build/debug/quire ]; then
  build_tool
else
  say "Building the tool; the first time takes two to four minutes on two cores."
  unset QUIRE_OPTIMIZED
  build_tool --scratch-path .build/plain --disable-index-store
fi
quire=$bin/quire
rm -rf .build/demo
mkdir -p .build/demo
cp Examples/FromFiles/trips.csv Examples/FromFiles/stops.csv .build/demo
cd .build/demo
export QUIRE_AUTHOR=demo

tell "A spreadsheet has trips, and their stops. These are the stops:"
cat stops.csv
tell "Quire finds out what the columns mean, and makes a document. It needs no model and no program."
show new Trips.quire --from trips.csv stops.csv
tell "A question can follow a relationship: which trips have more than four nights?"
show fetch Trips.quire Trip --where 'SUM(stops.nights) > 4' --columns 'name, start, stops.@count'
tell "One command changes every object that a predicate finds. The message is for people."
show set Trips.quire Stop nights=2 --where 'trip.name CONTAINS[cd] "douro" AND nights < 2' -m "Sleeps longer in Régua"
tell "Every save is a version. Version 2 has the objects of the files. The difference until now:"
differs diff Trips.quire@2 Trips.quire
tell "The model changes: the start gets another name, a rule limits the nights, and trips get notes."
printf '$ quire model edit Trips.quire --yes   # here the editor is sed\n'
EDITOR="sed -i -e 's/start: Day/departure: Day, was start/' -e 's/nights: Int64/nights: Int64 = 1, min 0, max 365/' \
  -e 's/  unique id/  notes: String?\n  unique id/'" "$quire" model edit Trips.quire --yes
tell "A value that breaks the new rule is refused, and nothing is saved."
differs set Trips.quire Stop nights=400 --where 'name == "Porto"'
tell "The validator checks every byte and every object."
show validate Trips.quire
tell "The history lists all versions, and any of them can be read."
show history Trips.quire --changes
show fetch Trips.quire Stop --version 2 --where 'name == "Régua"' --columns 'name, nights'
tell "The document becomes one file, for a message. Every command reads the file as it is."
show pack Trips.quire Trips.zip
show count Trips.zip Stop --where 'trip.notes == nil'
tell "The same objects in a database with the tables of Core Data, as on a Mac or an iPhone:"
show convert Trips.quire Trips.sqlite --store SQLite
tell "Such a database contains its model, so its path is enough."
show fetch Trips.sqlite Trip --sort=-departure --columns 'name, departure' --limit 2
cd ../..
say "
demo: done (the files are in .build/demo)"
