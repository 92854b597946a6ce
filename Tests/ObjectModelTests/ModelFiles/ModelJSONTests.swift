import AppleFixtures
import Foundation
import JSONText
import SeededRandom
import SpecVectors
import Testing

@testable import ModelNotations
@testable import ObjectModel

@Suite("Models as JSON")
struct ModelJSONTests {
  private static func read(_ text: String) throws -> Model.Description {
    try ModelJSON.read(Array(text.utf8), path: "Trips.json")
  }

  private static func faults(_ text: String) throws -> [String] {
    let error = #expect(throws: ModelFileError.self) {
      try ModelJSON.model(Array(text.utf8), path: "Trips.json")
    }
    return try #require(error).description.split(separator: "\n").map(String.init)
  }

  /// Expects that a model and its JSON become each other without loss.
  private static func expectSame(
    _ model: Model, _ comment: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let text = ModelJSON.write(model)
    let read = try ModelJSON.read(Array(text.utf8))

    #expect(read == model.description, "\(comment)\n\(text)", sourceLocation: sourceLocation)
    let again = try Model(read)
    #expect(
      again.versionHashes == model.versionHashes, "\(comment)", sourceLocation: sourceLocation)
    #expect(ModelJSON.write(again) == text, "\(comment)", sourceLocation: sourceLocation)
  }

  @Test("A model with every part is written and read without loss")
  func everything() throws {
    try Self.expectSame(Model(EverythingModel.description), "everything")
  }

  @Test("Any model is written and read without loss")
  func anyModel() throws {
    for _ in 0..<200 {
      var random = SeededGenerator()
      try Self.expectSame(Model(RandomModel.detailed(using: &random)), "\(random)")
    }
  }

  @Test(
    "A model of Apple's editor becomes the same bytes again after it was JSON",
    .enabled(if: AppleFixtures.areHere, "\(AppleFixtures.absence)"),
    arguments: AppleFixtures.paths("/contents", in: "xcdatamodeld"))
  func editorModels(_ path: String) throws {
    let model = try Model(ModelSource.read(ModelFile.bytes(URL(fileURLWithPath: path))))
    try Self.expectSame(model, path)
    let again = try Model(ModelJSON.read(Array(ModelJSON.write(model).utf8)))
    #expect(try ModelSource.write(again) == ModelSource.write(model))
  }

  @Test(
    "A compiled model is written and read without loss",
    .enabled(if: AppleFixtures.areHere, "\(AppleFixtures.absence)"),
    arguments: AppleFixtures.paths(".momd", in: "momd"))
  func compiledModels(_ path: String) throws {
    for version in try ModelVersions.read(path).versions {
      try Self.expectSame(version.model, "\(path) \(version.name)")
    }
  }

  @Test("Every value keeps every bit")
  func values() throws {
    func date(_ seconds: Double) -> Value { .date(Date(timeIntervalSinceReferenceDate: seconds)) }
    let values: [(AttributeType, [Value])] = [
      (.int64, [.integer(.min), .integer(.max), .integer(0)]),
      (
        .double,
        [-0.0, 0.1, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, 1e16, 1e300].map {
          .double($0)
        }
      ),
      (
        .float,
        [-0.0, 0.1, .infinity, -.infinity, .nan, .greatestFiniteMagnitude].map { .float($0) }
      ),
      (
        .decimal,
        [
          "-1234.50", "1e127", "-1e-127", "99999999999999999999999999999999999999", "0",
          "0.00000000000000000000000000000000000001",
        ].map { .decimal(Decimal(string: $0)!) }
          + [.decimal(.nan), .decimal(.greatestFiniteMagnitude), .decimal(.leastFiniteMagnitude)]
      ),
      (
        .date,
        [0, -0.0, 0.1, -1.25, 1e9 + 0.000001, 1e300, -1e12, .infinity, .nan, 1.0.nextUp].map(date)
      ),
      (.string, [.string(""), .string("\u{0}\"\\\n\u{2028}é"), .string("e\u{301}")]),
      (.uri, [.uri(""), .uri("not a URI")]), (.boolean, [.boolean(true), .boolean(false)]),
      (.binary, [.binary(Data()), .binary(Data([0, 255, 10]))]),
      (.transformable, [.binary(Data([7]))]), (.uuid, [.uuid(UUID())]),
      (.objectID, [.object(ObjectKey(entity: 3, number: 1 << 47))]),
      (
        .undefined,
        [
          .boolean(true), .integer(.min), .double(1), .double(1e16), .double(.nan), .float(0.1),
          .string("2026-01-31"), .decimal(1), date(1.5), .uuid(UUID()), .uri("a"),
          .binary(Data([1])), .object(ObjectKey(entity: 1, number: 1)),
        ]
      ),
    ]
    for (type, values) in values {
      for value in values {
        let attribute = Attribute(
          "a", type, isTransient: [.undefined, .objectID].contains(type), defaultValue: value)
        let model = try Model(entities: [Entity("E", properties: [.attribute(attribute)])])
        let text = ModelJSON.write(model)
        let read = try ModelJSON.read(Array(text.utf8)).entities[0].declaredAttributes[0]

        #expect(read.defaultValue.isIdentical(to: value), "\(type) \(value)\n\(text)")
        #expect(
          ModelJSON.write(
            try Model(entities: [
              Entity("E", properties: [.attribute(read)])
            ])) == text)
      }
    }
  }

  @Test("A text by hand needs only names and types, and every other key has a default")
  func defaults() throws {
    let read = try Self.read(
      """
      {"entities": [
        {"name": "Trip", "attributes": [{"name": "cost", "type": "Decimal", "default": 2.5}],
          "relationships": [{"name": "stops", "destination": "Stop", "isToMany": true}],
          "fetchedProperties": [{"name": "all", "request": {"name": "r", "entity": "Trip"}}],
          "fetchIndexes": [{"name": "i", "elements": [{"property": "cost"}]}]},
        {"name": "Stop", "relationships": [{"name": "next", "destination": "Stop"}]}
      ], "composites": [{"name": "C"}], "configurations": [{"name": "D"}]}
      """)

    let expected = Model.Description(
      entities: [
        Entity(
          "Trip",
          properties: [
            .attribute(
              Attribute(
                "cost", .decimal, isOptional: false,
                defaultValue: .decimal(Decimal(string: "2.5")!))),
            .relationship(Relationship("stops", to: "Stop", count: .toMany, isOptional: false)),
            .fetched(
              FetchedProperty(
                "all", request: FetchRequestTemplate("r", entity: "Trip"), isOptional: false)),
          ], fetchIndexes: [FetchIndex("i", elements: [.init("cost")])]),
        Entity(
          "Stop",
          properties: [.relationship(Relationship("next", to: "Stop", isOptional: false))]),
      ], composites: [CompositeType("C", attributes: [])],
      configurations: [Configuration("D", entities: [])])
    #expect(read == expected)
  }

  @Test("Every fault is reported with its place, its path and the word that was probably meant")
  func everyFault() throws {
    let faults = try Self.faults(
      """
      {
        "version": "../x",
        "model": {
          "entities": [
            {"name": "Trip", "isAbstrct": true, "attributes": [
              {"name": "title", "type": "Sting"},
              {"name": "days", "type": "Int16", "isOptional": "yes"},
              {"name": "start", "type": "Date", "default": "soon"},
              {"type": "UUID", "options": ["indexed", "isIndexed", "isIndexed"]}
            ]}
          ]
        }
      }
      """)

    #expect(
      faults == [
        "Trips.json:2:14: version: The value must be the name of a version without '/', not \"../x\".",
        "Trips.json:5:24: model.entities[0].isAbstrct: There is no key \"isAbstrct\". "
          + "Did you mean \"isAbstract\"?",
        "Trips.json:6:35: model.entities[0].attributes[0].type: There is no type \"Sting\". "
          + "Did you mean \"String\"?",
        "Trips.json:7:34: model.entities[0].attributes[1].type: There is no type \"Int16\". "
          + "Did you mean \"Integer 16\"?",
        "Trips.json:7:57: model.entities[0].attributes[1].isOptional: The value must be true or "
          + "false, not \"yes\".",
        "Trips.json:8:54: model.entities[0].attributes[2].default: The value must be a date as "
          + "text, such as \"2026-01-31T09:30:00Z\", not \"soon\".",
        "Trips.json:9:9: model.entities[0].attributes[3]: The key \"name\" is missing.",
        "Trips.json:9:38: model.entities[0].attributes[3].options[0]: There is no option "
          + "\"indexed\". Did you mean \"isIndexed\"?",
        "Trips.json:9:62: model.entities[0].attributes[3].options[2]: The word \"isIndexed\" "
          + "occurs twice.",
      ])
  }

  private static func attribute(_ members: String) -> String {
    #"{"entities":[{"name":"A","attributes":[{"name":"a",\#(members)}]}]}"#
  }

  private static func relationship(_ members: String) -> String {
    #"{"entities":[{"name":"A","relationships":[{"name":"r","destination":"A",\#(members)}]}]}"#
  }

  private static let wrongTexts: [(text: String, message: String)] = [
    ("{", "Trips.json:1:2: The file is no JSON: A name in quotes is missing."),
    (#"{"entities":[]} x"#, "Trips.json:1:17: The file is no JSON: The text continues"),
    (#"{"entities":[],"entities":[]}"#, "occurs twice"),
    ("[]", "Trips.json: The file is JSON, but not of a model"),
    ("{}", "Trips.json: The file is JSON, but not of a model"),
    (#"{"model":{}}"#, "1:10: model: The key \"entities\" is missing."),
    (#"{"model":null}"#, "1:10: model: The value must be an object, not null; leave the key out"),
    (#"{"model":{"entities":[]},"path":"x"}"#, "1:26: path: There is no key \"path\". The known"),
    (#"{"entities":{}}"#, "1:13: entities: The value must be an array, not an object."),
    (#"{"entities":[5]}"#, "1:14: entities[0]: The value must be an object, not 5."),
    (#"{"entities":[],"odd key":1}"#, #"1:16: ["odd key"]: There is no key "odd key"."#),
    (#"{"entities":[],"editorDiagram":[{"x":1}]}"#, "editorDiagram[0].x: The value must be text"),
    (attribute(#""type":7"#), "type: The value must be text, not 7."),
    (attribute(#""type":"int""#), "Did you mean \"Integer 64\"?"),
    (
      attribute(#""type":"Integer 16","default":1.5"#),
      "must be a whole number of 16 bits, not 1.5."
    ),
    (attribute(#""type":"Integer 16","default":70000"#), "70000 is out of range"),
    (attribute(#""type":"Integer 64","default":9223372036854775808"#), "must be a whole number"),
    (attribute(#""type":"Double","default":1e999"#), "default: The value must be a number, or"),
    (attribute(#""type":"Double","default":"1""#), "default: The value must be a number, or"),
    (attribute(#""type":"Float","default":1e39"#), "must be a number of 32 bits, or \"inf\""),
    (attribute(#""type":"Decimal","default":"1x""#), "must be a decimal number as text"),
    (attribute(#""type":"UUID","default":"1""#), "must be a UUID as text, such as \"E621"),
    (attribute(#""type":"Binary","default":"?""#), "must be bytes as text, such as \"AQID\" in"),
    (attribute(#""type":"Boolean","default":"YES""#), "must be true or false, not \"YES\"."),
    (attribute(#""type":"String","minimum":"a""#), "minimum: The value must be a whole number"),
    (attribute(#""type":"Composite","default":1"#), "absent, because the attribute is composite"),
    (attribute(#""type":"String","default":null"#), "must be text, not null; leave the key out."),
    (attribute(#""type":"String","default":"a","defaultType":"Date""#), "defaultType: Only a"),
    (attribute(#""type":"Undefined","defaultType":"Date""#), "defaultType: Only a default value"),
    (
      attribute(#""type":"Undefined","default":"a","defaultType":"Date""#),
      "defaultType: The value must be a date"
    ),
    (attribute(#""type":"String","derivationFilter":"a""#), "Only an attribute with a"),
    (
      attribute(#""type":"String","validationPredicates":[{"code":1}]"#), "\"predicate\" is missing"
    ),
    (
      relationship(#""deleteRule":"cascad""#),
      "There is no delete rule \"cascad\". Did you mean \"cascade\"?"
    ),
    (relationship(#""isToMany":true,"maximumCount":1"#), "isToMany: The value contradicts"),
    (relationship(#""isToMany":false,"maximumCount":0"#), "isToMany: The value contradicts"),
    (relationship(#""minimumCount":1e2"#), "minimumCount: The value must be a whole number"),
    (relationship(#""inverse":"back""#), "entities[0].relationships[0]: A.r: "),
    (
      #"{"entities":[{"name":"A","superentity":"Bb"},{"name":"B"}]}"#,
      "Trips.json:1:14: entities[0]: A: The superentity \"Bb\""
    ),
    (
      #"{"entities":[{"name":"A","attributes":[{"name":"a","type":"UUID"}],"propertyOrder":["b"]}]}"#,
      "entities[0].propertyOrder[0]: There is no property \"b\""
    ),
    (
      #"{"entities":[{"name":"A","attributes":[{"name":"a","type":"UUID"}],"propertyOrder":[]}]}"#,
      "entities[0].propertyOrder: The property \"a\" is missing."
    ),
  ]

  @Test("Wrong JSON is refused with its place and the reason", arguments: wrongTexts.indices)
  func wrongText(_ index: Int) throws {
    let (text, message) = Self.wrongTexts[index]
    let faults = try Self.faults(text)

    #expect(faults.count == 1, "\(faults)")
    #expect(faults[0].contains(message), "\(faults)")
  }

  @Test("Hostile JSON ends with an error, in time and with few messages")
  func hostile() throws {
    let deep = String(repeating: "[", count: 100_000)
    #expect(try Self.faults(#"{"entities":"# + deep)[0].contains("nested too deeply"))
    let keys = (0..<50_000).map { "\"key\($0)\":1" }.joined(separator: ",")
    let many = try Self.faults("{\"entities\":[],\(keys)}")
    #expect(many.count == 21)
    #expect(many.last == "There are 49980 more faults.")
    let long = String(repeating: "x", count: 1 << 20)
    let faults = try Self.faults("{\"entities\":[],\"\(long)\":\"\(long)\"}")
    #expect(faults[0].utf8.count < 1_000)
    let error = #expect(throws: ModelFileError.self) {
      try ModelJSON.read(Array(#"{"entities":[],"a":""#.utf8) + [0xFF, 0x22, 0x7D])
    }
    #expect(error?.message.contains("not UTF-8") == true)
  }

  @Test("Files are recognized by their ending or their first character, alone or with a version")
  func files() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func path(_ name: String) -> String { folder.appending(path: name).path }
    let model = try Model(EverythingModel.description)
    let versions = ModelVersions([.init("Trips 2", model: model)], currentName: "Trips 2")

    try versions.write(to: path("a.json"))
    #expect(try ModelVersions.read(path("a.json")) == versions)
    let alone = Array("\u{FEFF} \n".utf8) + Array(ModelJSON.json(model).line.utf8)
    try Data(alone).write(to: URL(fileURLWithPath: path("alone")))
    let read = try ModelVersions.read(path("alone"))
    #expect(read.current == model && read.currentName == "alone")
    try Data("entity A".utf8).write(to: URL(fileURLWithPath: path("text.json")))
    let error = #expect(throws: ModelFileError.self) { try ModelVersions.read(path("text.json")) }
    #expect(error?.description.contains("text.json:1:1: The file is no JSON") == true)
  }

  @Test(
    "JSON of the specification is the model that the vector names",
    arguments: try SpecVector.all("model-json", on: "12-model-text.md"))
  func vectors(_ vector: SpecVector) throws {
    let title = try #require(vector["of"])
    let source = try #require(
      SpecVector.all("model", on: "2-model.md").first { $0.title == title }, "\(vector.place)")
    let expected = try ModelSource.read(Array(source[all: "line"].joined(separator: "\n").utf8))
      .withoutSource
    let read = try Self.read(vector[all: "line"].joined(separator: "\n"))

    #expect(read.entities == expected.entities, "\(vector.place)")
  }

  @Test(
    "Wrong JSON of the specification is refused at its path",
    arguments: try SpecVector.all("bad-model-json", on: "12-model-text.md"))
  func wrongVectors(_ vector: SpecVector) throws {
    let faults = try Self.faults(vector[all: "line"].joined(separator: "\n"))
    let path = try #require(vector["path"])

    #expect(faults.count == 1 && faults[0].contains(": \(path): "), "\(vector.place) \(faults)")
  }
}
