import BinaryStore
import DiskSimulation
import DurableFiles
import ObjectModel
import Rows
import StoreInterface
import Testing
import Validation

/// Checks of stores whose backends have rules of their own.
@Suite("Stores with rules of their backends")
struct BackendCheckTests {
  private static let mark = Array("LEDGER".utf8)
  private static let rule = Rule("LEDG-001", .warning, "A page is full", "10.1")

  /// A backend with one rule. It can't open its stores.
  private struct Ledger: StoreBackend {
    var check: @Sendable (String) throws -> StoreCheck?

    var type: StoreType { StoreType(rawValue: "Ledger") }
    var capabilities: StoreCapabilities { [] }
    func recognizes(_ firstBytes: [UInt8]) -> Bool { firstBytes.starts(with: mark) }
    func create(
      at path: String, model: Model, on disk: any Disk, _ creation: StoreCreation
    ) throws -> any Store { throw StoreError(.notSupported, "Can't create it.", path: path) }
    func open(_ path: String, on disk: any Disk, _ opening: StoreOpening) throws -> any Store {
      throw StoreError(.damaged, "Page 3 is missing.", path: path)
    }
    func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata {
      throw StoreError(.damaged, "Page 3 is missing.", path: path)
    }
    func rules() throws -> [Rule] { [rule] }
    func check(
      _ path: String, on disk: any Disk, model: Model?, progress: @escaping (Double) -> Void
    ) throws -> StoreCheck? {
      try check(path)
    }
  }

  private func report(_ check: @escaping @Sendable (String) throws -> StoreCheck?) throws
    -> ValidationReport
  {
    let disk = SimulatedDisk()
    try disk.open("/a.ledger", for: .create).append(Self.mark)
    let backends = StoreBackends([Ledger(check: check)])
    return try Validator(backends: backends).validate("/a.ledger", on: disk)
  }

  private func report(
    _ outcome: StoreCheck.Outcome, hasReadableObjects: Bool = false
  ) throws -> ValidationReport {
    try report { _ in
      var check = StoreCheck()
      check.outcome = outcome
      check.hasReadableObjects = hasReadableObjects
      return check
    }
  }

  @Test("A store is not valid if its backend does not implement a check")
  func checksNothing() throws {
    let report = try report { _ in nil }

    #expect(report.verdict == .incomplete)
    #expect(report.unchecked.first?.contains("has no rules for them") == true)
    #expect(report.hasUnknownStores)
    // The objects are checked all the same, and this store can't be read.
    #expect(report.unchecked.last?.contains("Page 3 is missing.") == true)
  }

  /// The stores of another backend, as a plug-in without rules has them: in a file, or in a folder with a file.
  private struct Unruled: StoreBackend {
    let inner = BinaryStoreBackend()
    let isFolder: Bool

    var type: StoreType { StoreType(rawValue: "Unruled") }
    var capabilities: StoreCapabilities { inner.capabilities }
    private func file(_ path: String) -> String { isFolder ? path + "/content" : path }
    func recognizes(_ firstBytes: [UInt8]) -> Bool { !isFolder && inner.recognizes(firstBytes) }
    func recognizesFolder(at path: String, on disk: any Disk) -> Bool {
      isFolder && (try? disk.exists(path + "/content")) == true
    }
    func create(
      at path: String, model: Model, on disk: any Disk, _ creation: StoreCreation
    ) throws -> any Store {
      if isFolder { try disk.makeDirectory(path) }
      return try inner.create(at: file(path), model: model, on: disk, creation)
    }
    func open(_ path: String, on disk: any Disk, _ opening: StoreOpening) throws -> any Store {
      try inner.open(file(path), on: disk, opening)
    }
    func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata {
      try inner.metadata(at: file(path), on: disk)
    }
  }

  @Test("The objects of a document's store without rules are checked at the commit that counts")
  func objectsInDocument() throws {
    var document = try DocumentFiles.notes()
    let known = try Validator().validate("/d", on: try DocumentTests.disk(document))
    document.replace("\"type\": \"Binary\"", "\"type\": \"Unruled\"")

    let report = try Validator(backends: StoreBackends([Unruled(isFolder: false)]))
      .validate("/d", on: try DocumentTests.disk(document))

    #expect(report.verdict == .incomplete && report.hasUnknownStores, "\(report.text)")
    #expect(report.findings.isEmpty, "\(report.text)")
    #expect(report.checked.objectCount == known.checked.objectCount)
    #expect(report.checked.objectCount > 0)
    document.replace("\"commit\": 3", "\"commit\": 7")
    let lost = try Validator(backends: StoreBackends([Unruled(isFolder: false)]))
      .validate("/d", on: try DocumentTests.disk(document))
    #expect(lost.verdict != .valid && lost.checked.objectCount == 0, "\(lost.text)")
  }

  @Test("The objects of a store without rules are checked", arguments: [false, true])
  func objectsOnly(isFolder: Bool) throws {
    let disk = SimulatedDisk()
    let backend = Unruled(isFolder: isFolder)
    let trip = Entity(
      "Trip", properties: [.attribute(Attribute("name", .string, isOptional: false))])
    let store = try backend.create(
      at: "/a", model: Model(entities: [trip]), on: disk, StoreCreation())
    func check() throws -> ValidationReport {
      try Validator(backends: StoreBackends([backend])).validate("/a", on: disk)
    }
    func insert(_ name: Value) throws {
      let snapshot = try store.snapshot()
      let layout = snapshot.schema["Trip"]!
      let key = ObjectKey(
        entity: layout.entityNumber,
        number: try store.leaseKeys(ofEntity: layout.entityNumber, count: 1).lowerBound)
      let builder = LayerBuilder(snapshot.schema)
      builder.insert(key)
      builder.set(name, column: layout.index(of: "name")!, of: key)
      try store.commit(CommitRequest(builder.freeze(), basedOn: snapshot))
    }

    try insert(.string("Lisbon"))
    let sound = try check()
    #expect(sound.findings.isEmpty && sound.verdict == .incomplete && sound.hasUnknownStores)
    #expect(sound.format == .store)
    #expect(sound.checked.objectCount == 1 && sound.checked.byteCount > 0)
    #expect(
      sound.unchecked == [
        "The files were not checked: the plug-in for stores of type Unruled has no rules for them."
      ])

    try insert(.null)
    let broken = try check()
    #expect(broken.verdict == .invalid, "\(broken.text)")
    #expect(broken.findings.allSatisfy { $0.rule.id.hasPrefix("GRAF") })
  }

  @Test("A store is not valid if its backend fails to check it")
  func fails() throws {
    let report = try report { throw StoreError(.locked, "Another process writes to it.", path: $0) }

    #expect(report.verdict == .incomplete)
    #expect(report.unchecked.first?.contains("Another process writes to it.") == true)
  }

  @Test("A store is not valid if its objects can't be read")
  func unreadableObjects() throws {
    let report = try report(.checked, hasReadableObjects: true)

    #expect(report.verdict == .incomplete)
    #expect(report.unchecked.first?.contains("Page 3 is missing.") == true)
  }

  @Test("The backend decides whether it knows the format")
  func formats() throws {
    #expect(try report(.newerFormat).verdict == .newerFormat)
    #expect(try report(.unknownFormat).verdict == .unknownFormat)
    #expect(try report(.checked).verdict == .valid)
  }
}
