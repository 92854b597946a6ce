import BinaryStore
import DiskSimulation
import Documents
import DurableFiles
import ObjectModel
import Rows
import StoreInterface
import Testing
import Validation
import XMLStore

@Suite("Validating a document that is saved meanwhile")
struct SavingMeanwhileTests {
  private static let backends = StoreBackends([BinaryStoreBackend(), XMLStoreBackend()])

  /// Saves one more object, and forgets the versions before.
  private func save(_ document: Document) throws {
    let parts = try document.stores.map { store in
      let base = try store.snapshot()
      let layout = try #require(base.schema.layouts.first)
      let number = try store.leaseKeys(ofEntity: layout.entityNumber, count: 1).lowerBound
      let builder = LayerBuilder(base.schema)
      builder.insert(ObjectKey(entity: layout.entityNumber, number: number))
      return (store: store as any Store, request: CommitRequest(builder.freeze(), basedOn: base))
    }
    try document.commit(parts)
    try document.thin(.newestOnly)
  }

  @Test("A save between two reads is not a finding", arguments: [1, 3])
  func saving(_ saveCount: Int) throws {
    let disk = SimulatedDisk()
    let places = StorePlaces(Self.backends, on: disk)
    let model = try Model(entities: [
      Entity("Trip", properties: [.attribute(Attribute("name", .string))])
    ])
    let document = try Document.create(
      "/Trip.quire", model: model,
      stores: [.init("one", type: .binary), .init("two", type: .xml), .init("three", type: .xml)],
      in: places)
    try save(document)
    var left = saveCount
    var validator = Validator(backends: Self.backends)
    validator.progress = { done in
      // The first store is checked, and files of the others are about to go.
      guard left > 0, done > 0.3, done < 1 else { return }
      left -= 1
      #expect(throws: Never.self) { try self.save(document) }
    }

    let report = try validator.validate("/Trip.quire", on: disk)

    #expect(left == 0)
    #expect(report.verdict == .valid, "\(report.text)")
    #expect(report.checked.objectCount == 3 * (saveCount + 1))
    try document.close()
  }
}
