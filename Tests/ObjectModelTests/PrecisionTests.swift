import Foundation
import ObjectModel
import Testing

@testable import ModelNotations

@Suite("Days and decimal places")
struct PrecisionTests {
  private static let text = """
    entity Person
      born: Day? = "2026-04-20", min "1900-01-01"
      price: Decimal = 30676.20, min 0.00, places 2, was cost
      rate: Decimal, places 0

    """

  private static func model(_ text: String = text) throws -> Model {
    try ModelText.model(Array(text.utf8), path: "Person.model")
  }

  private static func faults(_ text: String) throws -> String {
    let error = #expect(throws: ModelFileError.self) { try model(text) }
    return try #require(error).description
  }

  private static func attribute(_ name: String, _ model: Model) -> Attribute? {
    model.attribute(at: [name], of: "Person")
  }

  private static func day(_ number: Double) -> Value {
    .date(Date(timeIntervalSinceReferenceDate: number * 86_400))
  }

  private static func decimal(_ text: String) -> Value { .decimal(Decimal(string: text)!) }

  @Test(
    "The text of a model has days as a type and places as a trait, and bounds and defaults in their form"
  )
  func text() throws {
    let model = try Self.model()

    #expect(Self.attribute("born", model)?.validation.precision == .day)
    #expect(Self.attribute("born", model)?.type == .date)
    #expect(Self.attribute("price", model)?.validation.precision == .places(2))
    #expect(ModelText.write(model) == Self.text)
  }

  @Test("The JSON form has a member for each, and only if it is set")
  func json() throws {
    let model = try Self.model()
    let json = ModelJSON.json(model).text

    #expect(try Model(ModelJSON.read(Array(ModelJSON.write(model).utf8), path: "x")) == model)
    #expect(json.split(separator: "\"isDay\": true").count == 2)
    #expect(!json.contains("\"isDay\": false"))
    #expect(json.contains("\"places\": 2") && json.contains("\"places\": 0"))
    #expect(json.contains("\"2026-04-20\"") && json.contains("\"30676.20\""))
  }

