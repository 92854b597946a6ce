#!/bin/sh
# Makes the files in the folder of this script with the given tool: `make.sh QUIRE`. Each is the first of its format, as version
# 0.1.0 writes it. After the release of 0.1.0 nothing makes them again: every later version must read these bytes.
set -eu
cd "$(dirname "$0")"
quire() { QUIRE_PLUGINS=off QUIRE_AUTHOR=First "$tool" "$@"; }
tool=$1
rm -rf First.* exchange
quire new First.quire --model first.model
printf 'a picture' > picture.txt
quire insert First.quire Trip 'name=Alfama & "Belém"' start=2026-04-20T09:30:00.5Z cost=30676.20 rating=0.1 weight=1.5 \
  days=3 distance=-70000 seconds=9000000000 isBooked=true 'site=https://example.org/?a=1' \
  key=5F0C21A6-6E9F-4E0C-9B9C-4E5B5D2F8A11 picture=@picture.txt 'notes=yellow trams, rain' opened=2026-04-20 fee=12.50
quire insert First.quire Stop title=Belém trip='Alfama & "Belém"'
quire insert First.quire Stop title= trip='Alfama & "Belém"'
quire insert First.quire Tag name=東京
quire set First.quire Trip 'tags={name = "東京"}' --where TRUEPREDICATE --message 'One tag'
quire insert First.quire Trip name=Empty
quire history First.quire --name 3=early
quire attach add First.quire picture.txt
quire branch First.quire draft
quire set First.quire@draft Trip days=9 --where 'name == "Empty"'
quire export First.quire --format jsonl --output First.jsonl
quire export First.quire@draft --format jsonl --output First.draft.jsonl
quire export First.quire@early --format jsonl --output First.early.jsonl
for type in Binary CompressedBinary XML; do quire convert First.quire "First.$type" --store "$type"; done
quire diff First.quire@early First.quire --format patch > First.patch || true
quire model First.quire --format json > First.model.json
mkdir exchange
quire remote add First.quire shared "$PWD/exchange"
quire push First.quire
quire remote remove First.quire shared
quire pack First.quire First.zip
rm -rf First.quire picture.txt
