import BinaryStore
import DiskSimulation
import HostileInputs
import ObjectModel
import Rows
import StoreInterface
import Testing

@Suite("Lists of blocks in several pages")
struct PageTests {
  @Test("Each row of a segment is found whose list of blocks takes several pages")
  func lookups() throws {
    let numbers = 100..<250
    let model = try Model(
      entities: numbers.map {
        Entity("E\($0)", properties: [.attribute(Attribute("n", .int32))])
      })
    let disk = SimulatedDisk()
    let store = try BinaryStore.create(at: "/s", model: model, on: disk)
    try SampleStore.commit(store) { changes in
      for number in numbers { changes.put("E\(number)", 7, ["n": .integer(Int64(number))]) }
    }

    for number in numbers {
      // A store that was just opened has read no page.
      let snapshot = try BinaryStore.open("/s", on: disk, readOnly: true).snapshot()
      let layout = try #require(snapshot.schema["E\(number)"])
      func row(_ object: UInt64) throws -> ViewRow? {
        try snapshot.view.row(of: ObjectKey(entity: layout.entityNumber, number: object))
      }
      #expect(try row(7)?.value(layout.columns[0]) == .integer(Int64(number)))
      #expect(try row(6) == nil && row(8) == nil)
      #expect(try snapshot.view.keys(ofEntity: layout.entityNumber) == [7])
    }
  }
}