  @Test("Apple's formats have Date and Decimal, with notes that Quire takes back")
  func appleFormats() throws {
    let model = try Self.model()
    let source = try ModelSource.write(model)
    let xml = String(decoding: source, as: UTF8.self)

    #expect(try Model(ModelSource.read(source)) == model)
    #expect(xml.contains("<entry key=\"quire.day\" value=\"YES\"/>"))
    #expect(xml.contains("<entry key=\"quire.places\" value=\"2\"/>"))
    #expect(xml.contains("attributeType=\"Date\"") && !xml.contains("Day"))
    #expect(
      try CompiledModel.readModel(CompiledModel.write(model), path: "x").description
        == model.description)
  }

  @Test(
    "A note that is not a precision of the attribute's type stays a note",
    arguments: [
      ("born", "quire.day", "NO"), ("born", "quire.places", "2"), ("price", "quire.day", "YES"),
      ("price", "quire.places", "02"), ("price", "quire.places", "many"),
    ])
  func otherNotes(_ name: String, _ note: String, _ text: String) throws {
    var entity = Entity("Person", className: "Person")
    for (attribute, type) in [("born", AttributeType.date), ("price", .decimal)] {
      entity.declaredProperties.append(
        .attribute(Attribute(attribute, type, userInfo: attribute == name ? [note: text] : [:])))
    }
    let model = try Model(Model.Description(entities: [entity]))

    #expect(try Model(ModelSource.read(ModelSource.write(model))) == model)
    #expect(
      try CompiledModel.readModel(CompiledModel.write(model), path: "x").description
        == model.description)
  }

  @Test("A precision is for its type, and has up to 38 places")
  func checks() throws {
    #expect(try Self.faults("entity A\n  a: Date, places 2\n").contains("is for the type Decimal"))
    #expect(try Self.faults("entity A\n  a: Decimal, places 39\n").contains("0 to 38"))
    #expect(
      try Self.faults("entity A\n  a: Decimal, places x\n").contains("number of decimal places"))
    #expect(try Self.model("entity A\n  a: Decimal, places 38\n").entities.count == 1)
    var description = try Self.model().description
    description.entities[0].declaredProperties = [
      .attribute(Attribute("a", .string, validation: .init(precision: .day)))
    ]
    let error = #expect(throws: ModelError.self) { try Model(description) }
    #expect(error?.faults.map(\.code) == [.wrongPrecision])
  }

  @Test("A default value that is too fine is reported")
  func defaults() throws {
    let faults = try Self.model(
      "entity A\n  a: Day = \"2026-04-20T09:30:00Z\"\n  b: Decimal = 1.234, places 2\n"
    ).warnings.map(\.description)

    #expect(faults.count == 2)
    #expect(faults.first?.contains("2026-04-20T09:30:00Z must be a day without a time") == true)
    #expect(faults.last?.contains("1.234 must have at most 2 decimal places") == true)
  }

  @Test("Only midnights in UTC are days, of any year and sign")
  func acceptedDays() {
    let day = Attribute.Precision.day
    for number in [0, 1, -1, 9_000, -700_000, 1e6] { #expect(day.accepts(Self.day(number))) }
    for seconds in [1, -1, 0.001, 43_200, .infinity, .nan] {
      #expect(!day.accepts(.date(Date(timeIntervalSinceReferenceDate: seconds))))
    }
    #expect(day.accepts(.null) && day.accepts(.string("x")))
  }

  @Test(
    "Numbers have at most the allowed places, without the zeros at their end",
    arguments: [
      ("30676.20", 2, true), ("30676.200", 2, true), ("30676.201", 2, false), ("1e30", 0, true),
      ("0.1", 0, false), ("0", 0, true), ("-0.01", 2, true), ("NaN", 2, true),
    ])
  func acceptedPlaces(_ text: String, _ places: Int, _ isAccepted: Bool) {
    let value = text == "NaN" ? Value.decimal(.nan) : Self.decimal(text)
    #expect(Attribute.Precision.places(places).accepts(value) == isAccepted)
  }

  @Test("Texts show the precision exactly, or the whole value")
  func texts() {
    let text = ValueText.exchange
    #expect(text.text(Self.day(9_240), .day) == "2026-04-20")
    #expect(
      text.text(.date(Date(timeIntervalSinceReferenceDate: 1)), .day) == "2001-01-01T00:00:01Z")
    #expect(text.text(.date(Date(timeIntervalSinceReferenceDate: -0.0)), .day) == "@-0.0")
    for (number, places, expected) in [
      ("30676.2", 2, "30676.20"), ("0", 2, "0.00"), ("-0.5", 2, "-0.50"), ("12", 0, "12"),
      ("1200", 2, "1200.00"), ("1.239", 2, "1.239"), ("0.05", 3, "0.050"),
      ("1e20", 1, "100000000000000000000.0"),
    ] {
      #expect(text.text(Self.decimal(number), .places(places)) == expected)
      #expect(text.value(expected, of: .decimal) == Self.decimal(number))
    }
    #expect(text.text(.decimal(.nan), .places(2)) == "nan")
    #expect(text.text(.double(1.5), .places(2)) == "1.5")
  }

  @Test("A difference names the precision, and hashes do not see it")
  func difference() throws {
    let old = try Self.model(
      "entity A\n  born: Date\n  price: Decimal, places 3\n  c: Day, min \"2026-01-01\"\n")
    let new = try Self.model(
      "entity A\n  born: Day\n  price: Decimal, places 2\n  c: Day, min \"2026-01-02\"\n")
    let difference = ModelDifference(from: old, to: new)

    #expect(
      difference.description == """
        A.born: day changed from no to yes
        A.c: minimum changed from 2026-01-01 to 2026-01-02
        A.price: places changed from 3 to 2
        """)
    #expect(!difference.isSeenByHashes)
  }
}
