import Documents
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
        guard let read = try? Manifest(changed, path: "/d") else { continue }
        if read != whole { silent.append("byte \(place), bit \(bit)") }
      }
    }

    #expect(silent.isEmpty, "\(silent.prefix(5))")
  }

  @Test("A manifest without a checksum is damaged, and the error shows the line to add")
  func without() throws {
    let world = DocumentWorld(.binary)
    try world.create().close()
    let text = try world.text(of: "manifest.json")
    let start = try #require(text.firstRange(of: ",\n  \"checksum\"")).lowerBound
    let line = try #require(text[start...].split(separator: "\n").dropFirst().first)
    try world.write(text[..<start] + "\n}\n", to: "manifest.json")

    let error = #expect(throws: DocumentError.self) { try world.open() }

    #expect(error?.code == .damaged)
    #expect(error?.message.contains("the line '\(line)'") == true, "\(error!)")
  }

  @Test("The error for a wrong checksum names the right one")
  func edited() throws {
    let text = String(decoding: try Self.manifest(.binary), as: UTF8.self)
    let edited = text.replacing("\"commit\": 3", with: "\"commit\": 2")
    #expect(edited != text)

    let error = #expect(throws: DocumentError.self) {
      try Manifest(Array(edited.utf8), path: "/d/manifest.json")
    }

    #expect(error?.code == .damaged)
    let found = try #require(error?.message.firstMatch(of: #/write ([0-9a-f]{8}) in its place/#))
    let checksum = try #require(text.firstMatch(of: #/"checksum": "([0-9a-f]{8})"/#))
    let corrected = edited.replacing(checksum.1, with: found.1)
    #expect(try Manifest(Array(corrected.utf8), path: "/d/manifest.json").stores[0].commit == 2)
  }

  @Test("The error for a checksum in another place shows the way to the right line")
  func misplaced() throws {
    let text = String(decoding: try Self.manifest(.binary), as: UTF8.self)
    let moved = text.replacing("\"\n}\n", with: "\",\n  \"x\": 1\n}\n")
    #expect(moved != text)

    let error = #expect(throws: DocumentError.self) {
      try Manifest(Array(moved.utf8), path: "/d/manifest.json")
    }

    #expect(error?.code == .damaged)
    #expect(error?.message.contains("remove the member") == true, "\(error!)")
  }
}
