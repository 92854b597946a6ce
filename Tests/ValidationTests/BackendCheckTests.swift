import DiskSimulation
import DurableFiles
import ObjectModel
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

  private func report(_ check: @escaping @Sendable (String) throws -> StoreCheck?) throws -> Report
  {
    let disk = SimulatedDisk()
    try disk.open("/a.ledger", for: .create).append(Self.mark)
    let backends = StoreBackends([Ledger(check: check)])
    return try Validator(backends: backends).validate("/a.ledger", on: disk)
  }

  private func report(
    _ outcome: StoreCheck.Outcome, hasReadableObjects: Bool = false
  ) throws -> Report {
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
    #expect(report.unchecked.first?.contains("does not implement a check") == true)
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
