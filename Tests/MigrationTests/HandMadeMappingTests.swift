import Foundation
import Migration
import ModelNotations
import ObjectGraph
import ObjectModel
import ObjectQuery
import PropertyLists
import Testing

/// Mappings of `People` in the forms of Apple's tools, written by hand, and the migrated objects.
@Suite("Mappings in the forms of Apple's tools")
struct HandMadeMappingTests {
  private static let versions = [
    KnownVersion("People 1", People.old), KnownVersion("People 2", People.new),
  ]

  /// A writer of archived mappings.
  private struct Archive {
    var writer = KeyedArchiveWriter()

    private mutating func expression(
      _ name: String, _ kind: Int64, _ fields: [String: PropertyList], inheriting: Bool = false
    ) -> PropertyList {
      let archivedClass =
        inheriting
        ? ArchivedClass(name, "NSFunctionExpression", "NSExpression")
        : ArchivedClass(name, "NSExpression")
      return writer.add(
        archivedClass, fields.merging(["NSExpressionType": .integer(kind)]) { $1 })
    }

    private mutating func variable(_ name: String) -> PropertyList {
      expression("NSVariableExpression", 2, ["NSVariable": writer.text(name)])
    }

    private mutating func constant(_ text: String) -> PropertyList {
      expression("NSConstantValueExpression", 0, ["NSConstantValue": writer.text(text)])
    }

    mutating func path(_ path: String, of name: String = "source") -> PropertyList {
      let specifier = expression(
        "NSKeyPathSpecifierExpression", 10, ["NSKeyPath": writer.text(path)])
      return expression(
        "NSKeyPathExpression", 4,
        [
          "NSOperand": variable(name), "NSSelectorName": writer.text("valueForKeyPath:"),
          "NSArguments": writer.array([specifier], as: .mutableArray),
        ], inheriting: true)
    }

    mutating func call(_ function: String, _ arguments: [PropertyList]) -> PropertyList {
      expression(
        "NSFunctionExpression", 4,
        [
          "NSOperand": variable("manager"), "NSSelectorName": writer.text(function),
          "NSArguments": writer.array(arguments),
        ])
    }

    /// Adds the objects that a mapping made of a relationship's objects.
    mutating func instances(_ mapping: String, _ relationship: String) -> PropertyList {
      call(
        "destinationInstancesForEntityMappingNamed:sourceInstances:",
        [constant(mapping), path(relationship)])
    }

    /// Adds a request for the objects of an entity that meet a condition.
    mutating func request(_ entity: String, where predicate: String) -> PropertyList {
      let request = call(
        "fetchRequestForSourceEntityNamed:predicateString:",
        [constant(entity), constant(predicate)])
      return expression(
        "NSFetchRequestExpression", 50,
        [
          "NSFRExpression": request, "NSMOCExpression": path("sourceContext", of: "manager"),
          "NSCountOnlyFlag": .boolean(false),
        ])
    }

    private mutating func properties(_ values: [(String, PropertyList)]) -> PropertyList {
      writer.array(
        values.map { name, value in
          writer.add(
            ArchivedClass("NSPropertyMapping"),
            [
              "NSDestinationPropertyName": writer.text(name), "NSValueExpression": value,
              "NSUserInfo": KeyedArchiveWriter.nothing,
              "NSPropertyTransforms": KeyedArchiveWriter.nothing,
            ])
        })
    }

    mutating func mapping(
      _ name: String, _ kind: Int64, from source: String?, to destination: String?,
      where predicate: String = "TRUEPREDICATE", attributes: [(String, PropertyList)] = [],
      relationships: [(String, PropertyList)] = []
    ) -> PropertyList {
      var fields: [String: PropertyList] = [
        "NSMappingName": writer.text(name), "NSMappingType": .integer(kind),
        "NSAttributeMappings": properties(attributes),
        "NSRelationshipMappings": properties(relationships),
      ]
      if let source {
        fields["NSSourceEntityName"] = writer.text(source)
        fields["NSSourceEntityVersionHash"] = writer.add(
          .data(Data(People.old.versionHashes[source]!.bytes)))
        fields["NSSourceExpression"] = request(source, where: predicate)
      }
      if let destination {
        fields["NSDestinationEntityName"] = writer.text(destination)
        fields["NSDestinationEntityVersionHash"] = writer.add(
          .data(Data(People.new.versionHashes[destination]!.bytes)))
      }
      return writer.add(ArchivedClass("NSEntityMapping"), fields)
    }
  }

