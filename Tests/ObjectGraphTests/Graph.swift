import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import SQLiteStore
import StoreInterface
import Testing
import Validation
import XMLStore

/// The kinds of stores on which the tests run.
enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case memory, binary, compressed, xml, sqlite
  var testDescription: String { rawValue }

  /// The kinds that are files on a disk in memory. A test may plan failures of this disk.
  static let simulated: [Kind] = [.binary, .compressed, .xml]
  /// The kinds that are files.
  static let files: [Kind] = simulated + [.sqlite]

  var type: StoreType {
    switch self {
    case .memory: .memory
    case .binary: .binary
    case .compressed: .compressed
    case .xml: .xml
    case .sqlite: .sqlite
    }
  }
}

/// The place of a test's stores: a disk in memory, or a folder if SQLite writes its files itself.
struct Ground {
  let disk: any Disk
  private let folder: String

  /// Creates a place for stores of all given kinds.
  init(_ kinds: Kind...) {
    if kinds.contains(.sqlite) {
      let real = FolderDisk()
      disk = real
      folder = real.folder
    } else {
      disk = SimulatedDisk()
      folder = ""
    }
  }

  /// Creates a place in a folder of the operating system's disk, for stores of several processes.
  init(folder: String) {
    disk = RealDisk()
    self.folder = folder
  }

  /// Returns the path of the file `/name` at this place.
  func path(_ name: String) -> String { folder + name }

  var places: StorePlaces { StorePlaces(Graph.backends, on: disk) }

  /// Makes the simulated disk fail as planned. The disk must be one in memory.
  func plan(_ failure: PlannedFailure) { (disk as! SimulatedDisk).plan(failure) }
  func planNoFailures() { (disk as! SimulatedDisk).planNoFailures() }
}

/// A folder on the operating system's disk (in memory where the system has such a disk), which exists as long as this object.
private final class FolderDisk: Disk {
  let folder: String

  init() {
    let shared = "/dev/shm"
    let root =
      FileManager.default.isWritableFile(atPath: shared)
      ? URL(fileURLWithPath: shared) : FileManager.default.temporaryDirectory
    let made = root.appending(path: "quire-tests-\(UUID().uuidString)")
    try! FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
    folder = made.path
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  var calls: any DiskCalls { RealDisk().calls }
}

/// A coordinator over stores at a place of its own.
struct Graph {
  let ground: Ground
  let kind: Kind
  let coordinator: PersistentStoreCoordinator
  private let classes: [ManagedObject.Type]
  private let transformers: [ValueTransformer]

  static let backends = StoreBackends([
    BinaryStoreBackend(), BinaryStoreBackend(isCompressed: true), XMLStoreBackend(),
    MemoryStoreBackend(), SQLiteStoreBackend(),
  ])

  init(
    _ kind: Kind, model: Model = Travels.model, classes: [ManagedObject.Type] = Travels.classes,
    transformers: [ValueTransformer] = [], on ground: Ground? = nil
  ) throws {
    self.kind = kind
    self.ground = ground ?? Ground(kind)
    self.classes = classes
    self.transformers = transformers
    coordinator = PersistentStoreCoordinator(
      model: model, places: self.ground.places, classes: classes, transformers: transformers)
    try coordinator.addStore(at: path("/main.store"), type: kind.type)
  }

  /// Throws the report of the validator if the file of the store is not valid.
  func checkFile() throws {
    if kind == .memory { return }
    let report = try Validator(backends: Graph.backends)
      .validate(path("/main.store"), on: ground.disk)
    if report.verdict != .valid { throw Difference(report.text) }
  }

  /// Returns the path of the file `/name` at the graph's place.
  func path(_ name: String) -> String { ground.path(name) }

  var places: StorePlaces { ground.places }

  /// Returns a new context that is confined to the test's thread.
  func context() -> ManagedObjectContext {
    ManagedObjectContext(coordinator, concurrency: .confined)
  }

  /// Returns a second coordinator over the same files, or over the same store if the store is in memory. It may have different
  /// transformers.
  func reopened(_ transformers: [ValueTransformer]? = nil) throws -> PersistentStoreCoordinator {
    if kind == .memory, transformers == nil { return coordinator }
    let other = PersistentStoreCoordinator(
      model: coordinator.model, places: places, classes: classes,
      transformers: transformers ?? self.transformers)
    if kind == .memory {
      try other.add(coordinator.stores[0].store)
    } else {
      try other.addStore(at: path("/main.store"), type: kind.type)
    }
    return other
  }
}

extension ManagedObject {
  /// Whether the object was deleted (in this context or another one, saved or not) or its insertion was discarded.
  var isGone: Bool { isDeleted || managedObjectContext == nil }
}
