// SAFETY: Tables are copies of one that PluginSupport made, and never freed.

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

/// A loaded plug-in does something that the interface forbids, and the error names the plug-in.
@Suite("Plug-ins that fail in use")
struct BrokenPromiseTests {
  /// A fault of a plug-in, with the words of the error for it.
  enum Fault: String, CaseIterable {
    case noStore, noSnapshot, noMetadata, twoTables, keysBelowOne, tooFewKeys, nobodyHeld
    case unknownColumn, negativeVersion, versionAboveAll, negativeTableVersion, rowsOutsideOfRange
    case negativeBlockVersion, blockVersionAboveAll, unknownCode, smallSummary

    var words: String {
      switch self {
      case .noStore: "returns no store"
      case .noSnapshot: "returns no snapshot"
      case .noMetadata: "returns no metadata"
      case .twoTables: "returns two tables with the same number"
      case .keysBelowOne: "returns 3 keys from 0 on"
      case .tooFewKeys: "returns 2 keys from 1 on"
      case .nobodyHeld: "did not call the function of the caller"
      case .unknownColumn:
        "returns rows of 'Note' from 'rows' that break a rule of rows (spec §3.7). Column 'wrong': "
      case .negativeVersion: "Column '#version': Row 0: -7 is not from 0 to 4611686018427387904."
      case .versionAboveAll: "Column '#version': Row 0: 4611686018427387905 is not from 0 to"
      case .negativeTableVersion: "returns a table with the version -1"
      case .negativeBlockVersion: "has a block of entity 1 with the version -7"
      case .blockVersionAboveAll:
        "has a block of entity 1 with the version 4611686018427387905, which is not from 0 to"
      case .unknownCode: "ends 'lease_keys' with the code 99, which the interface does not define."
      case .smallSummary:
        "violates the interface: The structure QuireCommitSummary has 8 bytes, fewer than the 40 bytes"
      case .rowsOutsideOfRange:
        "was asked for the rows with keys from 64 to 127, but returns rows with keys from 1 to 1."
      }
    }
  }

  @Test("The error names the plug-in, its file and its fault", arguments: Fault.allCases)
  func faults(_ fault: Fault) throws {
    let backend = Self.backend(fault)
    let model = try Model(entities: [
      Entity("Note", properties: [.attribute(Attribute("text", .string))])
    ])
    let disk = SimulatedDisk()

    let error = #expect(throws: StoreError.self) {
      let store = try backend.create(at: "/s", model: model, on: disk, StoreCreation())
      _ = try backend.metadata(at: "/s", on: disk)
      _ = try store.leaseKeys(ofEntity: 1, count: 3)
      _ = try store.holding(commit: store.snapshot().commit) {}
      _ = try store.commits()
      _ = try store.snapshot().view.row(of: ObjectKey(entity: 1, number: 70))
    }