  private static func compiled() -> [UInt8] {
    var archive = Archive()
    let mappings = [
      archive.mapping(
        "PersonToContact", 5, from: "Person", to: "Contact", where: "age >= 18",
        attributes: [
          ("name", archive.path("name")), ("fullName", archive.path("lastName")),
          ("years", archive.path("age")), ("remark", KeyedArchiveWriter.nothing),
        ],
        relationships: [
          ("dogs", archive.instances("DogToDog", "dogs")),
          ("clubs", archive.instances("ClubToClub", "clubs")),
          ("spouse", archive.instances("PersonToContact", "spouse")),
        ]),
      archive.mapping(
        "DogToDog", 5, from: "Dog", to: "Dog", attributes: [("name", archive.path("name"))],
        relationships: [("owner", archive.instances("PersonToContact", "owner"))]),
      archive.mapping(
        "ClubToClub", 5, from: "Club", to: "Club", attributes: [("name", archive.path("name"))],
        relationships: [("members", archive.instances("PersonToContact", "members"))]),
      archive.mapping("Draft", 3, from: "Draft", to: nil),
      archive.mapping("Setting", 2, from: nil, to: "Setting"),
    ]
    let names = ["PersonToContact", "DogToDog", "ClubToClub", "Draft", "Setting"]
    let root = archive.writer.add(
      ArchivedClass("NSMappingModel"),
      [
        "NSEntityMappings": archive.writer.array(mappings),
        "NSEntityMappingsByName": archive.writer.dictionary(
          zip(names, mappings).map { ($0, $1) }, as: .mutableDictionary),
      ])
    return archive.writer.bytes(root: root)
  }

