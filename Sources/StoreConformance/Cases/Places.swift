import DurableFiles
import Foundation
import ObjectModel
import PropertyLists
import Rows
import StoreInterface

/// The cases of places: occupied, missing, foreign and damaged ones, and stores opened for reading only.
struct PlaceCases {
  let run: CaseRun

  /// Makes a store with one thing at a path, closes the store, and returns its objects.
  private func fill(_ path: String) throws -> StoreConformance.Objects {
    let store = try run.create(at: path)
    let thing = try run.key(store, "Thing", 1)
    try store.commit(run.request(7, for: thing, above: store.snapshot()))
    try store.close()
    return [thing: ["large": .integer(7)]]
  }

  func occupiedPlaces() throws {
    let ground = try run.ground()
    let path = ground.newPath()
    let before = try fill(path)
    run.refused(.exists, "Creating a store over another one without permission to replace it") {
      try run.create(at: path)
    }
    var store = try run.open(path)
    try run.check("A store after another store was not allowed to replace it", store, holds: before)
    try store.close()

    let uuid = UUID()
    store = try run.create(at: path, StoreCreation(uuid: uuid, overwriting: true))
    for place in ["A store that replaced another one", "The same store after it was reopened"] {
      try run.check(place, store, holds: [:])
      run.check("The UUID of a new store", is: uuid, found: try store.snapshot().metadata.uuid)
      run.check(
        "Commits of the replaced store", is: 0, found: try store.commits().count { $0.number > 1 })
      store = try run.reopen(store)
    }
    try store.close()
  }

  func recognizedStores() throws {
    let ground = try run.ground()
    if let reason = run.suite.unrecognizedReason { throw CaseRun.End.skipped(reason) }
    let path = ground.newPath()
    try run.create(at: path).close()
    try checkRecognized("A new store", at: path)
    let store = try run.open(path)
    let thing = try run.key(store, "Thing", 1)
    try store.commit(run.request(7, for: thing, above: store.snapshot()))
    try store.close()
    try checkRecognized("A store with one object", at: path)
  }

  /// Adds a finding unless the backend recognises the closed store at a path as a program does that opens it.
  private func checkRecognized(_ which: String, at path: String) throws {
    let ground = try run.ground()
    let found = try? StoreBackends([ground.backend]).backend(ofStoreAt: path, on: ground.disk)
    guard found == nil else { return }
    let type = ground.backend.type.rawValue
    let description: String
    if let bytes = try ground.bytes(of: path)?.prefix(24) {
      let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
      let text = String(decoding: bytes.map { (32..<127).contains($0) ? $0 : 46 }, as: UTF8.self)
      description =
        "its file begins with the bytes \(digits) (\"\(text)\"); a plug-in gives the pattern in 'begins' of its "
        + "manifest"
    } else if let names = try? ground.disk.list(path).map(\.name).sorted() {
      description =
        "its folder contains \(names.prefix(8).joined(separator: ", ")); a plug-in gives the name of one of its files "
        + "as 'marker' in its manifest"
    } else {
      description = "it is neither a file nor a folder; a plug-in gives 'schemes' in its manifest"
    }
    run.check(
      false,
      "\(which) must be recognised as a store of type '\(type)', but is not, so no program can open it: "
        + description + ".")
  }

  func missingStores() throws {
    let ground = try run.ground()
    let path = ground.newPath()
    for opening in [StoreOpening(), StoreOpening(readOnly: true), StoreOpening(commit: 1)] {
      run.refused(.notFound, "Opening a store that does not exist") { try run.open(path, opening) }
    }
    run.refused(.notFound, "Reading the metadata of a store that does not exist") {
      try ground.metadata(at: path)
    }
    do {
      try run.create(at: path).close()
    } catch {
      run.check(
        false,
        "After it was not found, a store must be creatable at the same path, but was refused: "
          + CaseRun.text(error))
    }
  }

  func foreignFiles() throws {
    let ground = try run.ground()
    guard !ground.backend.recognizesAddress(ground.newPath()) else {
      throw CaseRun.End.skipped("the stores are not files")
    }
    let letter = Array("Dear reader, this is a letter and not a store of objects. Yours, Ada".utf8)
    for bytes in [letter, []] {
      let what = bytes.isEmpty ? "an empty file" : "a letter"
      let path = ground.newPath()
      try ground.write(bytes, to: path)
      run.refused(.notAStore, or: .damaged, "Opening \(what) as a store") { try run.open(path) }
      run.refused(.notAStore, or: .damaged, "Opening \(what) as a store for reading") {
        try run.open(path, StoreOpening(readOnly: true))
      }
      run.refused(.notAStore, or: .damaged, "Reading the metadata of \(what)") {
        try ground.metadata(at: path)
      }
      run.refused(.exists, "Creating a store over \(what) without permission to replace it") {
        try run.create(at: path)
      }
      run.check(
        "The bytes of \(what) that was refused", is: bytes, found: try ground.bytes(of: path) ?? [])
    }
  }

