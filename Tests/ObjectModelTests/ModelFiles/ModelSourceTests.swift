import Foundation
import ModelNotations
import ObjectModel
import PropertyLists
import SeededRandom
import Testing

/// A source with every element and attribute that a source can contain.
private let everything = """
  <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
  <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" \
  lastSavedToolsVersion="22222" minimumToolsVersion="Automatic" sourceLanguage="Swift" \
  userDefinedModelVersionIdentifier="2.1" usedWithCloudKit="YES">
      <entity name="Base" representedClassName=".Base" isAbstract="YES" syncable="YES">
          <attribute name="id" attributeType="UUID" usesScalarValueType="NO"/>
      </entity>
      <entity name="Trip" representedClassName="Trip" parentEntity="Base" elementID="Journey" \
  versionHashModifier="m" syncable="YES" codeGenerationType="class">
          <attribute name="age" optional="YES" attributeType="Integer 16" minValueString="1" \
  maxValueString="9" defaultValueString="3" usesScalarValueType="YES"/>
          <attribute name="home" optional="YES" attributeType="Composite" composite="Address"/>
          <attribute name="name" attributeType="String" minValueString="2" maxValueString="40" \
  defaultValueString="a &amp; &lt;b&gt;" regularExpressionString="[a-z]*" \
  spotlightIndexingEnabled="YES" preserveAfterDeletion="YES" elementID="title" indexed="YES">
              <userInfo>
                  <entry key="k" value="v"/>
              </userInfo>
          </attribute>
          <attribute name="photo" optional="YES" attributeType="Binary" \
  allowsExternalBinaryDataStorage="YES"/>
          <attribute name="price" optional="YES" attributeType="Decimal" defaultValueString="0.0"/>
          <attribute name="shade" optional="YES" attributeType="Transformable" \
  valueTransformerName="T" customClassName="Shade"/>
          <attribute name="start" optional="YES" attributeType="Date" \
  defaultDateTimeInterval="388411200" defaultValueString="2013-04-23" usesScalarValueType="NO"/>
          <attribute name="stopCount" optional="YES" attributeType="Integer 64" derived="YES" \
  derivationExpression="stops.@count"/>
          <attribute name="scratch" optional="YES" transient="YES"/>
          <relationship name="stops" optional="YES" toMany="YES" minCount="1" maxCount="9" \
  deletionRule="Cascade" ordered="YES" destinationEntity="Stop" inverseName="trip" \
  inverseEntity="Stop"/>
          <fetchedProperty name="near" optional="YES">
              <fetchRequest name="nearFetchRequest" entity="Stop" predicateString="rank &lt; 3"/>
          </fetchedProperty>
          <fetchIndex name="byName">
              <fetchIndexElement property="name" type="Binary" order="descending"/>
          </fetchIndex>
          <compoundIndexes>
              <compoundIndex>
                  <index value="name"/>
                  <index value="age"/>
              </compoundIndex>
          </compoundIndexes>
          <uniquenessConstraints>
              <uniquenessConstraint>
                  <constraint value="name"/>
              </uniquenessConstraint>
          </uniquenessConstraints>
          <userInfo>
              <entry key="a" value="1"/>
              <entry key="B" value="2"/>
          </userInfo>
      </entity>
      <entity name="Stop" representedClassName="Stop" syncable="YES">
          <attribute name="rank" attributeType="Integer 32" defaultValueString="0"/>
          <relationship name="trip" optional="YES" maxCount="1" deletionRule="Nullify" \
  destinationEntity="Trip" inverseName="stops" inverseEntity="Trip"/>
      </entity>
      <composite name="Address">
          <attribute name="street" optional="YES" attributeType="String"/>
      </composite>
      <fetchRequest name="All" entity="Trip" predicateString="name == $NAME" fetchLimit="7" \
  fetchBatchSize="20" includeSubentities="YES" returnDistinctResults="YES" resultType="1"/>
      <configuration name="Cloud">
          <memberEntity name="Trip"/>
      </configuration>
      <elements>
          <element name="Trip" positionX="-9" positionY="1" width="128" height="45"/>
      </elements>
  </model>
  """