  /// Returns the same mapping in the document of the mapping editor, which leaves out the editor's defaults.
  private static func document() -> String {
    func data(_ make: (inout Archive) -> PropertyList) -> String {
      var archive = Archive()
      let root = make(&archive)
      return Data(archive.writer.bytes(root: root)).base64EncodedString(
        options: [.lineLength76Characters, .endLineWithLineFeed])
    }
    let name = data { $0.path("lastName") }
    let dogs = data { $0.instances("DogToDog", "dogs") }
    return """
      <?xml version="1.0" standalone="yes"?>
      <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

      <database>
          <databaseInfo>
              <version>134481920</version>
              <UUID>498313E6-D672-4887-A947-08765F4F1012</UUID>
              <nextObjectID>109</nextObjectID>
              <metadata></metadata>
          </databaseInfo>
          <object type="XDDEVATTRIBUTEMAPPING" id="z102">
              <attribute name="valueexpressiondata" type="binary">\(name)
      </attribute>
              <attribute name="name" type="string">fullName</attribute>
              <relationship name="entitymapping" type="1/1" destination="XDDEVENTITYMAPPING" idrefs="z105"></relationship>
          </object>
          <object type="XDDEVATTRIBUTEMAPPING" id="z103">
              <attribute name="name" type="string">name</attribute>
              <relationship name="entitymapping" type="1/1" destination="XDDEVENTITYMAPPING" idrefs="z105"></relationship>
          </object>
          <object type="XDDEVENTITYMAPPING" id="z104">
              <attribute name="sourcename" type="string">Draft</attribute>
              <attribute name="mappingtypename" type="string">Undefined</attribute>
              <attribute name="mappingnumber" type="int16">2</attribute>
              <attribute name="autogenerateexpression" type="bool">1</attribute>
              <relationship name="mappingmodel" type="1/1" destination="XDDEVMAPPINGMODEL" idrefs="z107"></relationship>
              <relationship name="attributemappings" type="0/0" destination="XDDEVATTRIBUTEMAPPING"></relationship>
              <relationship name="relationshipmappings" type="0/0" destination="XDDEVRELATIONSHIPMAPPING"></relationship>
          </object>
          <object type="XDDEVENTITYMAPPING" id="z105">
              <attribute name="sourcename" type="string">Person</attribute>
              <attribute name="mappingtypename" type="string">Undefined</attribute>
              <attribute name="mappingnumber" type="int16">1</attribute>
              <attribute name="destinationname" type="string">Contact</attribute>
              <attribute name="autogenerateexpression" type="bool">1</attribute>
              <relationship name="mappingmodel" type="1/1" destination="XDDEVMAPPINGMODEL" idrefs="z107"></relationship>
              <relationship name="attributemappings" type="0/0" destination="XDDEVATTRIBUTEMAPPING" idrefs="z103 z102"></relationship>
              <relationship name="relationshipmappings" type="0/0" destination="XDDEVRELATIONSHIPMAPPING" idrefs="z106"></relationship>
          </object>
          <object type="XDDEVRELATIONSHIPMAPPING" id="z106">
              <attribute name="valueexpressiondata" type="binary">\(dogs)
      </attribute>
              <attribute name="name" type="string">dogs</attribute>
              <relationship name="entitymapping" type="1/1" destination="XDDEVENTITYMAPPING" idrefs="z105"></relationship>
          </object>
          <object type="XDDEVMAPPINGMODEL" id="z107">
              <attribute name="sourcemodelpath" type="string">People.xcdatamodeld/People 1.xcdatamodel</attribute>
              <attribute name="destinationmodelpath" type="string">People.xcdatamodeld/People 2.xcdatamodel</attribute>
              <relationship name="entitymappings" type="0/0" destination="XDDEVENTITYMAPPING" idrefs="z105 z104"></relationship>
          </object>
      </database>

      """
  }

