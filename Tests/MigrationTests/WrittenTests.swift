import Foundation
import Migration
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Synchronization
import Testing

/// People, their dogs and their clubs, in two versions.
enum People {
  static let old = model(
    Entity(
      "Person", .text("name"), .text("firstName"), .text("lastName"), .number("age"),
      .many("dogs", "Dog", back: "owner"), .many("clubs", "Club", back: "members"),
      .one("spouse", "Person", back: "spouse")),
    Entity("Dog", .text("name"), .one("owner", "Person", back: "dogs")),
    Entity(
      "Club", .text("name"), .many("members", "Person", back: "clubs", ordered: true)),
    Entity("Draft", .text("name")))
  static let new = model(
    Entity(
      "Contact", .text("name"), .text("fullName"), .number("years", .double), .text("remark"),
      .many("dogs", "Dog", back: "owner"), .many("clubs", "Club", back: "members"),
      .one("spouse", "Contact", back: "spouse"), was: "Person"),
    Entity("Dog", .text("name"), .one("owner", "Contact", back: "dogs")),
    Entity(
      "Club", .text("name"), .many("members", "Contact", back: "clubs", ordered: true)),
    Entity("Setting", .text("name")))

  static func fill(_ context: ManagedObjectContext) throws {
    var people: [ManagedObject] = []
    for (first, last, age) in [("Ada", "Byron", 36), ("Alan", "Turing", 41), ("Tim", "Young", 9)] {
      let person = try context.insert("Person")
      try person.setValues([
        "name": .string(first), "firstName": .string(first), "lastName": .string(last),
        "age": .integer(Int64(age)),
      ])
      let dog = try context.insert("Dog")
      dog["name"] = .string("\(first)'s dog")
      dog.setObjects([person], forKey: "owner")
      people.append(person)
    }
    people[0].setObjects([people[1]], forKey: "spouse")
    let club = try context.insert("Club")
    club["name"] = .string("Chess")
    club.setObjects([people[2], people[0], people[1]], forKey: "members")
    try context.insert("Draft")["name"] = .string("gone")
  }

  static let text = """
    # People become contacts.
    from "People 1"
    to "People 2"

    map Person -> Contact
      where age >= 18
      fullName = $source.firstName + ' ' + $source.lastName
      years = $source.age * 1.5
    remove Draft
    """
}

