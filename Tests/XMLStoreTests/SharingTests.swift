import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import Rows
import StoreConformance
import StoreInterface
import Testing
import XMLStore

/// Two stores share one file, and each finds the commits of the other.
@Suite("Several stores that write one document")
struct SharingTests {
  private let disk = SimulatedDisk()
  private let backend = XMLStoreBackend()

  private func two() throws -> (any Store, any Store) {
    try Library.store(on: disk)
    return (
      try backend.open("/library", on: disk, StoreOpening()),
      try backend.open("/library", on: disk, StoreOpening())
    )
  }

  private func rename(
    _ number: UInt64, _ title: String, in store: any Store, above base: any StoreSnapshot
  ) throws {
    let key = ObjectKey(entity: base.schema["Book"]!.entityNumber, number: number)
    let builder = LayerBuilder(base.schema)
    builder.set(
      .string(title), "title", of: key, base.schema, basis: try base.view.row(of: key)!.version)
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
  }

  @Test("A store sees another store's save, and a change of the same object is a conflict")
  func conflict() throws {
    let (one, other) = try two()
    let base = try other.snapshot()
    try rename(2, "first", in: one, above: one.snapshot())

    let error = #expect(throws: StoreError.self) {
      try rename(2, "second", in: other, above: base)
    }

