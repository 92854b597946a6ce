import Foundation
import ModelNotations
import ObjectModel
import ProgramRuns
import Testing

/// Models that another program, `xmllint`, checks against `spec/model.rng`.
@Suite("Models and their grammar")
struct ModelGrammarTests {
  private static let xmllint = ["/usr/bin/xmllint", "/usr/local/bin/xmllint"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../..").standardized

  /// Returns the error of the grammar for an XML text; `nil` if the text is valid.
  private static func objection(to text: [UInt8]) throws -> String? {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).xml")
    defer { try? FileManager.default.removeItem(at: path) }
    try Data(text).write(to: path)
    let run = try ProgramRun(
      xmllint!,
      ["--noout", "--nonet", "--relaxng", root.appending(path: "spec/model.rng").path, path.path],
      reading: .errors)
    return run.status == 0 ? nil : run.text
  }

  private static var examples: [URL] {
    let files = FileManager.default.enumerator(
      at: root.appending(path: "Examples"), includingPropertiesForKeys: nil)
    return (files?.compactMap { $0 as? URL } ?? []).filter {
      $0.lastPathComponent == "contents" && $0.path.contains(".xcdatamodel/")
        && !$0.path.contains("/.build/")
    }
  }

  @Test(
    "The models of the examples are valid, and so are the same models written by Quire",
    .enabled(if: xmllint != nil, "There is no xmllint (Debian: libxml2-utils)."))
  func examples() throws {
    #expect(Self.examples.count >= 8)
    for file in Self.examples {
      let bytes = try [UInt8](Data(contentsOf: file))
      #expect(try Self.objection(to: bytes) == nil, "\(file.path)")
      let model = try Model(ModelSource.read(bytes))
      #expect(try Self.objection(to: ModelSource.write(model)) == nil, "\(file.path)")
    }
  }

  @Test(
    "A written model with every kind of part is valid",
    .enabled(if: xmllint != nil, "There is no xmllint."))
  func everyPart() throws {
    let bytes = try ModelSource.write(Model(ModelSource.read(Array(Self.source.utf8))))

    #expect(try Self.objection(to: Array(Self.source.utf8)) == nil)
    #expect(try Self.objection(to: bytes) == nil)
  }

  /// The reader and the grammar refuse the same texts.
  @Test(
    "The grammar and the reader refuse the same changes",
    .enabled(if: xmllint != nil, "There is no xmllint."),
    arguments: [
      ("<entity name=\"Trip\"", "<entity"), ("<attribute name=\"cost\"", "<atribute name=\"cost\""),
      ("\"Decimal\"", "\"Dezimal\""), ("optional=\"YES\"", "optional=\"MAYBE\""),
      ("minCount=\"2\"", "minCount=\"two\""), ("\"Cascade\"", "\"Waterfall\""),
      ("derivationExpression=", "expression="), ("type=\"Binary\"", "type=\"Ternary\""),
      ("<memberEntity name=\"Trip\"/>", "<memberEntity/>"),
      ("resultType=\"2\"", "resultType=\"3\""),
      ("<entry key=\"a\"", "<entry"), ("<constraint value=\"name\"/>", "<constraint/>"),
      ("<memberEntity name=\"Trip\"/>", "<memberEntity name=\"Trip\"><a/></memberEntity>"),
      ("<constraint value=\"name\"/>", "<constraint value=\"name\"><a/></constraint>"),
      ("<sortKey keyPath=\"name\"/>", "<sortKey keyPath=\"name\"><a/></sortKey>"),
      ("<sortKey keyPath=\"name\"/>", "<sortKey/>"),
      ("<entry key=\"a\" value=\"b\"/>", "<entry key=\"a\"><a/></entry>"),
    ])
  func refusals(_ part: String, _ other: String) throws {
    #expect(Self.source.contains(part))
    let changed = Array(Self.source.replacing(part, with: other, maxReplacements: 1).utf8)

    #expect(try Self.objection(to: changed) != nil)
    #expect(throws: ModelFileError.self) { try ModelSource.read(changed) }
  }

  @Test(
    "The grammar and the reader accept attributes of a later editor",
    .enabled(if: xmllint != nil, "There is no xmllint."))
  func unknownAttributes() throws {
    let changed = Array(
      Self.source.replacing("<entity name=", with: "<entity later=\"yes\" name=").utf8)

    #expect(try Self.objection(to: changed) == nil)
    #expect(throws: Never.self) { try ModelSource.read(changed) }
  }

  private static let source = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" systemVersion="23A">
      <entity name="Trip" representedClassName="Trip" syncable="YES">
        <attribute name="name" attributeType="String" maxValueString="80" regularExpressionString="[A-Z].*"/>
        <attribute name="cost" optional="YES" attributeType="Decimal" defaultValueString="0.0"/>
        <attribute name="home" optional="YES" attributeType="Composite" composite="Address"/>
        <attribute name="stopCount" optional="YES" attributeType="Integer 64" derived="YES" derivationExpression="stops.@count"/>
        <relationship name="stops" optional="YES" toMany="YES" minCount="2" ordered="YES" deletionRule="Cascade" destinationEntity="Stop" inverseName="trip" inverseEntity="Stop"/>
        <fetchedProperty name="all" optional="YES"><fetchRequest name="fetched" entity="Trip"/></fetchedProperty>
        <fetchIndex name="byName"><fetchIndexElement property="name" type="Binary" order="ascending"/></fetchIndex>
        <uniquenessConstraints><uniquenessConstraint><constraint value="name"/></uniquenessConstraint></uniquenessConstraints>
        <userInfo><entry key="a" value="b"/></userInfo>
      </entity>
      <entity name="Stop">
        <relationship name="trip" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Trip" inverseName="stops" inverseEntity="Trip"/>
      </entity>
      <composite name="Address"><attribute name="city" optional="YES" attributeType="String"/></composite>
      <fetchRequest name="named" entity="Trip" resultType="2" fetchLimit="3"><sortKey keyPath="name"/></fetchRequest>
      <configuration name="Some"><memberEntity name="Trip"/></configuration>
      <elements><element name="Trip" positionX="0" positionY="0" width="1" height="1"/></elements>
    </model>
    """
}