  func cutFiles() throws {
    let ground = try run.ground()
    let path = ground.newPath()
    var store = try run.create(at: path)
    let thing = try run.key(store, "Thing", 1)
    for number in 0..<4 as Range<Int64> {
      try store.commit(run.request(number, for: thing, above: store.snapshot()))
    }
    let last: StoreConformance.Objects = [thing: ["large": .integer(3)]]
    try store.close()
    guard let bytes = try ground.bytes(of: path), !bytes.isEmpty else {
      throw CaseRun.End.skipped("the store is not a file on the disk of the tests")
    }
    for share in 1..<8 {
      let cut = ground.newPath()
      try ground.write(Array(bytes.prefix(bytes.count * share / 8)), to: cut)
      do {
        store = try run.open(cut, StoreOpening(readOnly: true))
        let snapshot = try store.snapshot()
        run.check(
          "A store cut off after \(share) of 8 parts, which was not refused", snapshot.schema,
          holds: last,
          found: try StoreConformance.objects(snapshot))
        try store.close()
      } catch let error as StoreError {
        run.check(
          [.damaged, .notAStore, .newerFormat].contains(error.code),
          "A store cut off after \(share) of 8 parts must be refused with code damaged or notAStore, but was "
            + "refused with code \(error.code.rawValue): \(error)")
      }
    }
  }

  func readOnlyStores() throws {
    let ground = try run.ground()
    let path = ground.newPath()
    let before = try fill(path)
    let files = try ground.files(at: path)
    let store = try run.open(path, StoreOpening(readOnly: true))
    try run.check("A store that is open for reading", store, holds: before)
    let base = try store.snapshot()
    let change = try run.request(8, for: run.key(store, "Thing", 1), above: base)
    run.refused(.readOnly, "Committing to a store that is open for reading") {
      try store.commit(change)
    }
    try run.check("A store that is open for reading, after a refused commit", store, holds: before)
    try store.close()
    let left = try ground.files(at: path)
    // Readers may note themselves in a file of locks.
    for name in Set(files.keys).union(left.keys).sorted()
    where files[name] != left[name] && !name.hasSuffix("lock") {
      run.check(
        false,
        "A store that was open for reading must leave its files as they were, but \(name) is "
          + (files[name] == nil ? "new" : left[name] == nil ? "gone" : "changed") + ".")
    }
    let again = try run.open(path)
    try run.check("A store after it was open for reading", again, holds: before)
    try again.close()
  }

  func metadataOfClosedStore() throws {
    let ground = try run.ground()
    let path = ground.newPath()
    let store = try run.create(at: path)
    let base = try store.snapshot()
    var metadata = try base.metadata
    metadata.values["owner"] = .dictionary(["name": .string("Ada"), "n": .integer(-3)])
    try store.commit(CommitRequest(Layer(), basedOn: base, metadata: metadata))
    try store.close()
    let found = try ground.metadata(at: path)
    run.check("The UUID in the metadata of a closed store", is: metadata.uuid, found: found.uuid)
    for (name, value) in metadata.values.sorted(by: { $0.key < $1.key }) {
      run.check(
        "The value '\(name)' in the metadata of a closed store", is: value,
        found: found.values[name])
    }
  }

  func descriptions() throws {
    let began = Date()
    var store = try run.make()
    let thing = try run.key(store, "Thing", 1)
    try store.commit(run.request(1, for: thing, above: store.snapshot()))
    let before = try store.describe()
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    // Random bytes can't be compressed.
    var generator = SystemRandomNumberGenerator()
    let bytes = Data((0..<200_000).map { _ in UInt8.random(in: 0...255, using: &generator) })
    builder.set(
      .binary(bytes), "bytes", of: thing, base.schema, basis: try run.version(of: thing, in: base))
    let head = try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    for place in ["a store", "a reopened store"] {
      let found = try store.describe()
      run.check(
        found.byteCount == 0 || found.byteCount >= before.byteCount + 190_000,
        "The size of \(place) after 200000 more bytes: expected at least \(before.byteCount + 190_000), found "
          + "\(found.byteCount).")
      run.check(
        (0...max(found.byteCount, 0)).contains(found.liveByteCount),
        "The number of bytes in use of \(place): expected 0 to \(found.byteCount), found \(found.liveByteCount)."
      )
      run.check(
        "The remains of an interrupted save in \(place)", is: 0, found: found.strayByteCount)
      run.check("The damage of \(place)", is: "none", found: found.damage ?? "none")
      // The clock of a simulated disk begins in 1970.
      if let saved = found.savedAt, saved.timeIntervalSince1970 > 86_400 {
        run.check(
          saved > began.addingTimeInterval(-2) && saved < Date().addingTimeInterval(2),
          "The time of the last save of \(place): expected a time during this test, found \(saved)."
        )
      }
      run.check(
        found.highestCommit == head.commit || found.highestCommit == 0 && !run.suite.keepsRows,
        "The highest commit of \(place): expected \(head.commit), found \(found.highestCommit). Only a store that "
          + "keeps no numbers of commits has 0.")
      if place == "a store" { store = try run.reopen(store) }
    }
    try store.close()
  }
}