    #expect(error?.code == .conflict)
    #expect(error?.conflicts.map(\.key.number) == [2])
    let text = try Library.text(other, on: disk)
    #expect(text.contains(">first<") && !text.contains(">second<"))
    #expect(
      try StoreConformance.objects(other.snapshot())
        == StoreConformance.objects(one.snapshot()))
    // The same change succeeds above the current snapshot.
    try rename(2, "second", in: other, above: other.snapshot())
    #expect(try Library.text(one, on: disk).contains(">second<"))
  }

  @Test("Changes of different objects by two stores are both kept")
  func together() throws {
    let (one, other) = try two()
    let base = try other.snapshot()
    let builder = LayerBuilder(base.schema)
    let author = ObjectKey(entity: base.schema["Author"]!.entityNumber, number: 1)
    builder.set(
      .string("U. K. Le Guin"), "name", of: author, base.schema,
      basis: try base.view.row(of: author)!.version)
    try rename(2, "first", in: one, above: one.snapshot())

    try other.commit(CommitRequest(builder.freeze(), basedOn: base))

    let objects = try StoreConformance.objects(one.snapshot())
    #expect(objects[author]?["name"] == .string("U. K. Le Guin"))
    #expect(objects.values.contains { $0["title"] == .string("first") })
  }

  @Test("Places in an order survive rereading, and only changed objects are in conflict")
  func order() throws {
    let (one, other) = try two()
    let base = try other.snapshot()
    // The file does not keep the numbers of these places, only their order.
    let builder = LayerBuilder(base.schema)
    for (entity, number, place) in [("Book", 2, 900), ("Comic", 3, 20)] as [(String, UInt64, Int64)]
    {
      let key = ObjectKey(entity: base.schema[entity]!.entityNumber, number: number)
      builder.set(
        .integer(place), "author#order", of: key, base.schema,
        basis: try base.view.row(of: key)!.version)
    }
    let sparse = try other.commit(CommitRequest(builder.freeze(), basedOn: base))
    try rename(2, "first", in: one, above: one.snapshot())

    let comic = ObjectKey(entity: base.schema["Comic"]!.entityNumber, number: 3)
    let change = LayerBuilder(base.schema)
    change.set(
      .string("second"), "title", of: comic, base.schema,
      basis: try sparse.view.row(of: comic)!.version)
    try other.commit(CommitRequest(change.freeze(), basedOn: sparse))

    let titles = try StoreConformance.described(other.snapshot(), by: "title")
    #expect(titles["\(Value.string("first"))"] != nil && titles["\(Value.string("second"))"] != nil)
    let author = try #require(titles.values.first { $0.entity == "Author" })
    #expect(
      author.relationships["books"] == ["\(Value.string("second"))", "\(Value.string("first"))"])
  }

  @Test("A store finds the objects that another store removed or added")
  func removal() throws {
    let (one, other) = try two()
    let base = try one.snapshot()
    let old = try other.snapshot()
    let builder = LayerBuilder(base.schema)
    let book = ObjectKey(entity: base.schema["Book"]!.entityNumber, number: 2)
    builder.remove(book, basis: try base.view.row(of: book)!.version)
    let lease = try one.leaseKeys(ofEntity: book.entity, count: 1)
    let added = ObjectKey(entity: book.entity, number: lease.lowerBound)
    builder.insert(added)
    builder.set(.string("new"), "title", of: added, base.schema)
    try one.commit(CommitRequest(builder.freeze(), basedOn: base))

    let error = #expect(throws: StoreError.self) { try rename(2, "x", in: other, above: old) }

    #expect(error?.conflicts.first?.current == nil)
    let objects = try StoreConformance.objects(other.snapshot())
    #expect(objects[book] == nil && objects[added] == ["title": .string("new")])
    // A store does not lease keys that another store has leased.
    #expect(try other.leaseKeys(ofEntity: book.entity, count: 3).lowerBound >= lease.upperBound)
  }

  @Test("All entities share one sequence of numbers")
  func numbers() throws {
    let (one, _) = try two()
    let base = try one.snapshot()
    let builder = LayerBuilder(base.schema)
    builder.insert(ObjectKey(entity: base.schema["Author"]!.entityNumber, number: 2))
    let error = #expect(throws: StoreError.self) {
      try one.commit(CommitRequest(builder.freeze(), basedOn: base))
    }
    #expect(error?.code == .badChange)
  }

  @Test("A reference to a missing object is not saved")
  func dangling() throws {
    let (one, _) = try two()
    let base = try one.snapshot()
    let before = try Library.text(one, on: disk)
    let builder = LayerBuilder(base.schema)
    let author = ObjectKey(entity: base.schema["Author"]!.entityNumber, number: 1)
    builder.remove(author, basis: try base.view.row(of: author)!.version)
    let error = #expect(throws: StoreError.self) {
      try one.commit(CommitRequest(builder.freeze(), basedOn: base))
    }
    #expect(error?.code == .badChange)
    #expect(try Library.text(one, on: disk) == before)
    #expect(try one.snapshot().commit == base.commit)
  }

  @Test("A store does not save to a file that is gone, or that holds another store")
  func gone() throws {
    let (one, other) = try two()
    let base = try one.snapshot()
    try disk.remove("/library")
    #expect(try one.snapshot().commit == base.commit)
    let error = #expect(throws: StoreError.self) { try rename(2, "x", in: one, above: base) }
    #expect(error?.code == .notFound)
    _ = try backend.create(
      at: "/library", model: Library.model, on: disk, StoreCreation())
    #expect(try StoreConformance.objects(other.snapshot()).count == 3)
    #expect(throws: StoreError.self) { try rename(2, "x", in: other, above: base) }
  }

  @Test("A store sees the save of a text editor")
  func edited() throws {
    let (one, _) = try two()
    let text = try Library.text(one, on: disk)
    try disk.replace("/library") {
      try $0.write(text.replacing("Catwings", with: "Jane on Her Own"))
    }
    let objects = try StoreConformance.objects(one.snapshot())
    #expect(objects.values.contains { $0["title"] == .string("Jane on Her Own") })
    #expect(try one.snapshot().commit == 2)
  }

  @Test("A store that is opened for reading writes nothing")
  func readOnly() throws {
    try Library.store(on: disk)
    let store = try backend.open("/library", on: disk, StoreOpening(readOnly: true))
    let base = try store.snapshot()
    let error = #expect(throws: StoreError.self) { try rename(2, "x", in: store, above: base) }
    #expect(error?.code == .readOnly)
    #expect(throws: StoreError.self) { try store.leaseKeys(ofEntity: 1, count: 1) }
  }
}