@Suite("The source of models")
struct ModelSourceTests {
  @Test("Every part of a source is read")
  func reading() throws {
    let description = try ModelSource.read(Array(everything.utf8))
    let trip = description.entities[1]
    #expect(description.versionIdentifiers == ["2.1"])
    #expect(trip.superentity == "Base" && trip.renamingIdentifier == "Journey")
    #expect(trip.versionHashModifier == "m" && trip.userInfo == ["a": "1", "B": "2"])
    #expect(trip.uniquenessConstraints == [["name"]] && trip.compoundIndexes == [["name", "age"]])
    #expect(trip.fetchIndexes[0].elements == [FetchIndex.Element("name", isAscending: false)])
    let attributes = Dictionary(uniqueKeysWithValues: trip.attributes.map { ($0.name, $0) })
    #expect(attributes["age"]?.validation.minimum == .integer(1))
    #expect(attributes["age"]?.defaultValue == .integer(3))
    #expect(attributes["home"]?.compositeName == "Address")
    #expect(attributes["name"]?.validation.maximum == .integer(40))
    #expect(attributes["name"]?.validation.pattern == "[a-z]*")
    #expect(attributes["name"]?.defaultValue == .string("a & <b>"))
    #expect(
      attributes["name"]?.options == [.isIndexed, .isIndexedBySpotlight, .preservesValueOnDeletion])
    #expect(attributes["name"]?.renamingIdentifier == "title")
    #expect(attributes["photo"]?.options == .allowsExternalStorage)
    #expect(attributes["price"]?.defaultValue == .decimal(0))
    #expect(attributes["shade"]?.valueClassName == "Shade")
    #expect(
      attributes["start"]?.defaultValue
        == .date(Date(timeIntervalSinceReferenceDate: 388_411_200)))
    #expect(attributes["stopCount"]?.derivation?.expression == "stops.@count")
    #expect(attributes["scratch"]?.type == .undefined)
    let stops = try #require(trip.relationships.first)
    #expect(stops.count == Relationship.Count(minimum: 1, maximum: 9) && stops.isOrdered)
    #expect(stops.deleteRule == .cascade)
    #expect(trip.fetchedProperties[0].request.predicate == "rank < 3")
    let request = description.fetchRequestTemplates[0]
    // Absent flags have the defaults of Core Data.
    #expect(request.flags == FetchRequestTemplate.Flags.usual.union(.returnsDistinctResults))
    #expect(request.resultType == .identifiers && request.fetchLimit == 7)
    #expect(description.configurations == [Configuration("Cloud", entities: ["Trip"])])
    #expect(description.source.diagram.count == 1)
    #expect(description.source.attributes["usedWithCloudKit"] == "YES")
  }

  @Test(
    "An absent flag of a request has its default, and each flag is written as it was read",
    arguments: [
      FlagCase(text: "", flags: .usual),
      FlagCase(
        text: " includesPendingChanges=\"NO\"", flags: .usual.subtracting(.includesPendingChanges)),
      FlagCase(text: " includeSubentities=\"YES\"", flags: .usual),
      FlagCase(
        text: " includeSubentities=\"NO\" returnDistinctResults=\"YES\"",
        flags: .usual.union(.returnsDistinctResults).subtracting(.includesSubentities)),
    ])
  func requestFlags(_ flags: FlagCase) throws {
    let source = """
      <model><entity name="Trip"/><fetchRequest name="all" entity="Trip"\(flags.text)/></model>
      """
    let description = try ModelSource.read(Array(source.utf8))
    #expect(description.fetchRequestTemplates[0].flags == flags.flags)

    let written = try ModelSource.write(Model(description))
    #expect(String(decoding: written, as: UTF8.self).contains("entity=\"Trip\"\(flags.text)/>"))
  }

  struct FlagCase: Sendable, CustomTestStringConvertible {
    let text: String
    let flags: FetchRequestTemplate.Flags
    var testDescription: String { text }
  }

  @Test("Every part of a source is written as it was read")
  func identity() throws {
    let model = try Model(ModelSource.read(Array(everything.utf8)))
    let written = try ModelSource.write(model)
    #expect(try ModelSource.read(written) == model.description)
    let text = String(decoding: written, as: UTF8.self)
    for line in everything.split(separator: "\n").dropFirst(2) where !line.contains("&gt;") {
      #expect(text.contains(line), "\(line)")
    }
  }

  @Test("Random models come back equal", arguments: 0..<20)
  func random(_ part: Int) throws {
    var random = SeededGenerator()
    let model = try Model(RandomModel.description(using: &random))
    #expect(try ModelSource.read(ModelSource.write(model)) == model.description, "\(random)")
  }

  @Test("Every truncation is refused, every changed byte gives a model or an error")
  func damage() {
    let bytes = Array(everything.utf8)
    for count in stride(from: 0, to: bytes.count - 1, by: 7) {
      #expect(throws: ModelFileError.self, "\(count) bytes") {
        try ModelSource.read(Array(bytes[..<count]))
      }
    }
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 0x15
      do { _ = try Model(ModelSource.read(changed)) } catch is ModelFileError {
      } catch is ModelError {
      } catch { Issue.record("Byte \(index): \(error)") }
    }
  }

  @Test(
    "A source that can't be read is refused with the line",
    arguments: [
      ("<model><entity/></model>", "<entity> has no 'name'"),
      (
        "<model><entity name='A'><attribute name='b' attributeType='Text'/></entity></model>",
        "'Text'"
      ),
      (
        "<model><entity name='A'><relationship name='b' maxCount='x'/></entity></model>",
        "whole number"
      ),
      (
        "<model><entity name='A'><relationship name='b' deletionRule='x'/></entity></model>",
        "deletion rule"
      ),
      ("<model><entity name='A'><attribute name='b' optional='x'/></entity></model>", "YES or NO"),
      ("<model><strange/></model>", "can't contain <strange>"),
      ("<plist/>", "must be <model>"),
      ("<model>", "Not well-formed"),
    ])
  func faults(_ text: String, _ part: String) {
    let error = #expect(throws: ModelFileError.self) {
      try ModelSource.read(Array(text.utf8), path: "M/contents")
    }
    #expect(error?.description.hasPrefix("M/contents:1:") == true, "\(String(describing: error))")
    #expect(error?.description.contains(part) == true, "\(String(describing: error))")
  }

  @Test(
    "A decimal default is a whole decimal number, or is kept as text",
    arguments: [
      ("1.5", true), ("-3e2", true), ("NaN", true), ("1-2", false), ("1e", false), (".", false),
    ])
  func decimals(_ text: String, _ isNumber: Bool) throws {
    let source = """
      <model><entity name="A"><attribute name="b" optional="YES" attributeType="Decimal" \
      defaultValueString="\(text)"/></entity></model>
      """

    let model = try Model(ModelSource.read(Array(source.utf8)))

    let value = model["A"]?.attributes.first?.defaultValue
    #expect(value != .null && value != nil || !isNumber)
    #expect(value == .null || isNumber)
  }

  @Test("Versions are written to a folder and read back with the current version")
  func folder() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "quire-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "Trips.xcdatamodeld").path
    let model = try Model(ModelSource.read(Array(everything.utf8)))
    let versions = ModelVersions(
      [.init("Trips 2", model: model), .init("Trips 10", model: model)], currentName: "Trips 2")

    try versions.write(to: path)

    #expect(try ModelVersions.read(path) == versions)
    #expect(
      try ModelVersions.read(path + "/Trips 10.xcdatamodel/contents").current == model)
    try Data("<plist><dict><key>_XCCurrentVersionName</key><string>X</string></dict></plist>".utf8)
      .write(to: URL(fileURLWithPath: path + "/.xccurrentversion"))
    let error = #expect(throws: ModelFileError.self) { try ModelVersions.read(path) }
    #expect(error?.code == .unknownVersion)
  }

  @Test("Files that contain no model, and missing files, are refused")
  func strangers() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "quire-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(throws: ModelFileError.self) { try ModelVersions.read(file.path) }
    for (bytes, code) in [
      (Data("hello".utf8), ModelFileError.Code.unknownFormat),
      (Data(BinaryPropertyList.write(.dictionary(["a": .integer(1)]))), .damaged),
      (Data("bplist00".utf8), .damaged), (Data(), .unknownFormat),
    ] {
      try bytes.write(to: file)
      let error = #expect(throws: ModelFileError.self) { try ModelVersions.read(file.path) }
      #expect(error?.code == code)
    }
  }
}
