import DiskSimulation
import DurableFiles
import StoreInterface
import Testing

@Suite("Operations on stores by their paths")
struct StorePlacesTests {
  @Test("A store that is a folder is copied with all of its contents")
  func folderCopy() throws {
    let disk = SimulatedDisk()
    try disk.makeDirectory("/s")
    try disk.makeDirectory("/s/objects")
    try disk.open("/s/objects/1", for: .create).append([1, 2, 3])
    let places = StorePlaces(StoreBackends([]), on: disk)

    try places.copy("/s", to: "/backup")

    #expect(try disk.read("/backup/objects/1", byteLimit: 10) == [1, 2, 3])
    #expect(try disk.list("/").map(\.name).sorted() == ["backup", "s"])
    #expect(throws: StoreError.self) { try places.copy("/s", to: "/backup") }
  }

  @Test("An address that no backend knows is refused with the hint that a plug-in may be missing")
  func unknownAddress() throws {
    let error = try #require(throws: StoreError.self) {
      try StoreBackends([]).open("postgresql://db/trips", on: SimulatedDisk())
    }

    #expect(error.code == .notFound)
    #expect(error.message.contains("'postgresql://'"))
    #expect(error.message.contains("A plug-in may be missing."))
  }
}