    #expect(error?.code == .badPlugin)
    #expect(error?.path == "/s")
    let refusal = try #require(error?.cause as? PluginRefusal)
    #expect(refusal.reason == .failedInUse)
    #expect(refusal.plugin == "Broken" && refusal.path == "/plugins/libBroken.so")
    #expect(
      refusal.message.hasPrefix("The plug-in 'Broken' (/plugins/libBroken.so) ")
        && refusal.message.contains(fault.words), "\(refusal)")
  }

  typealias Take =
    @convention(c) (
      UnsafeMutableRawPointer?, UnsafeMutablePointer<ArrowSchema>?,
      UnsafeMutablePointer<ArrowArray>?
    ) -> Int32

  /// Passes one note to the host, with one text and a version.
  static func row(
    _ column: String, _ version: Int64, _ take: Take?, _ context: UnsafeMutableRawPointer?
  ) -> Int32 {
    let layout = Layout(
      entity: "Note", entityNumber: 1,
      columns: [LayoutColumn(number: 1, name: column, kind: .string)])
    let draft = Draft(layout, role: .insertions)
    draft.setString("a", column: 0, row: draft.append(key: 1))
    var (schema, array) = (ArrowSchema(), ArrowArray())
    do {
      try ArrowBatch(draft.freeze(version: version)[0], layout: layout).move(
        to: &array, schema: &schema)
    } catch { return 1 }
    defer {
      array.release?(&array)
      schema.release?(&schema)
    }
    return take?(context, &schema, &array) ?? 1
  }

  /// Lets a plug-in have one table, which is not in blocks.
  private static func addTable(to plugin: inout QuirePlugin) {
    plugin.blocks = nil
    plugin.rows_between = nil
    plugin.tables = { _, take, context, _ in
      var table = QuireTable(id: 7, version: 1, row_count: 1)
      return take?(context, &table) ?? 0
    }
  }

  private static func backend(_ fault: Fault) -> PluginBackend {
    let honest = StorePlugin.table("Broken", "1", [BinaryStoreBackend()])
      .assumingMemoryBound(to: QuirePlugin.self)
    let table = UnsafeMutablePointer<QuirePlugin>.allocate(capacity: 1)
    table.initialize(to: honest.pointee)
    switch fault {
    case .noStore: table.pointee.create = { _, _, _, _, _, _ in 0 }
    case .noSnapshot: table.pointee.snapshot = { _, _, _ in 0 }
    case .noMetadata: table.pointee.metadata = { _, _, _, _, _ in 0 }
    case .twoTables:
      table.pointee.tables = { _, take, context, _ in
        var table = QuireTable(id: 7, version: 0, row_count: 0)
        _ = take?(context, &table)
        return take?(context, &table) ?? 0
      }
    case .keysBelowOne:
      table.pointee.lease_keys = { _, _, count, first, leased, _ in
        (first!.pointee, leased!.pointee) = (0, count)
        return 0
      }
    case .tooFewKeys:
      table.pointee.lease_keys = { _, _, count, first, leased, _ in
        (first!.pointee, leased!.pointee) = (1, count - 1)
        return 0
      }
    case .nobodyHeld: table.pointee.hold = { _, _, _, _, _ in 0 }
    case .unknownColumn:
      addTable(to: &table.pointee)
      table.pointee.rows = { _, _, _, kind, take, context, _ in
        kind == 0 ? BrokenPromiseTests.row("wrong", 1, take, context) : 0
      }
    case .negativeVersion:
      addTable(to: &table.pointee)
      table.pointee.rows = { _, _, _, kind, take, context, _ in
        kind == 0 ? BrokenPromiseTests.row("text", -7, take, context) : 0
      }
    case .versionAboveAll:
      addTable(to: &table.pointee)
      table.pointee.rows = { _, _, _, kind, take, context, _ in
        kind == 0 ? BrokenPromiseTests.row("text", (1 << 62) + 1, take, context) : 0
      }
    case .negativeBlockVersion:
      addTable(to: &table.pointee)
      table.pointee.blocks = { _, _, _, _, has, take, context, _ in
        has?.pointee = 1
        var block = QuireBlock(id: 1, byte_count: 64, version: -7)
        return take?(context, &block) ?? 0
      }
    case .blockVersionAboveAll:
      addTable(to: &table.pointee)
      table.pointee.blocks = { _, _, _, _, has, take, context, _ in
        has?.pointee = 1
        var block = QuireBlock(id: 1, byte_count: 64, version: (1 << 62) + 1)
        return take?(context, &block) ?? 0
      }
    case .unknownCode: table.pointee.lease_keys = { _, _, _, _, _, _ in 99 }
    case .smallSummary:
      table.pointee.commits = { _, take, context, _ in
        var summary = QuireCommitSummary()
        summary.struct_size = 8
        return take?(context, &summary) ?? 0
      }
    case .negativeTableVersion:
      table.pointee.tables = { _, take, context, _ in
        var table = QuireTable(id: 7, version: -1, row_count: 0)
        return take?(context, &table) ?? 0
      }
    case .rowsOutsideOfRange:
      addTable(to: &table.pointee)
      table.pointee.rows_between = { snapshot, table, entity, _, _, has, take, context, error in
        has?.pointee = 1
        return BrokenPromiseTests.row("text", 1, take, context)
      }
    }
    let functions = PluginFunctions(
      UnsafePointer(table), type: honest.pointee.types[0]!,
      flags: honest.pointee.types[0]!.pointee.flags, name: "Broken",
      library: "/plugins/libBroken.so")
    return PluginBackend(
      .binary, [.incremental, .durable, .shared, .history], recognizing: { _ in false },
      load: { functions })
  }
}
