// SAFETY: Tables are copies of one that PluginSupport made, and never freed.

import BinaryStore
import CStorePlugin
import DiskSimulation
import DurableFiles
import ObjectModel
import PluginHost
import PluginSupport
import StoreInterface
import Testing

/// A loaded plug-in does something that the interface forbids, and the error names the plug-in.
@Suite("Plug-ins that fail in use")
struct BrokenPromiseTests {
  /// A fault of a plug-in, with the words of the error for it.
  enum Fault: String, CaseIterable {
    case noStore, noSnapshot, noMetadata, twoTables, keysBelowOne, tooFewKeys, nobodyHeld

    var words: String {
      switch self {
      case .noStore: "returns no store"
      case .noSnapshot: "returns no snapshot"
      case .noMetadata: "returns no metadata"
      case .twoTables: "returns two tables with the same number"
      case .keysBelowOne: "returns 3 keys from 0 on"
      case .tooFewKeys: "returns 2 keys from 1 on"
      case .nobodyHeld: "did not call the function of the caller"
      }
    }
  }

  @Test("The error names the plug-in, its file and its fault", arguments: Fault.allCases)
  func faults(_ fault: Fault) throws {
    let backend = Self.backend(fault)
    let model = try Model(entities: [Entity("Note")])
    let disk = SimulatedDisk()

    let error = #expect(throws: StoreError.self) {
      let store = try backend.create(at: "/s", model: model, on: disk, StoreCreation())
      _ = try backend.metadata(at: "/s", on: disk)
      _ = try store.leaseKeys(ofEntity: 1, count: 3)
      _ = try store.holding(commit: store.snapshot().commit) {}
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
