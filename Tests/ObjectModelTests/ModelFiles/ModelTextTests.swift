import AppleFixtures
import Foundation
import SeededRandom
import SpecVectors
import Testing

@testable import ModelNotations
@testable import ObjectModel

@Suite("Models as text")
struct ModelTextTests {
  private static func model(_ text: String) throws -> Model {
    try ModelText.model(Array(text.utf8), path: "Trips.model")
  }

  private static func faults(_ text: String) throws -> [String] {
    let error = #expect(throws: ModelFileError.self) { try model(text) }
    return try #require(error).description.split(separator: "\n").map(String.init)
  }

  /// Returns a description in which every relationship names the entity of its inverse. The text always names it.
  private static func completed(_ description: Model.Description) -> Model.Description {
    var description = description
    for entity in description.entities.indices {
      for property in description.entities[entity].declaredProperties.indices {
        guard
          case .relationship(var relationship) =
            description.entities[entity].declaredProperties[property],
          relationship.inverse != nil, relationship.inverseEntity == nil
        else { continue }
        relationship.inverseEntity = relationship.destination
        description.entities[entity].declaredProperties[property] = .relationship(relationship)
      }
    }
    return description
  }

  private static let trips = """
    # Trips, and the places on the way.
    model "Trips 2"

    entity Trip, note icon "suitcase"
      name: String = "Untitled", length 1...100
      start: Date?
      budget: Decimal? = 0, min 0
      stopCount: Int64?, derived "stops.@count"
      stops: [Stop], inverse trip, ordered, delete cascade
      unique name, start
      index byStart: start descending, name

    entity Stop, abstract
      name: String, was title
      nights: Int16 = 1, min 0, max 365
      website: URL?
      trip: Trip, inverse stops

    entity Museum: Stop
      isFree: Bool = false

    configuration Places: Stop, Museum

    request tripsAfter: Trip, where "start >= $DATE", sort -start, limit 10

    """

