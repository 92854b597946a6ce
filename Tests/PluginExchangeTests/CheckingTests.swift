import BinaryStore
import DiskSimulation
import DurableFiles
import Foundation
import ObjectModel
import PluginHost
import StoreInterface
import Testing

@Suite("Checks through the C interface")
struct CheckingTests {
  private static let rule = Rule("LEDG-001", .warning, "A page is full", "10.1")
  private static let uuid = UUID()
  private static let model = try! Model(entities: [
    Entity("Trip", properties: [.attribute(Attribute("name", .string))])
  ])

  /// A backend that checks stores by one rule of its own.
  private struct Checking: StoreBackend {
    var type: StoreType { StoreType(rawValue: "Checking") }
    var capabilities: StoreCapabilities { [] }
    func recognizes(_ firstBytes: [UInt8]) -> Bool { false }
    func create(
      at path: String, model: Model, on disk: any Disk, _ creation: StoreCreation
    ) throws -> any Store { throw StoreError(.notSupported, "It makes no stores.") }
    func open(_ path: String, on disk: any Disk, _ opening: StoreOpening) throws -> any Store {
      throw StoreError(.notFound, "It is gone.", path: path)
    }
    func metadata(at path: String, on disk: any Disk) throws -> StoreMetadata {
      throw StoreError(.notFound, "It is gone.", path: path)
    }
    func rules() throws -> [Rule] { [CheckingTests.rule] }
    func check(
      _ path: String, on disk: any Disk, model: Model?, progress: @escaping (Double) -> Void
    ) throws -> StoreCheck? {
      if path == "/missing" { throw StoreError(.notFound, "It is gone.", path: path) }
      progress(0.5)
      var check = StoreCheck()
      check.outcome = path == "/newer" ? .newerFormat : .checked
      for row in 0..<30 {
        check.findings.add(
          CheckingTests.rule,
          Place(
            "page", at: .max, commit: 7, column: 3, row: row, entity: "Trip", object: 1 << 63,
            property: "name"), "The byte \u{1} is there.")
      }
      check.findings.add(.givenModel, Place(), model == nil ? "no model" : "a model")
      (check.byteCount, check.liveByteCount, check.rowCount) = (100, 90, 8)
      check.passedOver = ["A part was skipped."]
      check.unchecked = ["A part was not checked."]
      check.uuid = CheckingTests.uuid
      check.model = CheckingTests.model
      check.hasReadableObjects = true
      check.needsModel = model != nil
      return check
    }
  }

  @Test("A result of a check crosses the interface unchanged", arguments: [true, false])
  func result(isModelGiven: Bool) throws {
    let backend = Boundary.through(Checking())
    var shares: [Double] = []
    let model = isModelGiven ? Self.model : nil
    let found = try #require(
      try backend.check("/store", on: SimulatedDisk(), model: model) { shares.append($0) })
    let own = try #require(
      try Checking().check("/store", on: SimulatedDisk(), model: model) { _ in })

    #expect(found.outcome == .checked && shares == [0.5])
    #expect(found.findings.kept == own.findings.kept)
    #expect(found.findings.kept.count == Findings.mostPerRule + 1)
    #expect(found.findings.counts == [Self.rule: 30, .givenModel: 1])
    #expect(found.byteCount == 100 && found.liveByteCount == 90 && found.rowCount == 8)
    #expect(found.passedOver == own.passedOver && found.unchecked == own.unchecked)
    #expect(found.uuid == Self.uuid && found.model?.versionHashes == Self.model.versionHashes)
    #expect(found.hasReadableObjects && found.needsModel == isModelGiven)
    let newer = try backend.check("/newer", on: SimulatedDisk(), model: nil) { _ in }
    #expect(newer?.outcome == .newerFormat)
  }

  @Test("The rules of a plug-in are read without a store, and errors keep their code")
  func rules() throws {
    let backend = Boundary.through(Checking())

    #expect(try backend.rules() == [Self.rule])
    let error = #expect(throws: StoreError.self) {
      _ = try backend.check("/missing", on: SimulatedDisk(), model: nil) { _ in }
    }
    #expect(error?.code == .notFound)
  }

  @Test("A backend without rules checks nothing")
  func nothing() throws {
    let backend = Boundary.through(BinaryStoreBackend())

    #expect(try backend.rules().isEmpty)
    #expect(try backend.check("/store", on: SimulatedDisk(), model: nil) { _ in } == nil)
  }
}
