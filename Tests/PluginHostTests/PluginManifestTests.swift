import Foundation
import HostileInputs
import JSONText
import SchemaSubset
import StoreInterface
import Testing

@testable import PluginHost

@Suite("Manifests of plug-ins")
struct PluginManifestTests {
  private static let whole = """
    {"name": "ledger", "version": "1.2.0 beta", "abi": 1, "library": "libledger.so",
     "description": "Stores of the ledger.", "author": "Somebody",
     "types": [{"name": "Ledger", "capabilities": ["durable", "history"],
       "begins": [{"text": "LEDG"}, {"offset": 4, "hex": "00fF", "contains": "ledger"}],
       "marker": "LEDGER", "extensions": ["ledger", "ldg"]}]}
    """

  private func read(_ text: String) throws(PluginRefusal) -> PluginManifest {
    try PluginManifest(Array(text.utf8), path: "/p/x/plugin.json", folderName: "x")
  }

  @Test("Every member of a manifest is read")
  func whole() throws {
    let manifest = try read(Self.whole)

    let ledger = PluginManifest.StoreType(
      StoreType(rawValue: "Ledger"), capabilities: [.durable, .history],
      begins: [
        PluginManifest.Beginning(Array("LEDG".utf8)),
        PluginManifest.Beginning(offset: 4, [0, 0xFF], contains: Array("ledger".utf8)),
      ], marker: "LEDGER", extensions: ["ledger", "ldg"])
    #expect(
      manifest
        == PluginManifest(
          name: "ledger", version: "1.2.0 beta", abi: 1, library: "libledger.so",
          description: "Stores of the ledger.", author: "Somebody", types: [ledger]))
  }

  @Test("Unknown members of a manifest are ignored with a warning")
  func unknown() throws {
    let text = Self.whole.replacing(#""abi""#, with: #""licence": 1, "abi""#)
      .replacing(#""history""#, with: #""history", "telepathy""#)
      .replacing(#""marker""#, with: #""colour": {}, "marker""#)
      .replacing(#"{"text""#, with: #"{"weight": 1, "text""#)

    let manifest = try read(text)

    #expect(
      manifest.warnings == [
        "licence is unknown.",
        "types[0].capabilities has 'telepathy', which is unknown.",
        "types[0].begins[0].weight is unknown.", "types[0].colour is unknown.",
      ])
    #expect(manifest.types == (try read(Self.whole).types))
  }

  /// Changes of the whole manifest, each with words of the message and whether a schema can detect the fault.
  static let faults: [(from: String, to: String, words: String, isInSchema: Bool)] = [
    (#""name": "ledger", "#, "", "name is missing", true),
    (#""ledger", "version""#, #""led ger", "version""#, "name is not 1 to 64", true),
    (#""ledger", "version""#, #""\#(String(repeating: "a", count: 65))", "version""#, "name", true),
    (#""ledger", "version""#, #"7, "version""#, "name is not text", true),
    (#""version": "1.2.0 beta", "#, "", "version is missing", true),
    ("1.2.0 beta", "1.2.0\\u0007", "version is not", true),
    (#""abi": 1"#, #""abi": "1""#, "abi is not a whole number", true),
    (#""abi": 1"#, #""abi": 1.0"#, "abi is not a whole number", true),
    (#""abi": 1"#, #""abi": 0"#, "abi is 0", true),
    ("libledger.so", "../libledger.so", "library is not a plain", true),
    ("libledger.so", "libledger.txt", "library is not a plain", true),
    ("libledger.so", ".so", "library is not a plain", true),
    ("Stores of the ledger.", "", "description is empty", true),
    (#""Somebody""#, "[]", "author is not text", true),
    (#""types": ["#, #""types": [], "kinds": ["#, "types has 0 values", true),
    (#""types": ["#, #""kinds": ["#, "types is missing", true),
    (#"[{"name": "Ledger""#, #"[7, {"name": "Ledger""#, "types[0] is not an object", true),
    (
      #"[{"name": "Ledger""#, #"[{"name": "Ledger", "capabilities": []}, {"name": "Ledger""#,
      "types[1].name is 'Ledger', which is also", false
    ),
    (#"{"name": "Ledger""#, #"{"name": """#, "types[0].name is not", true),
    (#""capabilities": ["durable", "history"],"#, "", "capabilities is missing", true),
    (#""history"]"#, #""durable"]"#, "capabilities has 'durable' twice", true),
    (#""history"]"#, "3]", "capabilities has a value that is not text", true),
    (#""text": "LEDG""#, #""offset": 3"#, "begins[0] must have either", true),
    (#""text": "LEDG""#, #""text": "LEDG", "hex": "00""#, "begins[0] must have either", true),
    (#""text": "LEDG""#, #""text": """#, "text is empty", true),
    ("00fF", "00f", "hex does not consist of pairs", true),
    ("00fF", "0x00", "hex does not consist of pairs", true),
    (#""offset": 4"#, #""offset": 1024"#, "offset is 1024", true),
    (#""offset": 4"#, #""offset": -1"#, "offset is -1", true),
    (#""offset": 4"#, #""offset": 1023"#, "ends after the first 1024", false),
    (#""contains": "ledger""#, #""contains": """#, "contains is empty", true),
    (#""LEDGER""#, #""a/b""#, "marker is not a plain", true),
    (#""LEDGER""#, #""..""#, "marker is not a plain", true),
    (#""ldg""#, #"".ldg""#, "extensions has an extension", true),
    (#""ldg""#, #""ledger""#, "extensions has an extension twice", true),
    (#""abi": 1"#, #""abi": 1, "abi": 1"#, "twice", false),
  ]

  @Test(
    "A member that is not allowed is refused, and the message has its place",
    arguments: faults.indices)
  func faulty(_ index: Int) throws {
    let fault = Self.faults[index]
    let text = Self.whole.replacing(fault.from, with: fault.to, maxReplacements: 1)
    try #require(text != Self.whole)

    let refusal = try #require(throws: PluginRefusal.self) { try read(text) }

    #expect(refusal.reason == .badManifest)
    #expect(refusal.message.contains(fault.words))
    #expect(refusal.message.contains("/p/x/plugin.json"))
  }

  @Test("A refusal names the plug-in by its manifest, or else by its folder")
  func names() throws {
    let named = try #require(throws: PluginRefusal.self) {
      try read(#"{"name": "ledger", "abi": 1}"#)
    }
    let unnamed = try #require(throws: PluginRefusal.self) { try read("{") }

    #expect(named.plugin == "ledger")
    #expect(unnamed.plugin == "x")
    #expect(unnamed.message.contains("line 1"))
  }

  @Test("A manifest for another version of the interface is refused with both versions")
  func version() throws {
    let refusal = try #require(throws: PluginRefusal.self) {
      try read(#"{"name": "later", "abi": 12, "types": {"shape": "new"}}"#)
    }

    #expect(refusal.reason == .wrongVersion)
    #expect(refusal.plugin == "later")
    #expect(refusal.message.contains("version 12") && refusal.message.contains("version 1."))
  }

  @Test("A file is recognised by its first bytes")
  func beginnings() throws {
    let type = try read(Self.whole).types[0]

    #expect(type.recognizes(Array("LEDGxyz".utf8)))
    #expect(!type.recognizes(Array("LED".utf8)))
    #expect(!type.recognizes([]))
    #expect(type.recognizes([1, 2, 3, 4, 0, 0xFF, 9] + Array("a ledger".utf8)))
    #expect(!type.recognizes([1, 2, 3, 4, 0, 0xFF, 9]))
    // Only the first bytes count, even if the caller passes more.
    let far = [1, 2, 3, 4, 0, 0xFF] + [UInt8](repeating: 0, count: 1018) + Array("ledger".utf8)
    #expect(!type.recognizes(far))
  }

  @Test("The schema refuses the same manifests as the reader, as far as a schema can")
  func schema() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../spec/plugin.schema.json").standardized
    let schema = SmallSchema(try JSON.read([UInt8](try Data(contentsOf: file))))
    func faults(_ text: String) throws -> [String] {
      schema.faults(of: try JSON.read(Array(text.utf8)))
    }

    #expect(try faults(Self.whole) == [])
    #expect(try faults(PluginWorld.manifest()) == [])
    for fault in Self.faults where fault.isInSchema {
      let text = Self.whole.replacing(fault.from, with: fault.to, maxReplacements: 1)
      #expect(try faults(text) != [], "\(fault.words)")
    }
  }

  @Test("A manifest with changed bytes is read or refused")
  func changes() {
    let bytes = Array(Self.whole.utf8)
    for index in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[index] ^= 1 << bit
        HostileInputs.pluginManifest(changed)
      }
      HostileInputs.pluginManifest(Array(bytes[..<index]))
    }
  }
}