  @Test("A text is read as the model that it describes")
  func reading() throws {
    let model = try Self.model(Self.trips)

    #expect(model.description.versionIdentifiers == ["Trips 2"])
    #expect(model.entities.map(\.name) == ["Trip", "Stop", "Museum"])
    let trip = try #require(model["Trip"])
    #expect(trip.userInfo == ["icon": "suitcase"])
    #expect(trip.className == "Trip")
    #expect(trip.uniquenessConstraints == [["name", "start"]])
    #expect(
      trip.fetchIndexes == [
        FetchIndex("byStart", elements: [.init("start", isAscending: false), .init("name")])
      ])
    #expect(
      trip.declaredAttributes[0]
        == Attribute(
          "name", .string, isOptional: false, defaultValue: .string("Untitled"),
          validation: .init(minimum: .integer(1), maximum: .integer(100))))
    #expect(trip.declaredAttributes[2].defaultValue == .decimal(0))
    #expect(
      trip.declaredRelationships == [
        Relationship(
          "stops", to: "Stop", inverse: "trip", inverseEntity: "Stop", count: .toMany,
          isOrdered: true, deleteRule: .cascade)
      ])
    let stop = try #require(model["Stop"])
    #expect(stop.isAbstract)
    #expect(stop.declaredAttributes[0].renamingIdentifier == "title")
    #expect(!stop.declaredRelationships[0].isOptional)
    #expect(model["Museum"]?.superentity == "Stop")
    #expect(
      model.description.fetchRequestTemplates == [
        FetchRequestTemplate(
          "tripsAfter", entity: "Trip", predicate: "start >= $DATE",
          sortKeys: [.init("start", isAscending: false)], fetchLimit: 10)
      ])
  }

  @Test("Ten lines make two entities")
  func short() throws {
    let model = try Self.model(
      """
      entity Author
        name: String
        books: [Book], inverse author

      entity Book
        title: String
        published: Date?
        pages: Int32 = 0
        author: Author
        unique title
      """)

    // One of two relationships names its inverse, and the reader completes the other.
    let author = try #require(model["Book"]?.declaredRelationships.first)
    #expect(author.inverse == "books")
    #expect(author.inverseEntity == "Author")
    #expect(model.warnings.isEmpty)
  }

  @Test("A text in the usual layout is written as it was read")
  func usualLayout() throws {
    let bytes = Array(Self.trips.utf8)
    #expect(try ModelText.formatted(bytes) == Self.trips)

    let written = ModelText.write(try Self.model(Self.trips))
    #expect("# Trips, and the places on the way.\n" + written == Self.trips)
  }

  @Test("A model with every part is written and read without loss")
  func everything() throws {
    let model = try Model(Self.completed(EverythingModel.description))
    let text = ModelText.write(model)

    #expect(try ModelText.read(Array(text.utf8)) == model.description, "\(text)")
    #expect(try ModelText.formatted(Array(text.utf8)) == text)
  }

  @Test("Any model is written and read without loss, as text and as XML")
  func anyModel() throws {
    for _ in 0..<200 {
      var random = SeededGenerator()
      let model = try Model(Self.completed(RandomModel.description(using: &random)))
      let text = ModelText.write(model)
      let read = try ModelText.read(Array(text.utf8))

      #expect(read == model.description, "\(random)\n\(text)")
      #expect(try ModelText.formatted(Array(text.utf8)) == text, "\(random)")
      // The XML of the text is the XML of the model.
      #expect(try ModelSource.write(Model(read)) == ModelSource.write(model), "\(random)")
    }
  }

  @Test(
    "A model of Apple's editor becomes the same bytes again after it was text",
    .enabled(if: AppleFixtures.areHere, "\(AppleFixtures.absence)"),
    arguments: AppleFixtures.paths("/contents", in: "xcdatamodeld"))
  func editorModels(_ path: String) throws {
    let model = try Model(ModelSource.read(ModelFile.bytes(URL(fileURLWithPath: path))))
    let text = ModelText.write(model)
    let read = try ModelText.read(Array(text.utf8), path: path)

    #expect(read == Self.completed(model.description), "\(text)")
    if Self.completed(model.description) == model.description {
      #expect(try ModelSource.write(Model(read)) == ModelSource.write(model))
    }
  }

  @Test("The formatter keeps comments, and changes spaces and line ends only")
  func formatting() throws {
    let source = """
      # About trips.


      entity   Trip   ,  abstract # the base
      # The name.
          name:String="x",length 1 ... 5
      start : Date ?   # when


      stops:[ Stop ],inverse trip,
        # in order
        ordered,delete cascade # and gone
      entity Stop
      trip:Trip ?
      # The end.
      """
    let expected = """
      # About trips.

      entity Trip, abstract  # the base
        # The name.
        name: String = "x", length 1...5
        start: Date?  # when

        # in order
        stops: [Stop], inverse trip, ordered, delete cascade  # and gone

      entity Stop
        trip: Trip?
      # The end.

      """
    #expect(try ModelText.formatted(Array(source.utf8)) == expected)
    #expect(try ModelText.formatted(Array(expected.utf8)) == expected)
    let crlf = Array(source.replacing("\n", with: "\r\n").utf8)
    #expect(try ModelText.formatted([0xef, 0xbb, 0xbf] + crlf) == expected)
  }

  @Test("A long statement is wrapped after commas")
  func wrapping() throws {
    let notes = (1...9).map { "note key\($0) \"value number \($0)\"" }.joined(separator: ", ")
    let text = try ModelText.formatted(Array("entity Trip, \(notes)\n  name: String?".utf8))
    let lines = text.split(separator: "\n")

    #expect(lines.count == 4)
    #expect(lines.allSatisfy { $0.count <= 100 })
    #expect(lines[1].hasPrefix("    note"))
    #expect(try Self.model(text)["Trip"]?.userInfo.count == 9)
    #expect(try ModelText.formatted(Array(text.utf8)) == text)
  }

  @Test("Every fault is reported with its place, and with the word that was probably meant")
  func faults() throws {
    let faults = try Self.faults(
      """
      entity Trip, abstrct
        name: Sting, length 1...5
        count: Int = 5
        nights: Int16 = "x"
        stops: [Trip], inverze trip
        title: String, min 5
        half: String = 7
        Wrong name
      name: String
      """)

    #expect(
      faults == [
        "Trips.model:1:14: The word 'abstrct' is not a characteristic of an entity. "
          + "Did you mean \"abstract\"?",
        "Trips.model:2:9: There is no type and no entity \"Sting\". Did you mean \"String\"?",
        "Trips.model:3:10: There is no type and no entity \"Int\". Did you mean \"Int64\"?",
        "Trips.model:4:19: The text must contain a value of the type Int16, such as 5 here, "
          + "not '\"x\"'.",
        "Trips.model:5:18: The word 'inverze' is not a characteristic of a relationship. "
          + "Did you mean \"inverse\"?",
        "Trips.model:6:18: The bounds of a text are written as 'length 1...100'.",
        "Trips.model:7:18: The text must contain a value of the type String, such as \"text\" here, "
          + "not '7'.",
        "Trips.model:8:3: The word 'Wrong' begins no statement. A property has a colon after its "
          + "name, as in 'Wrong: String'.",
      ])
    #expect(
      try Self.faults("entity Trip\n  name: Sting\n  count: int\n  stop: Stpo\nentity Stop") == [
        "Trips.model:2:9: There is no type and no entity \"Sting\". Did you mean \"String\"?",
        "Trips.model:3:10: There is no type and no entity \"int\". Did you mean \"Int64\"?",
        "Trips.model:4:9: There is no type and no entity \"Stpo\". Did you mean \"Stop\"?",
      ])
  }

  @Test(
    "A wrong statement is refused with its place",
    arguments: [
      ("name: String", "1:1: The property 'name' must stand below the line of its entity"),
      ("unique name", "1:1: 'unique' must stand below the line of its entity"),
      ("composite A\n  trip: [A]\nentity A", "2:3: A composite type can contain attributes only."),
      ("entity A\n  x: String = \"abc", "2:15: The text has no closing quotation mark"),
      ("entity A\n  x: String = \"\\q\"", "2:15: The text contains an unknown escape."),
      ("entity A\n  x: String;", "2:12: A model can't contain the character ';' here."),
      ("entity A\n  x: A, count 2...3", "2:9: A relationship with more than one object"),
      ("entity A\n  x: [A], count 1", "2:11: A relationship with at most one object"),
      ("entity A\n  x: [A], delete all", "2:11: The delete rules are: nullify, cascade"),
      ("entity A\n  x: [A", "2:7: The text must contain ']'"),
      ("entity A\n  x:", "2:4: The text must contain a type"),
      ("entity", "1:1: The text must contain the name of the entity here, not the end"),
      ("entity A extra", "1:10: The text must contain a comma or the end of the statement"),
      ("entity A\n  x: A = 5", "2:8: Only an attribute can have a default value."),
      ("entity A\n  x: Int16, length 1", "2:13: Only texts have a length."),
      ("entity A\n  x: Bool = maybe", "2:13: The text must contain a value of the type Bool"),
      (
        "entity A\n  x: Day = 5",
        "2:12: The text must contain a value of the type Day, such as \"2026-01-31\""
      ),
      (
        "entity A\n  x: Date, min 5",
        "2:16: The text must contain a value of the type Date, such as"
      ),
      ("entity A\neditor syncable \"YES\": B", "2:24: The model has no entity \"B\"."),
      ("request all: A, gives everything\nentity A", "1:17: The kinds of results are: objects"),
    ])
  func wrongStatements(_ text: String, _ message: String) throws {
    let faults = try Self.faults(text)

    #expect(faults.count == 1)
    #expect(faults[0].hasPrefix("Trips.model:" + message), "\(faults)")
  }

  @Test("A fault of the whole model has the place of its property")
  func modelFaults() throws {
    let faults = try Self.faults(
      """
      entity Trip
        name: String

      entity Stop: Tripp
        name: String = "abc", length 5...1
      """)

    #expect(faults.count == 2)
    #expect(faults[0].hasPrefix("Trips.model:4:1: Stop: The superentity \"Tripp\""))
    #expect(faults[1].hasPrefix("Trips.model:5:3: Stop.name: The minimum 5 is greater"))
  }

  @Test("Many faults are counted, and the first twenty are shown")
  func manyFaults() throws {
    let faults = try Self.faults(String(repeating: "nothing\n", count: 50))

    #expect(faults.count == 21)
    #expect(faults.last == "There are 30 more faults.")
  }

  @Test("Bytes that are not UTF-8 are refused with their line")
  func wrongBytes() throws {
    let bytes = Array("entity A\n".utf8) + [0xff, 0x0a]
    let error = #expect(throws: ModelFileError.self) { try ModelText.read(bytes, path: "M") }

    #expect(error?.description == "M:2:1: The line is not valid UTF-8.")
  }

  @Test(
    "A text of the specification is the model that the vector names",
    arguments: try SpecVector.all("model-text", on: "12-model-text.md"))
  func vectors(_ vector: SpecVector) throws {
    let title = try #require(vector["of"])
    let source = try #require(
      SpecVector.all("model", on: "2-model.md").first { $0.title == title }, "\(vector.place)")
    let expected = try ModelSource.read(Array(source[all: "line"].joined(separator: "\n").utf8))
      .withoutSource
    let read = try ModelText.read(Array(vector[all: "line"].joined(separator: "\n").utf8))

    #expect(read.entities == expected.entities, "\(vector.place)")
  }

  @Test(
    "A wrong text of the specification is refused at its place",
    arguments: try SpecVector.all("bad-model-text", on: "12-model-text.md"))
  func wrongVectors(_ vector: SpecVector) throws {
    let text = vector[all: "line"].joined(separator: "\n")
    let error = #expect(throws: ModelFileError.self, "\(vector.place)") {
      try ModelText.read(Array(text.utf8))
    }

    #expect(error?.place == vector["place"], "\(vector.place)")
  }

  @Test("Files are recognized by their ending or by their first word")
  func files() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func path(_ name: String) -> String { folder.appending(path: name).path }
    for name in ["Trips.model", "trips"] {
      try Data(Self.trips.utf8).write(to: URL(fileURLWithPath: path(name)))
      let versions = try ModelVersions.read(path(name))
      #expect(versions.current == (try Self.model(Self.trips)))
      #expect(versions.currentName.lowercased() == "trips")
    }
    try Data("something else".utf8).write(to: URL(fileURLWithPath: path("other")))
    let error = #expect(throws: ModelFileError.self) { try ModelVersions.read(path("other")) }
    #expect(error?.code == .unknownFormat)

    let model = try Self.model(Self.trips)
    let versions = ModelVersions([.init("Trips", model: model)], currentName: "Trips")
    try versions.write(to: path("Written.model"))
    #expect(try ModelVersions.read(path("Written.model")).current == model)
  }
}
