// SAFETY: The table is a copy of one that PluginSupport made, and never freed.

import BinaryStore
import CStorePlugin
import DiskSimulation
import DurableFiles
import ObjectModel
import PluginHost
import PluginSupport
import Rows
import StoreInterface
import Testing

/// The host asks a plug-in for the rows in a range of keys.
@Suite("Ranges of rows of a plug-in")
struct RowRangeTests {
  private nonisolated(unsafe) static let honest = StorePlugin.table(
    "Ranges", "1", [BinaryStoreBackend()]
  ).assumingMemoryBound(to: QuirePlugin.self)

  /// A backend of a plug-in that answers `rows_between` for every table. All its keys are below 64, so one range has all
  /// rows.
  private static func backend() -> PluginBackend {
    let table = UnsafeMutablePointer<QuirePlugin>.allocate(capacity: 1)
    table.initialize(to: honest.pointee)
    table.pointee.rows_between = { snapshot, table, entity, lowest, _, has, take, context, error in
      has?.pointee = 1
      guard lowest < 64 else { return 0 }
      return RowRangeTests.honest.pointee.rows(
        snapshot, table, entity, Int32(QUIRE_PUT), take, context, error)
    }
    let functions = PluginFunctions(
      table, type: honest.pointee.types[0]!, flags: honest.pointee.types[0]!.pointee.flags,
      name: "Ranges")
    return PluginBackend(
      .binary, [.incremental, .durable, .shared, .history], recognizing: { _ in false },
      load: { functions })
  }

  @Test(
    "A row that a higher table removes is not found by its key, and a changed one has its change")
  func removedAndChanged() throws {
    let note = Entity(
      "Note",
      properties: [.attribute(Attribute("a", .string)), .attribute(Attribute("b", .string))])
    let disk = SimulatedDisk()
    let backend = Self.backend()
    let keys = (1...60).map { ObjectKey(entity: 1, number: $0) }
    let store = try backend.create(
      at: "/s", model: Model(entities: [note]), on: disk, StoreCreation())
    let empty = try store.snapshot()
    let insertion = LayerBuilder(empty.schema)
    for key in keys {
      insertion.insert(key)
      insertion.set(.string("old"), column: 0, of: key)
      insertion.set(.string("kept"), column: 1, of: key)
    }
    let first = try store.commit(CommitRequest(insertion.freeze(), basedOn: empty))
    let changes = LayerBuilder(first.schema)
    changes.remove(keys[1], basis: first.commit)
    changes.set(.string("new"), column: 0, of: keys[2], basis: first.commit)
    try store.commit(CommitRequest(changes.freeze(), basedOn: first))
    try store.close()

    let snapshot = try backend.open("/s", on: disk, StoreOpening()).snapshot()

    #expect(snapshot.tables.count == 2)
    #expect(try snapshot.view.row(of: keys[1]) == nil)
    let layout = try #require(snapshot.schema[1])
    let changed = try #require(try snapshot.view.row(of: keys[2]))
    #expect(try layout.columns.map { try changed.value($0) } == [.string("new"), .string("kept")])
    let unchanged = try #require(try snapshot.view.row(of: keys[0]))
    #expect(
      try layout.columns.map { try unchanged.value($0) } == [.string("old"), .string("kept")])
    #expect(try snapshot.view.keys(ofEntity: 1).count == 59)
  }
}