  /// Reads a mapping from a file of the given name, in a folder as the editor makes it.
  private static func read(_ bytes: [UInt8], _ name: String) throws -> WrittenMapping {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let place = folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: place)
    let isDocument = place.lastPathComponent == "xcmapping.xml"
    return try WrittenMapping(
      contentsOf: (isDocument ? place.deletingLastPathComponent() : place).path)
  }

  @Test(
    "A compiled mapping is read completely, and the migrated objects follow it",
    arguments: Kind.allCases)
  func compiledMapping(_ kind: Kind) throws {
    let written = try Self.read(Self.compiled(), "People.cdm")
    let mapping = try written.completed(among: Self.versions)
    #expect(written.sourceHashes == People.old.versionHashes)
    #expect(
      mapping.entityMappings.map(\.name) == [
        "PersonToContact", "DogToDog", "ClubToClub", "Draft", "Setting",
      ])
    #expect(
      mapping.entityMappings.map(\.kind) == [.transform, .transform, .transform, .remove, .add])
    let person = mapping.entityMappings[0]
    #expect(person.sourcePredicate?.description == "age >= 18" && person.isExact)
    #expect(person["remark"]?.expression == nil)
    #expect(
      person["dogs"]?.expression?.description
        == "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", "
        + "\"DogToDog\", $source.dogs)")

    let world = World(kind)
    try world.make(People.old, People.fill)
    try Migrator(mappings: [mapping]).allowingLoss.migrate(
      storeAt: World.path, to: People.new, in: world.places)

    #expect(
      try world.dump(People.new) == [
        "Club members=[Ada,Alan] name=Chess",
        "Contact clubs=[Chess] dogs=[Ada's dog] fullName=Byron name=Ada spouse=Alan years=36.0",
        "Contact clubs=[Chess] dogs=[Alan's dog] fullName=Turing name=Alan spouse=Ada years=41.0",
        "Dog name=Ada's dog owner=Ada", "Dog name=Alan's dog owner=Alan", "Dog name=Tim's dog",
      ])
    #expect(try world.faults() == [])
  }

  @Test("The editor's mapping file contains only the edited parts; the rest is inferred")
  func editedMapping() throws {
    let written = try Self.read(
      Array(Self.document().utf8), "People.xcmappingmodel/xcmapping.xml")
    #expect(written.sourceName == "People 1" && written.destinationName == "People 2")
    #expect(written.entityMappings.map(\.name) == ["PersonToContact", "Draft"])
    #expect(written.entityMappings[0].properties.map(\.name) == ["fullName", "dogs"])
    let mapping = try written.completed(among: Self.versions)

    let world = World(.binary)
    try world.make(People.old, People.fill)
    try Migrator(mappings: [mapping]).allowingLoss.migrate(
      storeAt: World.path, to: People.new, in: world.places)

    #expect(
      try world.dump(People.new) == [
        "Club members=[Tim,Ada,Alan] name=Chess",
        "Contact clubs=[Chess] dogs=[Ada's dog] fullName=Byron name=Ada spouse=Alan",
        "Contact clubs=[Chess] dogs=[Alan's dog] fullName=Turing name=Alan spouse=Ada",
        "Contact clubs=[Chess] dogs=[Tim's dog] fullName=Young name=Tim",
        "Dog name=Ada's dog owner=Ada", "Dog name=Alan's dog owner=Alan",
        "Dog name=Tim's dog owner=Tim",
      ])
  }

  /// Returns the document with another value of `dogs`, and with more objects.
  private static func document(dogs fields: String, and more: String = "") throws -> String {
    let document = document()
    let start = try #require(document.range(of: "id=\"z106\">"))
    let end = try #require(
      document.range(
        of: "<attribute name=\"name\" type=\"string\">dogs",
        range: start.upperBound..<document.endIndex))
    return document.replacingCharacters(in: start.upperBound..<end.lowerBound, with: fields)
      .replacing("</database>\n", with: more + "</database>\n")
  }

  @Test(
    "A relationship may name a key path and a mapping in place of an expression",
    arguments: [
      ("$source.dogs", "DogToDog"), ("dogs", "DogToDog"), ("source.dogs", nil), (nil, "DogToDog"),
    ] as [(String?, String?)])
  func keyPaths(_ path: String?, _ mapping: String?) throws {
    func attribute(_ name: String, _ value: String?) -> String {
      value.map { "<attribute name=\"\(name)\" type=\"string\">\($0)</attribute>" } ?? ""
    }
    let text = try Self.document(
      dogs: attribute("sourcekeypath", path) + attribute("sourcemappingname", mapping))

    let written = try Self.read(Array(text.utf8), "People.xcmappingmodel/xcmapping.xml")

    #expect(
      written.entityMappings[0]["dogs"]?.expression?.description
        == (mapping == nil
          ? "$source.dogs"
          : "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", "
            + "\"DogToDog\", $source.dogs)"))
    // Two mappings map the dogs, and only one of the mappings is requested.
    var more = written
    more.entityMappings += [
      .transform("Dog", to: "Dog", name: "DogToDog"),
      .transform(
        "Dog", to: "Dog", name: "Double",
        [
          try PropertyMapping("name", "$source.name + ' again'"),
          PropertyMapping("owner", QueryExpression?.none),
        ]),
    ]
    let world = World(.binary)
    try world.make(People.old, People.fill)
    try Migrator(mappings: [more.completed(among: Self.versions)]).allowingLoss.migrate(
      storeAt: World.path, to: People.new, in: world.places)
    let contact = try #require(world.dump(People.new).first { $0.contains("name=Ada spouse") })
    #expect(contact.contains("dogs=[Ada's dog]") == (mapping != nil), "\(contact)")
  }

  @Test(
    "A property whose expression the author has removed stays empty; a generated one is carried over",
    arguments: [("0", false), ("1", true), (nil, true)] as [(String?, Bool)])
  func removedExpression(_ flag: String?, _ isCarried: Bool) throws {
    let text = try Self.document(
      dogs: flag.map {
        "<attribute name=\"autogenerateexpression\" type=\"bool\">\($0)</attribute>"
      } ?? "")
    let written = try Self.read(Array(text.utf8), "People.xcmappingmodel/xcmapping.xml")
    let property = written.entityMappings[0]["dogs"]
    #expect((property == nil) == isCarried)
    #expect(property?.expression == nil)
    let mapping = try written.completed(among: Self.versions)
    #expect(
      mapping.entityMappings[0]["dogs"]?.expression?.description
        == (isCarried ? "$source.dogs" : nil))
  }

  @Test("Unused parts that the mapping editor leaves behind have no effect")
  func leftovers() throws {
    func mapping(_ id: String, _ fields: String, model: String) -> String {
      """
          <object type="XDDEVENTITYMAPPING" id="\(id)">
              \(fields)
              <attribute name="mappingnumber" type="int16">7</attribute>
              <relationship name="mappingmodel" type="1/1" destination="XDDEVMAPPINGMODEL"\(model)></relationship>
          </object>

      """
    }
    let gone = """
      <attribute name="sourcename" type="string">Gone</attribute>
      <attribute name="destinationname" type="string">Gone</attribute>
      """
    let text = Self.document().replacing(
      "</database>\n",
      with: mapping("z110", gone, model: "") + mapping("z111", gone, model: " idrefs=\"z99\"")
        + mapping("z112", "", model: " idrefs=\"z107\"") + "</database>\n")

    let written = try Self.read(Array(text.utf8), "People.xcmappingmodel/xcmapping.xml")

    #expect(written.entityMappings.map(\.name) == ["PersonToContact", "Draft"])
    _ = try written.completed(among: Self.versions)
    // A mapping with a policy is not unused, because the policy may do anything.
    let run = Self.document().replacing(
      "</database>\n",
      with: mapping(
        "z112", "<attribute name=\"migrationpolicyclassname\" type=\"string\">P</attribute>",
        model: " idrefs=\"z107\"") + "</database>\n")
    let other = try Self.read(Array(run.utf8), "People.xcmappingmodel/xcmapping.xml")
    #expect(other.entityMappings.map(\.policyName) == [nil, nil, "P"])
    // The same is true of a compiled mapping.
    var archive = Archive()
    let empty = archive.mapping("Empty", 0, from: nil, to: nil)
    let root = archive.writer.add(
      ArchivedClass("NSMappingModel"), ["NSEntityMappings": archive.writer.array([empty])])
    #expect(try Self.read(archive.writer.bytes(root: root), "Empty.cdm").entityMappings.isEmpty)
  }

  @Test("The error names the versions of a wrong mapping, or the line of a wrong expression")
  func wrong() throws {
    let compiled = try Self.read(Self.compiled(), "People.cdm")
    let other = KnownVersion("Other", model(Entity("Person", .text("name"))))
    let error = #expect(throws: MigrationError.self) { try compiled.completed(among: [other]) }
    #expect(error?.message.contains("\"Person\"") ?? false, "\(error.map { "\($0)" } ?? "")")
    #expect(error?.message.contains("\"Other\"") ?? false, "\(error.map { "\($0)" } ?? "")")

    let document = Self.document()
    let lines = document.split(separator: "\n", omittingEmptySubsequences: false)
    let line = try #require(lines.firstIndex { $0.contains("z102\">") }) + 1
    for (text, words) in [("YnBsaXN0MDDUAQ==", "can't be read"), ("Y", "is not in base 64")] {
      let start = try #require(document.range(of: "type=\"binary\">"))
      let end = try #require(document.range(of: "\n</attribute>"))
      let broken = document.replacingCharacters(
        in: start.upperBound..<end.lowerBound, with: text)
      let error = #expect(throws: ModelFileError.self) {
        try Self.read(Array(broken.utf8), "People.xcmappingmodel/xcmapping.xml")
      }
      let message = "\(error.map { "\($0)" } ?? "no error")"
      #expect(message.contains("'fullName'") && message.contains(words), "\(message)")
      #expect(message.contains("xcmapping.xml:\(line)"), "\(message)")
    }
  }
}