@Suite("Written mappings")
struct WrittenTests {
  @Test(
    "Objects follow the mapping, and the parts that the mapping omits are inferred",
    arguments: Kind.allCases)
  func mapped(_ kind: Kind) throws {
    let mapping = try MappingModel(People.text, from: People.old, to: People.new)
    #expect(
      mapping.entityMappings.map(\.name) == [
        "PersonToContact", "Draft", "DogToDog", "ClubToClub", "Setting",
      ])
    let world = World(kind)
    try world.make(People.old, People.fill)
    let migrator = Migrator(mappings: [mapping]).allowingLoss
    let plan = try migrator.plan(forStoreAt: World.path, to: People.new, in: world.places)
    #expect(plan.losses.map(\.description) == ["Draft is removed with its objects."])
    #expect(plan.rewrites)
    try migrator.migrate(storeAt: World.path, to: People.new, in: world.places)
    let found = try world.dump(People.new)
    #expect(
      found == [
        "Club members=[Ada,Alan] name=Chess",
        "Contact clubs=[Chess] dogs=[Ada's dog] fullName=Ada Byron name=Ada spouse=Alan years=54.0",
        "Contact clubs=[Chess] dogs=[Alan's dog] fullName=Alan Turing name=Alan spouse=Ada years=61.5",
        "Dog name=Ada's dog owner=Ada", "Dog name=Alan's dog owner=Alan", "Dog name=Tim's dog",
      ])
    #expect(try world.faults() == [])
    #expect(try world.files() == ["Trips.store"])
  }

  /// Splits each person into a contact and a setting, and reads the objects of both versions in each step.
  final class SplittingPolicy: EntityMigrationPolicy {
    let seen: Mutex<[String]>
    let sink: Seen2
    init(_ sink: Seen2) {
      seen = Mutex([])
      self.sink = sink
    }

    private func note(_ step: String, _ manager: MigrationManager) throws {
      let old = try manager.sourceContext.count(for: FetchRequest("Person"))
      let new = try manager.destinationContext.count(for: FetchRequest("Contact"))
      sink.add("\(step) \(old) \(new)")
    }

    override func begin(_ mapping: EntityMapping, _ manager: MigrationManager) throws {
      try note("begin", manager)
    }
    override func createDestinationInstances(
      for source: ManagedObject, _ mapping: EntityMapping, _ manager: MigrationManager
    ) throws {
      try super.createDestinationInstances(for: source, mapping, manager)
      let made = manager.destinationInstances(of: mapping.name, for: [source])
      made[0]["remark"] = .string("was \(source["firstName"].text)")
      let setting = try manager.destinationContext.insert("Setting")
      setting["name"] = source["lastName"]
    }
    override func endInstanceCreation(_ mapping: EntityMapping, _ manager: MigrationManager) throws
    {
      try note("made", manager)
    }
    override func createRelationships(
      for destination: ManagedObject, _ mapping: EntityMapping, _ manager: MigrationManager
    ) throws {
      try super.createRelationships(for: destination, mapping, manager)
      let before = manager.sourceInstances(for: [destination])
      sink.add("related \(before[0]["firstName"].text)")
    }
    override func endRelationshipCreation(
      _ mapping: EntityMapping, _ manager: MigrationManager
    ) throws { try note("led", manager) }
    override func validate(_ mapping: EntityMapping, _ manager: MigrationManager) throws {
      try note("validate", manager)
    }
    override func end(_ mapping: EntityMapping, _ manager: MigrationManager) throws {
      try note("end", manager)
    }
    override func value(
      of function: String, _ arguments: [MappingValue], _ manager: MigrationManager
    ) throws -> MappingValue {
      guard function == "shout:", case .value(.string(let text))? = arguments.first else {
        return try super.value(of: function, arguments, manager)
      }
      return .value(.string(text.uppercased() + "!"))
    }
  }

  final class Seen2: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  @Test(
    "A policy can read both versions in each step, and its functions can be called",
    arguments: Kind.allCases)
  func policy(_ kind: Kind) throws {
    let mapping = try MappingModel(
      """
      map Person -> Contact using Splitting
        fullName = FUNCTION($entityPolicy, "shout:", $source.lastName)
        dogs = FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", \
               "DogToDog", $source.dogs)
      """, from: People.old, to: People.new)
    let sink = Seen2()
    var migrator = Migrator(mappings: [mapping]).allowingLoss
    let world = World(kind)
    try world.make(People.old, People.fill)
    let missing = #expect(throws: MigrationError.self) {
      try migrator.migrate(storeAt: World.path, to: People.new, in: world.places)
    }
    #expect(missing?.code == .missingPolicy)
    #expect(missing?.message.contains("names the policy \"Splitting\"") ?? false)
    // A dry run fails in the same way.
    let planned = #expect(throws: MigrationError.self) {
      try migrator.plan(forStoreAt: World.path, to: People.new, in: world.places)
    }
    #expect(planned?.code == .missingPolicy)
    migrator.policies["Splitting"] = { SplittingPolicy(sink) }
    try migrator.migrate(storeAt: World.path, to: People.new, in: world.places)
    #expect(
      sink.all == [
        "begin 3 0", "made 3 3", "related \"Ada\"", "related \"Alan\"", "related \"Tim\"",
        "led 3 3",
        "validate 3 3", "end 3 3",
      ])
    let dump = try world.dump(People.new)
    #expect(dump.contains("Setting name=Turing"))
    #expect(
      dump.contains(
        "Contact clubs=[Chess] dogs=[Tim's dog] fullName=YOUNG! name=Tim remark=was \"Tim\""))
    #expect(dump.contains("Club members=[Tim,Ada,Alan] name=Chess"))
    #expect(try world.faults() == [])
  }

  @Test(
    "Objects that would violate the model are all refused",
    arguments: Kind.allCases)
  func invalid(_ kind: Kind) throws {
    var contact = People.new["Contact"]!
    contact.uniquenessConstraints = [["remark"]]
    for index in contact.declaredProperties.indices {
      guard case .attribute(var attribute) = contact.declaredProperties[index] else { continue }
      if attribute.name == "years" { attribute.validation.maximum = .double(40) }
      if attribute.name == "remark" { attribute.isOptional = false }
      contact.declaredProperties[index] = .attribute(attribute)
    }
    let new = model(contact, People.new["Dog"]!, People.new["Club"]!, People.new["Setting"]!)
    let world = World(kind)
    try world.make(People.old, People.fill)
    for (remark, count) in [("null", 5), ("'same'", 4)] {
      let mapping = try MappingModel(
        """
        map Person -> Contact
          years = $source.age * 1.0
          remark = \(remark)
        """, from: People.old, to: new)
      let error = #expect(throws: MigrationError.self) {
        try Migrator(mappings: [mapping]).allowingLoss.migrate(
          storeAt: World.path, to: new, in: world.places)
      }
      #expect(error?.code == .invalidResult)
      // Two ages are above 40. Three remarks are missing, or two remarks equal the first remark.
      let found = (error?.failures.count ?? 0) + (error?.constraintConflicts.count ?? 0)
      #expect(found == count - 1, "\(error?.description ?? "")")
      #expect(try world.dump(People.old).count == 8)
      #expect(try world.files() == ["Trips.store"])
    }
  }

  @Test("A printed mapping reads back as the same mapping")
  func roundTrip() throws {
    let text = try WrittenMapping(People.text)
    #expect(text.sourceName == "People 1" && text.destinationName == "People 2")
    #expect(try WrittenMapping(text.description) == text)
    let odd = WrittenMapping(
      from: "a \"b\" \\c", to: nil,
      [
        EntityMapping(
          .custom, from: "A", to: "B", name: "using", where: try QueryPredicate("a == 'x # y'"),
          properties: [PropertyMapping("p", nil), try PropertyMapping("q.r", "{1, 2}[0]")],
          policy: "P Q", isExact: true),
        EntityMapping(.remove, from: "C"), EntityMapping(.add, to: "D"),
      ])
    #expect(try WrittenMapping(odd.description) == odd)
  }

  @Test(
    "A syntax error is reported with its line",
    arguments: [
      ("mop A -> B", "line 1: Expected from, to, map, copy, remove, add or run, and found \"mop\""),
      ("\n  x = 1", "line 2: No mapping precedes this indented line"),
      ("map A B", "line 1: \"map\" needs two entities"),
      ("map A ->", "line 1: \"map\" needs a second entity"),
      ("map A -> B\n  x = (1", "line 2:"), ("map A -> B\n  x", "line 2: Expected where"),
      ("map A -> B\n  x = 1\n  x = 2", "line 3: \"x\" has a value in this mapping already"),
      ("map A -> B\n  where a == 1\n  where b == 1", "line 3: The mapping has a \"where\" already"),
      ("map \"A -> B", "line 1: A name has no closing quotation mark"),
      ("remove A B", "line 1: Expected as, using or exactly, and found \"B\""),
      ("from A B", "line 1: Expected the end of the line"),
      ("map A -> B using", "line 1: \"map\" needs"),
    ])
  func unreadable(_ text: String, _ message: String) throws {
    let error = #expect(throws: MigrationError.self) { try WrittenMapping(text) }
    #expect(error?.code == .badMapping)
    #expect(error?.message.hasPrefix(message) ?? false, "\(error?.message ?? "")")
  }

  @Test(
    "A mapping that does not fit the models is refused with the wrong name",
    arguments: [
      ("map Persn -> Contact", "names \"Persn\", which is not an entity of the older model"),
      ("map Person -> Contract", "names \"Contract\", which is not an entity of the newer model"),
      (
        "map Person -> Contact\n  shoe = 1",
        "gives a value to \"shoe\", but \"Contact\" does not have this property"
      ),
      ("map Person -> Contact\nmap Person -> Contact", "Two mappings have the name"),
      ("map Dog -> Contact", "No mapping takes the objects of \"Person\""),
    ])
  func notBorneOut(_ text: String, _ message: String) throws {
    let error = #expect(throws: MigrationError.self) {
      try MappingModel(text, from: People.old, to: People.new)
    }
    #expect(error?.code == .badMapping || error?.code == .notInferable)
    #expect(error?.description.contains(message) ?? false, "\(error?.description ?? "")")
  }

  @Test(
    "The error for an expression without a usable value names the property or function",
    arguments: [
      ("fullName = $source.shoe", "shoe"),
      ("years = $source.firstName", "a value for \"years\""),
      ("fullName = $other.firstName", "The variable \"$other\" is unknown here"),
      ("fullName = FUNCTION($entityPolicy, \"nothing\")", "has no function \"nothing\""),
      ("years = $manager", "The variable \"$manager\" is unknown here"),
      ("fullName = $source.firstName.absolute", "absolute"),
      ("fullName = $source.age.absoluteString", "\"absoluteString\" is a method of text"),
      ("fullName = $source.dogs.name.lowercaseString", "lowercaseString"),
      ("fullName = $source", "is an object"),
      (
        "dogs = FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", "
          + "\"Nowhere\", $source.dogs)", "The mapping \"Nowhere\" does not exist"
      ),
    ])
  func wrongValues(_ line: String, _ message: String) throws {
    let world = World(.binary)
    try world.make(People.old, People.fill)
    // A dry run finds what the migration would find.
    for isDry in [true, false] {
      let error = #expect(throws: (any Error).self) {
        let mapping = try MappingModel(
          "map Person -> Contact\n  \(line)", from: People.old, to: People.new)
        let migrator = Migrator(mappings: [mapping]).allowingLoss
        if isDry {
          _ = try migrator.plan(forStoreAt: World.path, to: People.new, in: world.places)
        } else {
          try migrator.migrate(storeAt: World.path, to: People.new, in: world.places)
        }
      }
      #expect("\(error!)".contains(message), "\(error!)")
    }
    #expect(try world.dump(People.old).count == 8)
    #expect(try world.files() == ["Trips.store"])
  }
}
