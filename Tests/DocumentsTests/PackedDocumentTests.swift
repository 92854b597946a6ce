import Archives
import Documents
import DurableFiles
import StoreInterface
import Testing

@Suite("Packed documents")
struct PackedDocumentTests {
  @Test(
    "A packed document opens for reading, with its versions and attachments",
    arguments: Mix.allCases)
  func inPlace(_ mix: Mix) throws {
    let world = DocumentWorld(mix)
    let document = try world.create()
    try world.add("Lisbon", to: document)
    let picture = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 * $0) }
    try document.addAttachment(named: "picture.jpeg") { try $0(picture) }
    try world.add("Porto", to: document)
    try document.close()
    try FolderPacking(DocumentWorld.path, on: world.disk).run(into: "/Trip.zip")

    let archive = try Archive("/Trip.zip", on: world.disk)
    let packed = DocumentWorld(mix, on: PackedDisk(archive, at: DocumentWorld.path))

    #expect(try packed.names() == .each("Lisbon", "Porto"))
    #expect(try packed.names(version: 2) == .each("Lisbon"))
    let opened = try packed.open(.readOnly)
    let reader = try opened.openAttachment(named: "picture.jpeg")
    #expect(try reader.read(byteCount: 20_000, at: 0) == picture)
    try opened.close()
    for access in [Document.Access.exclusive, .shared] {
      let error = #expect(throws: DocumentError.self) { try packed.open(access) }
      #expect(error?.code == .readOnly)
    }
  }

  @Test("An unpacked document can be saved to", arguments: Mix.allCases)
  func unpacked(_ mix: Mix) throws {
    let world = DocumentWorld(mix)
    let document = try world.create()
    try world.add("Lisbon", to: document)
    try document.close()
    try FolderPacking(DocumentWorld.path, on: world.disk).run(into: "/Trip.zip")
    let other = DocumentWorld(mix)

    try Archive("/Trip.zip", on: world.disk).unpack(to: DocumentWorld.path, on: other.disk)

    let opened = try other.open()
    #expect(opened.manifest.uuid == document.manifest.uuid)
    try other.add("Porto", to: opened)
    try opened.close()
    #expect(try other.names() == .each("Lisbon", "Porto"))
  }
}
