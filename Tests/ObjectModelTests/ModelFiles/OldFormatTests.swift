import Foundation
import PropertyLists
import Testing

@testable import ModelNotations
@testable import ObjectModel

/// Rare forms of model files: compiled models in XML, and versions from before Xcode 4.
@Suite("Model files in rare and old formats")
struct OldFormatTests {
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "models-\(UUID().uuidString)")

    init() throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }
    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ bytes: [UInt8], to name: String) throws {
      let file = url.appending(path: name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: file)
    }

    func read(_ name: String) throws -> ModelVersions {
      try ModelVersions.read(url.appending(path: name).path)
    }
  }

  // MARK: - Compiled models in XML

  /// Returns the XML form of a property list, with references in the spelling of Apple's tools.
  private static func xml(_ list: PropertyList) -> String {
    func text(_ list: PropertyList) -> String {
      switch list {
      case .string(let text): "<string>\(escaped(text))</string>"
      case .integer(let number): "<integer>\(number)</integer>"
      case .unsigned(let number): "<integer>\(number)</integer>"
      case .real(let number): "<real>\(number)</real>"
      case .boolean(let flag): flag ? "<true/>" : "<false/>"
      case .data(let data): "<data>\n\(data.base64EncodedString())\n</data>"
      case .array(let members), .set(let members):
        "<array>\(members.map(text).joined())</array>"
      case .dictionary(let fields):
        "<dict>"
          + fields.sorted { $0.key < $1.key }
          .map { "<key>\(escaped($0.key))</key>\(text($0.value))" }.joined() + "</dict>"
      case .uid(let index): "<dict><key>CF$UID</key><integer>\(index)</integer></dict>"
      case .date, .null: ""
      }
    }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      \(text(list))
      </plist>

      """
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }

  @Test(
    "A compiled model in XML equals the model in binary form",
    arguments: ["", "\u{FEFF}"])
  func compiled(_ start: String) throws {
    let model = try Model(EverythingModel.description)
    let bytes = CompiledModel.write(model)
    let text = start + Self.xml(try BinaryPropertyList.read(bytes))
    let folder = try Folder()
    try folder.write(Array(text.utf8), to: "Everything.mom")

    let read = try folder.read("Everything.mom")

    #expect(read.current.description == model.description)
    #expect(read.current.versionHashes == model.versionHashes)
  }

  @Test("A folder of compiled versions in XML opens, with a list of versions in XML")
  func folder() throws {
    let model = try Model(entities: [Entity("Trip")])
    let folder = try Folder()
    for name in ["V1", "V2"] {
      let list = try BinaryPropertyList.read(CompiledModel.write(model))
      try folder.write(Array(Self.xml(list).utf8), to: "Trips.momd/\(name).mom")
    }
    let hash = PropertyList.data(Data(model.versionHash(of: "Trip")!.bytes))
    let info = PropertyList.dictionary([
      "NSManagedObjectModel_CurrentVersionName": .string("V1"),
      "NSManagedObjectModel_VersionHashes": .dictionary(["V1": .dictionary(["Trip": hash])]),
    ])
    try folder.write(Array(Self.xml(info).utf8), to: "Trips.momd/VersionInfo.plist")

    let versions = try folder.read("Trips.momd")

    #expect(versions.currentName == "V1" && versions.versions.map(\.name) == ["V1", "V2"])
    #expect(versions.versions[0].storedHashes["Trip"] == model.versionHash(of: "Trip")?.bytes)
  }

  @Test("A property list in XML that is not an archive is refused with the reason")
  func noArchive() throws {
    let folder = try Folder()
    try folder.write(Array(Self.xml(.dictionary(["a": .string("b")])).utf8), to: "a.mom")
    try folder.write(Array(Self.xml(.uid(7)).dropLast(20).utf8), to: "b.mom")

    for name in ["a.mom", "b.mom"] {
      let error = try #require(throws: ModelFileError.self) { try folder.read(name) }
      #expect(error.code == .damaged && error.path.hasSuffix(name), "\(error)")
    }
  }

  // MARK: - Models from before Xcode 4

  private static func bundle(current: String, old: [String], new: [String]) throws -> Folder {
    let folder = try Folder()
    let source = "<model><entity name=\"Trip\"/></model>"
    for name in old {
      try folder.write(
        Array("bplist00".utf8), to: "Trips.xcdatamodeld/\(name).xcdatamodel/elements")
      try folder.write(Array("bplist00".utf8), to: "Trips.xcdatamodeld/\(name).xcdatamodel/layout")
    }
    for name in new {
      try folder.write(Array(source.utf8), to: "Trips.xcdatamodeld/\(name).xcdatamodel/contents")
    }
    let info = PropertyList.dictionary(["_XCCurrentVersionName": .string("\(current).xcdatamodel")])
    try folder.write(Array(xml(info).utf8), to: "Trips.xcdatamodeld/.xccurrentversion")
    return folder
  }

  @Test("A version from before Xcode 4 is named, and the remaining versions open")
  func oldVersion() throws {
    let folder = try Self.bundle(current: "V2", old: ["V1"], new: ["V2", "V3"])

    let versions = try folder.read("Trips.xcdatamodeld")

    #expect(versions.versions.map(\.name) == ["V2", "V3"] && versions.currentName == "V2")
    #expect(versions.oldVersions.map(\.name) == ["V1"])
    #expect(versions.oldVersions[0].path.hasSuffix("Trips.xcdatamodeld/V1.xcdatamodel"))
  }

  @Test("A current version from before Xcode 4 is an error that names all versions")
  func oldCurrent() throws {
    let folder = try Self.bundle(current: "V1", old: ["V1"], new: ["V2"])

    let error = try #require(throws: ModelFileError.self) {
      try folder.read("Trips.xcdatamodeld")
    }

    #expect(error.code == .oldFormat)
    #expect(error.message.contains("'V1' has the unsupported format of Xcode before version 4"))
    #expect(error.message.contains("'V2'"))
    #expect(try folder.read("Trips.xcdatamodeld/V2.xcdatamodel").currentName == "V2")
    let alone = try #require(throws: ModelFileError.self) {
      try folder.read("Trips.xcdatamodeld/V1.xcdatamodel")
    }
    #expect(alone.code == .oldFormat && alone.message.contains("elements"))
  }

  @Test("A version in both formats is read in the newer format")
  func both() throws {
    let folder = try Self.bundle(current: "V1", old: ["V1"], new: ["V1"])

    let versions = try folder.read("Trips.xcdatamodeld")

    #expect(versions.versions.map(\.name) == ["V1"] && versions.oldVersions.isEmpty)
  }
}
