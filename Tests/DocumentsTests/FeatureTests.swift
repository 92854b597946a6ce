import Archives
import Documents
import DurableFiles
import Rows
import StoreInterface
import Testing

@Suite("Features of documents")
struct FeatureTests {
  /// Returns a document with a feature of the given class. Each save writes its manifest.
  private func world(_ name: String, _ kind: FormatFeature.Class) throws -> DocumentWorld {
    let world = DocumentWorld(.xml)
    let document = try world.create()
    try world.add("Lisbon", to: document)
    try document.close()
    var manifest = document.manifest
    manifest.features = [try #require(FormatFeature(name, kind))]
    try world.write(manifest.text, to: Manifest.fileName)
    return world
  }

  /// Packs the document, and returns the packed one.
  private func packed(_ world: DocumentWorld) throws -> DocumentWorld {
    try FolderPacking(DocumentWorld.path, on: world.disk).run(into: "/Trip.zip")
    let archive = try Archive("/Trip.zip", on: world.disk)
    return DocumentWorld(world.mix, on: PackedDisk(archive, at: DocumentWorld.path))
  }

  @Test("A feature of the class ignore changes nothing, and a save keeps it")
  func ignored() throws {
    let world = try world("thumbnails", .ignore)

    let document = try world.open()
    try world.add("Porto", to: document)
    try document.close()

    #expect(try world.names() == .each("Lisbon", "Porto"))
    #expect(try world.text(of: Manifest.fileName).contains(#""thumbnails": "ignore""#))
    #expect(try packed(world).names() == .each("Lisbon", "Porto"))
  }

  @Test("A document with a feature of the class read opens for reading only")
  func read() throws {
    let world = try world("page-index", .read)

    for access in [Document.Access.exclusive, .shared] {
      let error = #expect(throws: DocumentError.self) { try world.open(access) }
      #expect(error?.code == .newerFormat)
      #expect(error?.message.contains("\"page-index\"") == true)
      #expect(error?.message.hasSuffix("Open it for reading only.") == true)
    }
    #expect(try world.names() == .each("Lisbon"))
    #expect(try packed(world).names() == .each("Lisbon"))
    let reader = try world.open(.readOnly)
    let error = #expect(throws: DocumentError.self) { try reader.copy(to: "/Copy.quire") }
    #expect(error?.code == .newerFormat)
  }

  @Test("A document with a feature of the class refuse does not open")
  func refused() throws {
    let world = try world("encryption", .refuse)

    for world in [world, try packed(world)] {
      let error = #expect(throws: DocumentError.self) { try world.open(.readOnly) }
      #expect(error?.code == .newerFormat)
      #expect(error?.message.contains("This file uses \"encryption\"") == true)
    }
  }
}
