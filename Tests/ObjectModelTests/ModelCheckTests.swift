import Foundation
import Testing

@testable import ObjectModel

@Suite("Checks on models")
struct ModelCheckTests {
  /// A change that breaks the trip model, and the expected fault.
  struct Fault: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var code: ModelFault.Code
    var place: [String]
    var words: String
    var severity = ModelFault.Severity.error
    var mutation: @Sendable (inout Model.Description) -> Void

    init(
      _ title: String, _ code: ModelFault.Code, _ place: String, says words: String,
      _ severity: ModelFault.Severity = .error,
      _ mutation: @escaping @Sendable (inout Model.Description) -> Void
    ) {
      testDescription = title
      self.code = code
      self.place = place.split(separator: ".").map(String.init)
      self.words = words
      self.severity = severity
      self.mutation = mutation
    }
  }

  static let names = [
    Fault("Empty entity name", .invalidName, "", says: "The entity has no name.") {
      $0.entities.append(Entity(""))
    },
    Fault("Entity name that is not an identifier", .invalidName, "My Trip", says: "letter") {
      $0.entities.append(Entity("My Trip"))
    },
    Fault("Property name that begins with a digit", .invalidName, "Trip.1st", says: "\"1st\"") {
      $0["Trip"].declaredProperties.append(.attribute(Attribute("1st", .string)))
    },
    Fault("Two entities of one name", .duplicateName, "Trip", says: "more than one entity") {
      $0.entities.append(Entity("Trip"))
    },
    Fault("Two properties of one name", .duplicateName, "Trip.days", says: "one property") {
      $0["Trip"].declaredProperties.append(.attribute(Attribute("days", .string)))
    },
    Fault("Two composite types of one name", .duplicateName, "Address", says: "composite") {
      $0.composites.append(CompositeType("Address", attributes: []))
    },
    Fault("Two configurations of one name", .duplicateName, "main", says: "configuration") {
      $0.configurations.append(Configuration("main", entities: []))
    },
    Fault("Two templates of one name", .duplicateName, "all", says: "template") {
      $0.fetchRequestTemplates.append(FetchRequestTemplate("all", entity: "Stop"))
    },
    Fault("Two indexes of one name", .duplicateName, "Trip.byName", says: "index", .warning) {
      $0["Trip"].fetchIndexes.append(FetchIndex("byName", elements: [.init("start")]))
    },
    Fault(
      "Names that differ in case only", .namesDifferInCaseOnly, "Trip.DAYS", says: "\"days\"",
      .warning
    ) { $0["Trip"].declaredProperties.append(.attribute(Attribute("DAYS", .string))) },
    Fault("Inherited property declared again", .redeclaredProperty, "Stop.name", says: "\"Place\"")
    {
      $0["Stop"].declaredProperties.append(.attribute(Attribute("name", .string)))
    },
  ]

  static let inheritance = [
    Fault(
      "Unknown superentity", .unknownSuperentity, "Stop", says: "Did you mean \"Place\"?"
    ) { $0["Stop"].superentity = "Plce" },
    Fault(
      "Entity that inherits from itself", .cyclicInheritance, "Trip", says: "Trip → Trip"
    ) { $0["Trip"].superentity = "Trip" },
    Fault(
      "Entities that inherit from each other", .cyclicInheritance, "Place",
      says: "Place → Stop → Place"
    ) { $0["Place"].superentity = "Stop" },
  ]

  static let attributes = [
    Fault("No type", .typeNotStorable, "Trip.days", says: "make it transient") {
      $0[attribute: "days", of: "Trip"] = Attribute("days", .undefined)
    },
    Fault("Object identifier stored", .typeNotStorable, "Trip.days", says: "ObjectID") {
      $0[attribute: "days", of: "Trip"] = Attribute("days", .objectID)
    },
    Fault("Default of another type", .wrongDefault, "Trip.days", says: "\"x\" is text") {
      $0[attribute: "days", of: "Trip"].defaultValue = .string("x")
    },
    Fault("Default out of range", .wrongDefault, "Trip.days", says: "40000 is out of range") {
      $0[attribute: "days", of: "Trip"].defaultValue = .integer(40_000)
    },
    Fault(
      "Default below the minimum", .defaultFailsValidation, "Trip.days", says: "minimum 1", .warning
    ) { $0[attribute: "days", of: "Trip"].defaultValue = .integer(0) },
    Fault(
      "Default text too long", .defaultFailsValidation, "Trip.name", says: "3 characters", .warning
    ) {
      $0[attribute: "name", of: "Trip"].defaultValue = .string("abc")
      $0[attribute: "name", of: "Trip"].validation.maximum = .integer(2)
    },
    Fault("Bound of another type", .wrongBound, "Trip.days", says: "minimum 1.5") {
      $0[attribute: "days", of: "Trip"].validation.minimum = .double(1.5)
    },
    Fault("Bound of text that is text", .wrongBound, "Trip.name", says: "numbers of characters") {
      $0[attribute: "name", of: "Trip"].validation.maximum = .string("z")
    },
    Fault("Negative length", .wrongBound, "Trip.name", says: "-1 is negative") {
      $0[attribute: "name", of: "Trip"].validation.minimum = .integer(-1)
    },
    Fault("Bound where none can be", .wrongBound, "Stop.photo", says: "Binary have no bounds") {
      $0[attribute: "photo", of: "Stop"].validation.minimum = .integer(1)
    },
    Fault("Minimum above maximum", .emptyBounds, "Trip.days", says: "1 is greater than") {
      $0[attribute: "days", of: "Trip"].validation.maximum = .integer(0)
    },
    Fault("Bad regular expression", .wrongPattern, "Trip.name", says: "\"[a-\"") {
      $0[attribute: "name", of: "Trip"].validation.pattern = "[a-"
    },
    Fault("Pattern for a number", .wrongPattern, "Trip.days", says: "Integer 16") {
      $0[attribute: "days", of: "Trip"].validation.pattern = "[0-9]"
    },
    Fault("Composite of no type", .missingComposite, "Place.address", says: "does not name") {
      $0[attribute: "address", of: "Place"].compositeName = nil
    },
    Fault("Composite type on text", .missingComposite, "Trip.name", says: "instead of Composite") {
      $0[attribute: "name", of: "Trip"].compositeName = "Address"
    },
    Fault("Unknown composite type", .unknownComposite, "Place.address", says: "mean \"Address\"?") {
      $0[attribute: "address", of: "Place"].compositeName = "Adress"
    },
    Fault("Derived part of a composite", .wrongDerivation, "Address.city", says: "can't be derived")
    {
      $0.composites[0].attributes[1].derivation = .init("now()")
    },
    Fault("Composite type in itself", .recursiveComposite, "Address", says: "contains itself") {
      $0.composites[0].attributes.append(
        Attribute("next", .composite, compositeName: "Address"))
    },
  ]

  static let derivations = [
    ("sum:(stops", "is not supported"),
    ("sum(stops.name)", "is not supported"),
    ("median:(stops.name)", "is not supported"),
    ("stops..name", "is not supported"),
    ("", "is not supported"),
    ("name.@lowercase", "is not supported"),
    ("count:(stop)", "no property \"stop\". Did you mean \"stops\"?"),
    ("count:(name)", "to-many relationship"),
    ("stops.name", "to-one relationships only"),
    ("canonical:(days)", "needs text"),
    ("sum:(stops.name)", "needs numbers"),
    ("max:(days)", "at the end of a to-many relationship"),
    ("count:(stops.place)", "no property \"place\""),
    ("max:(stops.address.town)", "\"address\" has no part \"town\""),
    ("name.length", "\"name\" has no part \"length\""),
  ]

  static let relationships = [
    Fault("Unknown destination", .unknownDestination, "Trip.stops", says: "mean \"Stop\"?") {
      $0[relationship: "stops", of: "Trip"].destination = "Stops"
      $0[relationship: "trip", of: "Stop"].inverse = nil
    },
    Fault("No inverse", .missingInverse, "Trip.last", says: "from \"Stop\" to \"Trip\"", .warning) {
      $0["Trip"].declaredProperties.append(.relationship(Relationship("last", to: "Stop")))
    },
    Fault("Unknown inverse", .unknownInverse, "Trip.last", says: "mean \"trip\"?") {
      $0["Trip"].declaredProperties.append(
        .relationship(Relationship("last", to: "Stop", inverse: "tripp")))
    },
    Fault("Inverse that is an attribute", .unknownInverse, "Trip.last", says: "not a relationship")
    {
      $0["Trip"].declaredProperties.append(
        .relationship(Relationship("last", to: "Stop", inverse: "photo")))
    },
    Fault("One-sided inverse", .oneSidedInverse, "Stop.trip", says: "must be \"Stop.trip\"") {
      $0[relationship: "stops", of: "Trip"].inverse = nil
    },
    Fault(
      "Inverse that belongs to another", .mismatchedInverse, "Trip.last",
      says: "have the inverse \"last\""
    ) {
      $0["Trip"].declaredProperties.append(
        .relationship(Relationship("last", to: "Stop", inverse: "trip")))
    },
    Fault(
      "Inverse that leads elsewhere", .mismatchedInverse, "Note.owner", says: "refer to \"Note\""
    ) {
      $0.entities.append(
        Entity(
          "Note",
          properties: [.relationship(Relationship("owner", to: "Trip", inverse: "stops"))]))
    },
    Fault(
      "Inverse said to belong to another entity", .mismatchedInverse, "Trip.stops",
      says: "relationship of \"Stop\""
    ) { $0[relationship: "stops", of: "Trip"].inverseEntity = "Place" },
    Fault("Negative count", .wrongCount, "Trip.stops", says: "minimum of -1") {
      $0[relationship: "stops", of: "Trip"].count.minimum = -1
    },
    Fault(
      "Least above greatest", .wrongCount, "Trip.stops", says: "minimum of 3 and the maximum of 2"
    ) {
      $0[relationship: "stops", of: "Trip"].count = .init(minimum: 3, maximum: 2)
    },
    Fault("Ordered to-one", .orderedToOne, "Stop.trip", says: "at most one object", .warning) {
      $0[relationship: "trip", of: "Stop"].isOrdered = true
    },
  ]

  static let references = [
    Fault("Constraint over nothing", .emptyList, "Trip", says: "names no property") {
      $0["Trip"].uniquenessConstraints.append([])
    },
    Fault(
      "Constraint over the unknown", .unknownProperty, "Trip.nam", says: "Did you mean \"name\"?"
    ) { $0["Trip"].uniquenessConstraints = [["nam"]] },
    Fault("Constraint over the transient", .propertyNotIndexable, "Trip.note", says: "not stored") {
      $0["Trip"].uniquenessConstraints = [["note"]]
    },
    Fault("Constraint over to-many", .propertyNotIndexable, "Trip.stops", says: "to-many") {
      $0["Trip"].uniquenessConstraints = [["stops"]]
    },
    Fault("Index over the unknown", .unknownProperty, "Trip.byName", says: "\"title\"") {
      $0["Trip"].fetchIndexes[0].elements[0].property = "title"
    },
    Fault("Index over part of no composite", .propertyNotIndexable, "Trip.byName", says: "no part")
    {
      $0["Trip"].fetchIndexes[0].elements[0].property = "name.first"
    },
    Fault(
      "Compound index over to-many", .propertyNotIndexable, "Trip.stops", says: "to-many", .warning
    ) { $0["Trip"].compoundIndexes = [["name", "stops"]] },
    Fault("Index over to-many", .propertyNotIndexable, "Trip.byName", says: "to-many", .warning) {
      $0["Trip"].fetchIndexes[0].elements[0].property = "stops"
    },
    Fault(
      "Index of the words of a number", .propertyNotIndexable, "Trip.byName",
      says: "is for the words of \"days\", an attribute of the type Integer 16.", .warning
    ) { $0["Trip"].fetchIndexes[0].elements = [.init("days", kind: .fullText)] },
    Fault(
      "Index of the words of a relationship", .propertyNotIndexable, "Stop.words",
      says: "is for the words of \"trip\", a relationship.", .warning
    ) {
      $0["Stop"].fetchIndexes = [
        FetchIndex("words", elements: [.init("trip", kind: .fullText)])
      ]
    },
    Fault(
      "Index over an expression", .propertyNotIndexable, "Trip.byName", says: "lowercase", .warning
    ) {
      $0["Trip"].fetchIndexes[0].elements = [
        .init("expression0", expression: "lowercase:(name)"), .init("name"),
      ]
    },
    Fault(
      "Index over nothing but an expression", .propertyNotIndexable, "Trip.byName",
      says: "expression0", .warning
    ) { $0["Trip"].fetchIndexes[0].elements = [.init("expression0", expression: "")] },
    Fault(
      "Compound index over the object itself", .propertyNotIndexable, "Trip.self",
      says: "not a property", .warning
    ) { $0["Trip"].compoundIndexes = [["name", "self"]] },
    Fault(
      "Compound index over the entity", .propertyNotIndexable, "Trip.entity",
      says: "not a property", .warning
    ) { $0["Trip"].compoundIndexes = [["entity"]] },
    Fault("Constraint over the object itself", .unknownProperty, "Trip.self", says: "\"self\"") {
      $0["Trip"].uniquenessConstraints = [["self"]]
    },
    Fault("Configuration of the unknown", .unknownEntity, "main", says: "mean \"Trip\"?") {
      $0.configurations[0].entities.append("Tripp")
    },
    Fault("Configuration that names twice", .duplicateName, "main", says: "more than once") {
      $0.configurations[0].entities.append("Trip")
    },
    Fault(
      "Configuration that relationships leave", .leavesConfiguration, "some",
      says: "use a fetched property", .warning
    ) { $0.configurations.append(Configuration("some", entities: ["Trip"])) },
    Fault("Template of the unknown", .unknownEntity, "all", says: "template fetches") {
      $0.fetchRequestTemplates[0].entity = "Nothing"
    },
    Fault("Negative limit", .negativeLimit, "all", says: "limit -1") {
      $0.fetchRequestTemplates[0].fetchLimit = -1
    },
    Fault("Fetched property of the unknown", .unknownEntity, "Trip.found", says: "mean \"Stop\"?") {
      $0["Trip"].declaredProperties.append(
        .fetched(FetchedProperty("found", request: FetchRequestTemplate("", entity: "Stp"))))
    },
  ]

  @Test(
    "A fault has a code and a place, and its message states the remedy",
    arguments: names + inheritance + attributes + relationships + references)
  func faults(_ fault: Fault) throws {
    var description = TripModel.description
    fault.mutation(&description)

    let found = Model.faults(in: description)

    let matching = found.filter { $0.code == fault.code && $0.severity == fault.severity }
    let place = matching.map { [$0.entity, $0.property].compactMap { $0 }.filter { $0 != "" } }
    #expect(place.contains(fault.place), "\(found)")
    #expect(matching.contains { $0.message.contains(fault.words) }, "\(found)")
    if fault.severity == .error {
      #expect(throws: ModelError.self) { try Model(description) }
    } else {
      #expect(try Model(description).warnings == found)
    }
    #expect(throws: ModelError(faults: found)) { try Model(description, strict: true) }
  }

  @Test("A derived attribute that cannot be derived is reported", arguments: derivations)
  func derivation(_ expression: String, says words: String) throws {
    var description = TripModel.description
    description[attribute: "stopCount", of: "Trip"].derivation = .init(expression)

    let found = Model.faults(in: description)

    #expect(found.map(\.code) == [.wrongDerivation])
    #expect(found.allSatisfy { $0.message.contains(words) }, "\(found)")
  }

  @Test(
    "A derived attribute that can be derived is accepted",
    arguments: [
      "now()", "now:()", "name", "canonical:(name)", "lowercase:( name )", "count:(stops)",
      "stops.@count", "max:(stops.name)", "stops.name.@min", "min:(stops.address.city)",
      "stops.trip.budget.@sum", "average:(stops.trip.days)", "stops.trip.days.@avg",
    ])
  func derivable(_ expression: String) throws {
    var description = TripModel.description
    description[attribute: "stopCount", of: "Trip"].derivation = .init(expression)

    #expect(Model.faults(in: description) == [])
  }

  @Test("A model with one of each part has no fault")
  func faultless() throws {
    #expect(Model.faults(in: TripModel.description) == [])
  }

  @Test("All faults are reported together, without faults that follow from them")
  func together() throws {
    var description = TripModel.description
    description["Stop"].superentity = "Nowhere"
    description["Stop"].uniquenessConstraints = [["name"]]
    description[attribute: "days", of: "Trip"].defaultValue = .boolean(true)
    description[attribute: "start", of: "Trip"].validation.pattern = "x"

    let error = #expect(throws: ModelError.self) { try Model(description) }

    #expect(
      error?.faults.map(\.code) == [.unknownSuperentity, .wrongPattern, .wrongDefault])
    #expect(error?.description.split(separator: "\n").count == 3)
  }

  @Test("A relationship and its inverse may match through inheritance")
  func inverseThroughInheritance() throws {
    // An abstract entity declares the relationship, while the inverse leads to a subentity.
    let model = try Model(entities: [
      Entity(
        "Item", isAbstract: true,
        properties: [.relationship(Relationship("box", to: "Box", inverse: "things"))]),
      Entity("Thing", superentity: "Item"),
      Entity(
        "Box",
        properties: [
          .relationship(Relationship("things", to: "Thing", inverse: "box", count: .toMany))
        ]),
      Entity(
        "Friend",
        properties: [
          .relationship(
            Relationship("friends", to: "Friend", inverse: "friends", count: .toMany))
        ]),
    ])

    #expect(model.warnings.isEmpty)
  }

  @Test("Names of any script and reserved words are accepted")
  func acceptedNames() throws {
    let names = ["_X__URL", "größe", "名前", "AND", "self", "a1"]
    let model = try Model(entities: [
      Entity("Ünïcode", properties: names.map { .attribute(Attribute($0, .string)) })
    ])

    #expect(model.properties(of: "Ünïcode").count == names.count)
  }
}
