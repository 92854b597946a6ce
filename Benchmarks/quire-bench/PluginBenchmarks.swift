import BinaryStore
import CStorePlugin
import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import PluginHost
import Rows
import StoreInterface

/// Measures the cost of the C interface of plug-ins. Compares the linked-in block file with the same store in a loaded library.
/// Also compares the library with itself when Arrow arrays cross the interface in place of blocks.
func runPluginBenchmarks(_ count: Int) throws {
  let bench = try PluginBench(count)
  defer { bench.clean() }
  try bench.measureReading()
  try bench.measureSaving()
}

private final class PluginBench {
  private let count: Int
  private let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
    .appending(path: "quire-bench-\(UUID().uuidString)")
  private let backends: [(name: String, backend: any StoreBackend)]
  private var path: String { folder.appending(path: "people").path }
  private let layer: Layer

  init(_ count: Int) throws {
    self.count = count
    let plugins = folder.appending(path: "plugins/BinaryStore")
    try FileManager.default.createDirectory(
      at: plugins, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    let found = try PluginBench.install(in: plugins)
    let loaded = PluginBackend(found, found.types.first { $0.type == .binary }!)
    backends = [
      ("linked", BinaryStoreBackend()), ("loaded", loaded),
      ("loaded, as arrays", try PluginBench.withoutBlocks(found)),
    ]
    var writer = BlockWriter()
    let drafts = People.drafts(0..<count, companies: max(1, count / 100))
    layer = Layer([
      .init(
        entityNumber: People.layout.entityNumber,
        put: BlockRun(drafts.flatMap { Draft.freeze([$0], &writer) }))
    ])
    try People.fillStore(at: path, count)
  }

  func clean() { try? FileManager.default.removeItem(at: folder) }

  /// Installs the library, which `./run bench` builds next to this program, as a plug-in.
  private static func install(in folder: URL) throws -> FoundPlugin {
    let library = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "libBinaryStorePlugin.so")
    for (file, name) in [
      (library, library.lastPathComponent),
      (URL(filePath: "Plugins/BinaryStore/plugin.json"), "plugin.json"),
    ] {
      let target = folder.appending(path: name)
      try FileManager.default.copyItem(at: file, to: target)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: target.path)
    }
    let registry = PluginRegistry.search(
      PluginFolders([folder.deletingLastPathComponent().path]), replacingBuiltIn: true)
    guard let found = registry["BinaryStore"] else {
      throw registry.refusal(ofType: .binary).error()
    }
    return found
  }

  /// Returns the backend of the same library as a plug-in without support for blocks.
  private static func withoutBlocks(_ found: FoundPlugin) throws -> PluginBackend {
    let loaded = try found.load()
    let table = UnsafeMutablePointer<QuirePlugin>.allocate(capacity: 1)
    table.initialize(to: loaded.table.pointee)
    table.pointee.blocks = nil
    let functions = PluginFunctions(
      UnsafePointer(table), type: loaded.description(of: .binary),
      flags: loaded.flags(of: .binary) & ~UInt32(QUIRE_TAKES_BLOCKS), name: "BinaryStore")
    let type = found.types.first { $0.type == .binary }!
    return PluginBackend(
      .binary, type.capabilities, recognizing: { type.recognizes($0) }, load: { functions })
  }

  private func open(_ backend: any StoreBackend) -> any Store {
    try! backend.open(path, on: RealDisk(), StoreOpening(readOnly: true))
  }

  /// Opens the store and reads columns of all people, in place.
  private func scan(_ backend: any StoreBackend, _ columns: ArraySlice<LayoutColumn>) -> Int {
    let store = open(backend)
    var sum = 0
    for table in try! store.snapshot().tables {
      for block in try! table.changes(ofEntity: People.layout.entityNumber)?.put.blocks ?? [] {
        for column in columns {
          guard let values = try! block.column(column) else { continue }
          for row in 0..<block.rowCount { sum &+= values.isNull(row) ? 0 : 1 }
        }
      }
    }
    try! store.close()
    return sum
  }

  /// Opens the store and reads every attribute of all people, through objects.
  private func readAll(_ backend: any StoreBackend) -> Int {
    let coordinator = PersistentStoreCoordinator(
      model: People.model, places: StorePlaces(StoreBackends([backend]), on: RealDisk()),
      classes: [PersonObject.self, CompanyObject.self])
    try! coordinator.addStore(at: path, type: .binary)
    let context = ManagedObjectContext(coordinator, concurrency: .confined)
    return try! context.fetch(PersonObject.self).reduce(0) { $0 &+ $1.readAll() }
  }

  func measureReading() throws {
    var measurement = Measurement(rounds: 5)
    for (name, backend) in backends {
      measurement.add("\(name): open, one person", 1, "object") {
        let store = self.open(backend)
        let key = ObjectKey(entity: People.layout.entityNumber, number: UInt64(self.count / 2))
        return try! store.snapshot().view.row(of: key)!.value(People.layout.columns[0]).hashValue
      }
      measurement.add("\(name): scan, one column", count, "row") {
        self.scan(backend, People.layout.columns.prefix(1))
      }
      measurement.add("\(name): scan, all columns", count, "row") {
        self.scan(backend, People.layout.columns[...])
      }
      measurement.add("\(name): all people, all attributes", count, "row") {
        self.readAll(backend)
      }
    }
    let times = measurement.report("Reading through the interface of plug-ins")
    for work in ["scan, one column", "scan, all columns", "all people, all attributes"] {
      report(times, work, "loaded", atMost: 1.3)
    }
    report(times, "open, one person", "loaded", atMost: nil)
    for work in ["scan, one column", "scan, all columns", "all people, all attributes"] {
      report(times, work, "loaded, as arrays", atMost: nil)
    }
  }

  func measureSaving() throws {
    var measurement = Measurement(rounds: 5)
    let new = folder.appending(path: "new").path
    for (name, backend) in backends {
      measurement.add("\(name): bulk save", count, "row") { [layer] in
        let store = try! backend.create(
          at: new, model: People.model, on: RealDisk(), StoreCreation(overwriting: true))
        try! store.commit(CommitRequest(layer, basedOn: store.snapshot()))
        try! store.close()
        return 1
      }
    }
    let times = measurement.report("Saving through the interface of plug-ins")
    report(times, "bulk save", "loaded", atMost: 1.3)
    report(times, "bulk save", "loaded, as arrays", atMost: nil)
  }

  private func report(
    _ times: [String: [Double]], _ work: String, _ name: String, atMost limit: Double?
  ) {
    let ratio = Measurement.ratio(times, "\(name): \(work)", to: "linked: \(work)")
    if ratio.isNaN { return }
    guard let limit else {
      print("         \(pad("\(work), \(name) / linked", 52)) \(format(ratio))")
      return
    }
    target("\(work), \(name) / linked", ratio, atMost: limit)
  }
}
