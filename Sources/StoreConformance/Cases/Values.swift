import Foundation
import ObjectModel
import Rows
import StoreInterface

/// The cases of a new store, and of the values of objects.
extension CaseRun {
  func empty() throws {
    var store = try make()
    try check("A new store", store, holds: [:])
    if let backend = suite.ground?.backend {
      check(
        store.features.capabilities == backend.capabilities,
        "The features of a new store are not the capabilities that its backend declares.")
    }
    store = try reopen(store)
    try check("A reopened new store", store, holds: [:])
    let before = try store.snapshot()
    check(
      try before.model == StoreConformance.model,
      "A reopened new store does not have the model that it was created with.")
    let after = try store.commit(CommitRequest(Layer(), basedOn: before))
    check("The newest commit after an empty commit request", is: before.commit, found: after.commit)
    try store.close()
  }

  func everyKind() throws {
    var store = try make()
    let snapshot = try store.snapshot()
    let extremes: [[String: Value]] = [
      [
        "flag": .boolean(true), "small": .integer(.init(Int16.min)),
        "medium": .integer(.init(Int32.max)),
        "large": .integer(.min), "ratio": .float(.leastNonzeroMagnitude), "real": .double(-0.0),
        "when": .date(Date(timeIntervalSinceReferenceDate: -1e10)),
        "money": .decimal(Decimal(string: "-12345678901234567890123456789.0123456789")!),
        "name": .string("e\u{301}tude \u{1F682} \0 日本 \u{10FFFF}"), "link": .uri("urn:x:1"),
        "bytes": .binary(Data([0, 255, 10])),
        "token": .uuid(UUID(uuidString: "6FB9DF54-A60E-4A15-8C3B-1D2E3F405162")!),
      ],
      [
        "flag": .boolean(false), "small": .integer(0), "large": .integer(.max),
        "real": .double(.infinity), "ratio": .float(-.infinity), "name": .string(""),
        "bytes": .binary(Data()), "money": .decimal(0),
        "when": .date(Date(timeIntervalSinceReferenceDate: .greatestFiniteMagnitude)),
      ],
      [
        "real": .double(.nan), "ratio": .float(-0.0), "large": .integer(1 << 53 + 1),
        "when": .date(Date(timeIntervalSinceReferenceDate: 0.1)),
        "name": .string("\u{E9} \" \\ / < & > \r\n\t \u{7F} \u{2028}"),
        "link": .uri("https://example.org/?a=\"1\"&b=%20"),
      ],
      ["real": .double(0.1 + 0.2), "ratio": .float(.greatestFiniteMagnitude)],
      [:],
    ]
    let builder = LayerBuilder(snapshot.schema)
    var objects: StoreConformance.Objects = [:]
    for (index, values) in extremes.enumerated() {
      let key = try key(store, "Thing", UInt64(index) * 1000 + 1)
      builder.insert(key)
      for (name, value) in values { builder.set(value, name, of: key, snapshot.schema) }
      objects[key] = values
    }
    try store.commit(CommitRequest(builder.freeze(), basedOn: snapshot))
    try check("After values of every type were saved", store, holds: objects)
    store = try reopen(store)
    try check("A reopened store with values of every type", store, holds: objects)
    try store.close()
  }

  /// Checks that objects can be inserted and removed, over and over.
  func emptied() throws {
    var store = try make()
    let keys = try (1...3).map { try key(store, "Thing", $0) }
    for round in 0..<12 {
      let base = try store.snapshot()
      let builder = LayerBuilder(base.schema)
      for key in keys {
        if round % 2 == 0 {
          builder.insert(key)
        } else {
          builder.remove(key, basis: try version(of: key, in: base))
        }
      }
      try store.commit(CommitRequest(builder.freeze(), basedOn: base))
      store = try reopen(store)
      try check(
        "The store that was reopened after the objects were \(round % 2 == 0 ? "inserted" : "removed"), round \(round)",
        store,
        holds: round % 2 == 0 ? Dictionary(uniqueKeysWithValues: keys.map { ($0, [:]) }) : [:])
    }
    try store.close()
  }

  func inheritance() throws {
    var store = try make()
    let snapshot = try store.snapshot()
    let special = try key(store, "SpecialThing", 5)
    // The two numbers differ, because a store may number the objects of all entities in one sequence.
    let plain = try key(store, "Thing", 6)
    let builder = LayerBuilder(snapshot.schema)
    builder.insert(special)
    builder.insert(plain)
    builder.set(.string("x"), "name", of: special, snapshot.schema)
    builder.set(.string("A"), "grade", of: special, snapshot.schema)
    try store.commit(CommitRequest(builder.freeze(), basedOn: snapshot))
    store = try reopen(store)
    try check(
      "A reopened store with objects of an entity and its subentity", store,
      holds: [special: ["name": .string("x"), "grade": .string("A")], plain: [:]])
    try store.close()
  }
}
