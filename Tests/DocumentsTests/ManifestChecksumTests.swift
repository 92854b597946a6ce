import Documents
import DurableFiles
import Testing

@Suite("Checksums of manifests")
struct ManifestChecksumTests {
  /// Returns the manifest of a document of three versions.
  private static func manifest(_ mix: Mix) throws -> [UInt8] {
    let world = DocumentWorld(mix)
    let document = try world.create()
    try world.add("Lisbon", to: document)
    try world.add("Porto", to: document)
    try document.close()
    return Array(document.manifest.text.utf8)
  }

  @Test("No changed bit of a manifest gives another document", arguments: [Mix.binary, .xml])
  func everyBit(_ mix: Mix) throws {
    let bytes = try Self.manifest(mix)
    let whole = try Manifest(bytes, path: "/d")
    #expect(whole.others.isEmpty)
    var silent: [String] = []
    for place in bytes.indices {
      // For a digit the test changes every bit, because another digit may name another commit.
      let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[place])
      for bit in isDigit ? Array(0..<8) : [place % 8] {
        var changed = bytes
        changed[place] ^= 1 << UInt8(bit)
        guard var read = try? Manifest(changed, path: "/d") else { continue }
        // If the name of the checksum itself is changed, the manifest only lacks its checksum.
        read.others = []
        if read != whole { silent.append("byte \(place), bit \(bit)") }
      }
    }

    #expect(silent.isEmpty, "\(silent.prefix(5))")
  }

  @Test("A manifest without a checksum is read, and gets one at the next save")
  func without() throws {
    let world = DocumentWorld(.binary)
    try world.create().close()
    func manifest() throws -> String {
      String(
        decoding: try world.disk.read("/Trip.quire/manifest.json", byteLimit: 1 << 20),
        as: UTF8.self)
    }
    let text = try manifest()
    let start = try #require(text.range(of: ",\n  \"checksum\"")).lowerBound
    try world.disk.replace("/Trip.quire/manifest.json") { try $0.write(text[..<start] + "\n}\n") }

    let document = try world.open()
    try world.add("Lisbon", to: document)
    try document.close()

    #expect(try manifest().contains("\"checksum\""))
    #expect(try world.names() == .each("Lisbon"))
  }

  @Test("The error for a wrong checksum names a way to continue")
  func edited() throws {
    let text = String(decoding: try Self.manifest(.binary), as: UTF8.self)
    let edited = text.replacing("\"commit\": 3", with: "\"commit\": 2")

    let error = #expect(throws: DocumentError.self) {
      try Manifest(Array(edited.utf8), path: "/d/manifest.json")
    }

    #expect(error?.code == .damaged)
    #expect(error?.message.contains("Remove the member 'checksum'") == true, "\(error!)")
    #expect(edited != text)
  }
}
