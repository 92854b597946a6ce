import BinaryStore
import DurableFiles
import Foundation
import ObjectGraph
import ObjectModel
import SQLiteStore
import StoreInterface
import Testing
import XMLStore

/// A kind of store that every test is run on.
enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case memory, binary, compressed, xml, sqlite
  var testDescription: String { rawValue }

  /// Those that are files on a disk in memory, whose failures a test may plan.
  static let simulated: [Kind] = [.binary, .compressed, .xml]
  /// Those that are files.
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

/// Where the stores of a test are: on a disk in memory; or in a folder, for SQLite writes its files itself.
struct Ground {
  let disk: any Disk
  private let folder: String

  /// A place for stores of all of the given kinds.
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

  /// The path of what is called `/name` here.
  func path(_ name: String) -> String { folder + name }

  var places: StorePlaces { StorePlaces(Graph.backends, on: disk) }

  /// Has the disk fail as planned, where it is one in memory.
  func plan(_ failure: PlannedFailure) { (disk as! SimulatedDisk).plan(failure) }
  func planNoFailures() { (disk as! SimulatedDisk).planNoFailures() }
}

/// A folder on the operating system's disk, in memory where there is such a one, for as long as anybody uses it.
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

/// A coordinator over stores on a ground of its own.
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

  /// The path of what is called `/name` on the ground.
  func path(_ name: String) -> String { ground.path(name) }

  var places: StorePlaces { ground.places }

  /// A context of the test's own thread.
  func context() -> ManagedObjectContext {
    ManagedObjectContext(coordinator, concurrency: .confined)
  }

  /// Another coordinator over the same files, perhaps with other transformers; over the same store, if
  /// that is in memory.
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
  /// Whether the object was deleted, here or elsewhere, saved or not, or its insertion was given up.
  var isGone: Bool { isDeleted || managedObjectContext == nil }
}
