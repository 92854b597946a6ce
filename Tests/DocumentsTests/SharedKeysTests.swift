import DiskSimulation
import Documents
import StoreInterface
import Testing

@Suite("Keys of new objects in a document of two processes")
struct SharedKeysTests {
  @Test(
    "Two processes never get the same keys, with and without a save or a thinning in between",
    arguments: [Mix.binary, .compressed, .xml], [false, true])
  func apart(_ mix: Mix, thins: Bool) throws {
    let disk = SimulatedDisk()
    let world = DocumentWorld(mix, on: disk)
    try world.create().close()
    let other = DocumentWorld(mix, on: disk.seen(by: DocumentWorld.otherProcess))
    let one = try world.open(.shared)
    let two = try other.open(.shared)
    let entity = try one.stores[0].snapshot().schema.layouts[0].entityNumber
    var taken: Set<UInt64> = []
    for round in 0..<6 {
      for document in round % 2 == 0 ? [one, two] : [two, one] {
        let keys = try document.stores[0].leaseKeys(ofEntity: entity, count: 100)
        #expect(taken.isDisjoint(with: keys), "round \(round)")
        taken.formUnion(keys)
      }
      if thins { try one.thin(.newestOnly) }
      if round == 3 { try other.add("Lisbon", to: two) }
    }
    #expect(try world.names()[0] == ["Lisbon"])
  }
}
