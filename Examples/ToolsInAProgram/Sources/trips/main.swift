import Quire
import QuireTools

// A document from tables.
let model = try Model(classes: [Trip.self, Stop.self])
try Document.create("Trips.quire", model: model, in: .builtIn).close()
let imported = try Import("trips.csv", "stops.csv").write(to: "Trips.quire")
print("imported: \(imported.insertedCount) objects")

// Two copies change apart.
for copy in ["Ours.quire", "Theirs.quire"] {
  let document = try Document.open("Trips.quire", in: .builtIn, access: .readOnly)
  try document.copy(to: copy)
  try document.close()
}
try await change("Ours.quire") { context in
  for trip in try context.fetch(Trip.where { $0.price > 500 }) { trip.price = 950 }
}
try await change("Theirs.quire") { context in
  for trip in try context.fetch(Trip.where { $0.price > 500 }) { trip.price = 1000 }
  for stop in try context.fetch(Stop.where { $0.name == "Köln" }) { stop.nights = 2 }
}

// Their differences.
let difference = try Difference(from: "Trips.quire", to: "Theirs.quire")
for change in try difference.changes {
  print("\(change.kind) \(change.entity): \(change.properties.map(\.name))")
}

// A merge that leaves a conflict writes nothing.
let merge = try Merge(base: "Trips.quire", ours: "Ours.quire", theirs: "Theirs.quire")
do {
  try merge.write(to: "Merged.quire")
} catch let error as ComparisonError where error.code == .conflict {
  print("conflict: \(merge.conflicts[0])")
}
let counts = try merge.write(to: "Merged.quire") { _ in .theirs }
print("merged: \(counts.changed) objects changed")

// One file of the result, and its report.
let packed = try Archive.pack("Merged.quire", into: "Merged.quire.zip")
let report = try Validator.report(on: "Merged.quire.zip")
print("packed: \(packed.fileCount) files, \(report.verdict)")
