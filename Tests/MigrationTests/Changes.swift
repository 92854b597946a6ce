import Foundation
import Migration
import ObjectGraph
import ObjectModel
import ObjectQuery
import Testing

/// One change of a model that can be inferred, with objects before and after.
struct Change: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let old: Model
  let new: Model
  /// Whether the migration writes no row.
  let isInPlace: Bool
  let fill: @Sendable (ManagedObjectContext) throws -> Void
  let expected: [String]
  let losses: [String]

  init(
    _ name: String, inPlace: Bool, from old: Model, to new: Model, losses: [String] = [],
    expected: [String], _ fill: @escaping @Sendable (ManagedObjectContext) throws -> Void
  ) {
    testDescription = name
    isInPlace = inPlace
    (self.old, self.new) = (old, new)
    self.fill = fill
    self.expected = expected
    self.losses = losses
  }
}

extension Change {
  /// Inserts two trips with two stops each, and their owners if the model has owners.
  static func trips(_ context: ManagedObjectContext) throws {
    for name in ["Lisbon", "Rome"] {
      let trip = try context.insert("Trip")
      trip["name"] = .string(name)
    }
  }

  static func tripsAndStops(_ context: ManagedObjectContext) throws {
    for name in ["Lisbon", "Rome"] {
      let trip = try context.insert("Trip")
      trip["name"] = .string(name)
      for place in ["a", "b"] {
        let stop = try context.insert("Stop")
        stop["name"] = .string(name + place)
        stop.setObjects([trip], forKey: "trip")
      }
    }
  }

  /// Inserts a trip with three stops in an order that differs from the order of insertion.
  static func stopsInOrder(_ context: ManagedObjectContext) throws {
    let trip = try context.insert("Trip")
    trip["name"] = .string("Lisbon")
    let stops = try ["a", "b", "c"].map { name in
      let stop = try context.insert("Stop")
      stop["name"] = .string(name)
      return stop
    }
    trip.setObjects([stops[1], stops[2], stops[0]], forKey: "stops")
  }

  static let one = Entity("Trip", .text("name"), .many("stops", "Stop", back: "trip"))
  static let stop = Entity("Stop", .text("name"), .one("trip", "Trip", back: "stops"))
  static let plain = [
    "Stop name=Lisbona trip=Lisbon", "Stop name=Lisbonb trip=Lisbon", "Stop name=Romea trip=Rome",
    "Stop name=Romeb trip=Rome", "Trip name=Lisbon stops=[Lisbona,Lisbonb]",
    "Trip name=Rome stops=[Romea,Romeb]",
  ]

  static let all: [Change] = attributes + relationships + entities

  static let attributes: [Change] = [
    Change(
      "an optional attribute is added", inPlace: true,
      from: model(Entity("Trip", .text("name"))),
      to: model(Entity("Trip", .text("name"), .text("note"))),
      expected: ["Trip name=Lisbon", "Trip name=Rome"], trips),
    Change(
      "a required attribute with a default is added", inPlace: true,
      from: model(Entity("Trip", .text("name"))),
      to: model(
        Entity(
          "Trip", .text("name"), .number("days", required: true, standard: .integer(7)))),
      expected: ["Trip days=7 name=Lisbon", "Trip days=7 name=Rome"], trips),
    Change(
      "an attribute is removed", inPlace: true,
      from: model(Entity("Trip", .text("name"), .text("note"))),
      to: model(Entity("Trip", .text("name"))), losses: ["Trip.note is removed."],
      expected: ["Trip name=Lisbon", "Trip name=Rome"]
    ) { context in
      try trips(context)
      for trip in try context.fetch(FetchRequest("Trip")) { trip["note"] = .string("x") }
    },
    Change(
      "an attribute is renamed", inPlace: true,
      from: model(Entity("Trip", .text("name"))),
      to: model(Entity("Trip", .text("title", was: "name"))),
      expected: ["Trip title=Lisbon", "Trip title=Rome"], trips),
    Change(
      "two attributes swap their names", inPlace: true,
      from: model(Entity("Trip", .text("name"), .number("note", .int16))),
      to: model(Entity("Trip", .number("name", .int32, was: "note"), .text("note", was: "name"))),
      expected: ["Trip name=7 note=Lisbon", "Trip name=7 note=Rome"]
    ) { context in
      try trips(context)
      for trip in try context.fetch(FetchRequest("Trip")) { trip["note"] = .integer(7) }
    },
    Change(
      "an attribute of the same renaming identifier is renamed again", inPlace: true,
      from: model(Entity("Trip", .text("name", was: "called"))),
      to: model(Entity("Trip", .text("title", was: "called"), .text("name", was: "other"))),
      expected: ["Trip title=Lisbon", "Trip title=Rome"], trips),
    Change(
      "a required attribute becomes optional", inPlace: true,
      from: model(Entity("Trip", .text("name", required: true))),
      to: model(Entity("Trip", .text("name"))),
      expected: ["Trip name=Lisbon", "Trip name=Rome"], trips),
    Change(
      "an optional attribute becomes required, with a default", inPlace: false,
      from: model(Entity("Trip", .text("name"), .text("note"))),
      to: model(Entity("Trip", .text("name"), .text("note", required: true, standard: "none"))),
      expected: ["Trip name=Lisbon note=none", "Trip name=Rome note=some"]
    ) { context in
      try trips(context)
      let rome = try context.fetch(
        FetchRequest("Trip", matching: ["name": .string("Rome")]))[0]
      rome["note"] = .string("some")
    },
    Change(
      "numbers become wider", inPlace: true,
      from: model(
        Entity(
          "Trip", .text("name"), .number("a", .int16), .number("b", .int32), .number("c", .float))),
      to: model(
        Entity(
          "Trip", .text("name"), .number("a", .int64), .number("b", .decimal), .number("c", .double)
        )),
      expected: [
        "Trip a=-7 b=70000 c=0.5 name=Lisbon", "Trip a=-7 b=70000 c=0.5 name=Rome",
      ]
    ) { context in
      try trips(context)
      for trip in try context.fetch(FetchRequest("Trip")) {
        trip["a"] = .integer(-7)
        trip["b"] = .integer(70000)
        trip["c"] = .float(0.5)
      }
    },
    Change(
      "numbers become of another type, and identifiers texts", inPlace: false,
      from: model(
        Entity(
          "Trip", .text("name"), .number("a", .int64),
          .number("b", .int32, required: true, standard: .integer(0)),
          .number("c", .boolean), .number("d", .decimal), .number("e", .double),
          .number("f", .float), .number("g", .uuid), .number("h", .int64))),
      to: model(
        Entity(
          "Trip", .text("name"), .number("a", .double),
          .number("b", .float, required: true, standard: .float(0)),
          .number("c", .double), .number("d", .double), .number("e", .decimal),
          .number("f", .decimal), .text("g"), .number("i", .float, was: "h"))),
      expected: [
        "Trip a=-9007199254740992.0 b=16777216.0 c=1.0 d=0.25 e=0.1 f=0.1 "
          + "g=6FB9DF54-A60E-4A15-8D4B-111111111111 i=7.0 name=Lisbon",
        "Trip b=-3.0 name=Rome",
      ]
    ) { context in
      try context.insert("Trip").setValues([
        "name": .string("Lisbon"), "a": .integer(-9_007_199_254_740_992),
        "b": .integer(16_777_216), "c": .boolean(true),
        "d": .decimal(Decimal(string: "0.25")!), "e": .double(0.1), "f": .float(0.1),
        "g": .uuid(UUID(uuidString: "6FB9DF54-A60E-4A15-8D4B-111111111111")!),
        "h": .integer(7),
      ])
      try context.insert("Trip").setValues(["name": .string("Rome"), "b": .integer(-3)])
    },
    Change(
      "a stored attribute becomes transient, and a transient one stored", inPlace: true,
      from: model(
        Entity(
          "Trip", .text("name"), .text("gone"),
          .attribute(Attribute("kept", .string, isTransient: true)))),
      to: model(
        Entity(
          "Trip", .text("name"), .attribute(Attribute("gone", .string, isTransient: true)),
          .text("kept"))),
      losses: ["Trip.gone is not stored any more."],
      expected: ["Trip name=Lisbon", "Trip name=Rome"]
    ) { context in
      try trips(context)
      for trip in try context.fetch(FetchRequest("Trip")) { trip["gone"] = .string("x") }
    },
    Change(
      "a derived attribute is added", inPlace: false, from: model(one, stop),
      to: model(
        Entity(
          "Trip", .text("name"), .many("stops", "Stop", back: "trip"),
          .attribute(
            Attribute("count", .int64, derivation: Attribute.Derivation("stops.@count"))),
          .attribute(
            Attribute("folded", .string, derivation: Attribute.Derivation("canonical:(name)")))),
        stop),
      expected: plain.map { line in
        line.hasPrefix("Trip")
          ? line.replacing(
            "Trip ", with: "Trip count=2 folded=\(line.contains("Lisbon") ? "lisbon" : "rome") ")
          : line
      }, tripsAndStops),
    Change(
      "parts of a composite attribute are renamed, added and removed", inPlace: true,
      from: model(
        Entity(
          "Trip", .text("name"),
          .attribute(Attribute("place", .composite, compositeName: "Place"))),
        composites: [
          CompositeType(
            "Place",
            attributes: [Attribute("town", .string), Attribute("zip", .string)])
        ]),
      to: model(
        Entity(
          "Trip", .text("name"),
          .attribute(
            Attribute("site", .composite, compositeName: "Place", renamingIdentifier: "place"))),
        composites: [
          CompositeType(
            "Place",
            attributes: [
              Attribute("city", .string, renamingIdentifier: "town"), Attribute("land", .string),
            ])
        ]),
      losses: ["Trip.site.zip is removed."],
      expected: ["Trip name=Lisbon", "Trip name=Rome"]
    ) { context in
      try trips(context)
      for trip in try context.fetch(FetchRequest("Trip")) {
        trip["place.town"] = trip["name"]
        trip["place.zip"] = .string("1")
      }
    },
  ]

  static let relationships: [Change] = [
    Change(
      "a relationship is added", inPlace: true,
      from: model(Entity("Trip", .text("name")), Entity("Stop", .text("name"))),
      to: model(one, stop),
      expected: ["Stop name=a", "Trip name=Lisbon", "Trip name=Rome"]
    ) { context in
      try trips(context)
      try context.insert("Stop")["name"] = .string("a")
    },
    Change(
      "a relationship and its inverse are renamed", inPlace: true, from: model(one, stop),
      to: model(
        Entity("Trip", .text("name"), .many("places", "Stop", back: "journey", was: "stops")),
        Entity("Stop", .text("name"), .one("journey", "Trip", back: "places", was: "trip"))),
      expected: plain.map {
        $0.replacing("trip=", with: "journey=").replacing("stops=", with: "places=")
      }.map { line in
        // A line contains the properties in the order of their names.
        line.hasPrefix("Stop")
          ? line.split(separator: " ").map(String.init).enumerated().sorted {
            ($0.offset == 0 ? "" : $0.element) < ($1.offset == 0 ? "" : $1.element)
          }.map(\.element).joined(separator: " ") : line
      }, tripsAndStops),
    Change(
      "a relationship to one becomes one to many", inPlace: false, from: model(one, stop),
      to: model(
        Entity("Trip", .text("name"), .many("stops", "Stop", back: "trips")),
        Entity("Stop", .text("name"), .many("trips", "Trip", back: "stops", was: "trip"))),
      expected: plain.map {
        $0.hasPrefix("Stop") ? $0.replacing("trip=", with: "trips=[") + "]" : $0
      }, tripsAndStops),
    Change(
      "a relationship to one without a way back leads to many", inPlace: false,
      from: model(
        Entity("Trip", .text("name")), Entity("Stop", .text("name"), .one("trip", "Trip"))),
      to: model(
        Entity("Trip", .text("name")),
        Entity("Stop", .text("name"), .many("trips", "Trip", was: "trip"))),
      expected: [
        "Stop name=Lisbona trips=[Lisbon]", "Stop name=Lisbonb trips=[Lisbon]",
        "Stop name=Romea trips=[Rome]", "Stop name=Romeb trips=[Rome]", "Trip name=Lisbon",
        "Trip name=Rome",
      ], tripsAndStops),
    Change(
      "a relationship gets a way back to many", inPlace: true,
      from: model(
        Entity("Trip", .text("name")), Entity("Stop", .text("name"), .one("trip", "Trip"))),
      to: model(one, stop), expected: plain, tripsAndStops),
    Change(
      "a relationship to many gets a way back to one", inPlace: false,
      from: model(
        Entity("Trip", .text("name"), .many("stops", "Stop")), Entity("Stop", .text("name"))),
      to: model(one, stop), expected: plain
    ) { context in
      for name in ["Lisbon", "Rome"] {
        let trip = try context.insert("Trip")
        trip["name"] = .string(name)
        trip.setObjects(
          try ["a", "b"].map { place in
            let stop = try context.insert("Stop")
            stop["name"] = .string(name + place)
            return stop
          }, forKey: "stops")
      }
    },
    Change(
      "a relationship loses its way back", inPlace: false, from: model(one, stop),
      to: model(
        Entity("Trip", .text("name"), .many("stops", "Stop")), Entity("Stop", .text("name"))),
      losses: ["Stop.trip is removed."],
      expected: plain.map { $0.replacing(#/ trip=\w+/#, with: "") }, tripsAndStops),
    Change(
      "an order is lost", inPlace: true,
      from: model(
        Entity("Trip", .text("name"), .many("stops", "Stop", back: "trip", ordered: true)), stop),
      to: model(one, stop), losses: ["Trip.stops loses the order of its objects."],
      expected: plain, tripsAndStops),
    Change(
      "an order begins", inPlace: false, from: model(one, stop),
      to: model(
        Entity("Trip", .text("name"), .many("stops", "Stop", back: "trip", ordered: true)), stop),
      expected: plain, tripsAndStops),
    Change(
      "an order stays while one end is renamed", inPlace: true,
      from: model(
        Entity("Trip", .text("name"), .many("stops", "Stop", back: "trip", ordered: true)), stop),
      to: model(
        Entity(
          "Trip", .text("name"), .many("stops", "Stop", back: "of", ordered: true)),
        Entity("Stop", .text("name"), .one("of", "Trip", back: "stops", was: "trip"))),
      expected: [
        "Stop name=a of=Lisbon", "Stop name=b of=Lisbon", "Stop name=c of=Lisbon",
        "Trip name=Lisbon stops=[b,c,a]",
      ], stopsInOrder),
    Change(
      "an order stays when its relationship becomes many to many", inPlace: false,
      from: model(
        Entity("Trip", .text("name"), .many("stops", "Stop", back: "trip", ordered: true)), stop),
      to: model(
        Entity("Trip", .text("name"), .many("stops", "Stop", back: "trips", ordered: true)),
        Entity("Stop", .text("name"), .many("trips", "Trip", back: "stops", was: "trip"))),
      expected: [
        "Stop name=a trips=[Lisbon]", "Stop name=b trips=[Lisbon]", "Stop name=c trips=[Lisbon]",
        "Trip name=Lisbon stops=[b,c,a]",
      ], stopsInOrder),
    Change(
      "links of many to many stay while both ends are renamed", inPlace: true,
      from: model(
        Entity("Trip", .text("name"), .many("tags", "Tag", back: "trips")),
        Entity("Tag", .text("name"), .many("trips", "Trip", back: "tags"))),
      to: model(
        Entity(
          "Journey", .text("name"), .many("labels", "Tag", back: "on", was: "tags"), was: "Trip"),
        Entity("Tag", .text("name"), .many("on", "Journey", back: "labels", was: "trips"))),
      expected: [
        "Journey labels=[hot,new] name=Lisbon", "Journey labels=[new] name=Rome",
        "Tag name=hot on=[Lisbon]", "Tag name=new on=[Lisbon,Rome]",
      ]
    ) { context in
      try trips(context)
      let found = try context.fetch(FetchRequest("Trip", sortedBy: [SortKey("name")]))
      let hot = try context.insert("Tag")
      hot["name"] = .string("hot")
      let new = try context.insert("Tag")
      new["name"] = .string("new")
      found[0].setObjects([hot, new], forKey: "tags")
      found[1].setObjects([new], forKey: "tags")
    },
  ]

  static let entities: [Change] = [
    Change(
      "an entity is added", inPlace: true, from: model(Entity("Trip", .text("name"))),
      to: model(Entity("Trip", .text("name")), Entity("Note", .text("title"))),
      expected: ["Trip name=Lisbon", "Trip name=Rome"], trips),
    Change(
      "an entity is removed", inPlace: true, from: model(one, stop),
      to: model(Entity("Trip", .text("name"))),
      losses: ["Stop is removed with its objects.", "Trip.stops is removed."],
      expected: ["Trip name=Lisbon", "Trip name=Rome"], tripsAndStops),
    Change(
      "an entity is renamed", inPlace: true, from: model(one, stop),
      to: model(
        Entity("Journey", .text("name"), .many("stops", "Stop", back: "trip"), was: "Trip"),
        Entity("Stop", .text("name"), .one("trip", "Journey", back: "stops"))),
      expected: plain.map { $0.replacing("Trip ", with: "Journey ") }.sorted(), tripsAndStops),
    Change(
      "an entity gets a superentity that takes over a property", inPlace: true,
      from: model(Entity("Trip", .text("name")), Entity("Stop", .text("name"))),
      to: model(
        Entity("Thing", .text("note")), Entity("Trip", .text("name"), parent: "Thing"),
        Entity("Stop", .text("name"))),
      expected: ["Stop name=a", "Trip name=Lisbon", "Trip name=Rome"]
    ) { context in
      try trips(context)
      try context.insert("Stop")["name"] = .string("a")
    },
    Change(
      "a property moves up to the superentity", inPlace: false,
      from: model(
        Entity("Thing", .text("note")), Entity("Trip", .text("name"), parent: "Thing"),
        Entity("Stop", .text("name"), parent: "Thing")),
      to: model(
        Entity("Thing", .text("note"), .text("name")), Entity("Trip", parent: "Thing"),
        Entity("Stop", parent: "Thing")),
      expected: ["Stop name=a", "Trip name=Lisbon", "Trip name=Rome"]
    ) { context in
      try trips(context)
      try context.insert("Stop")["name"] = .string("a")
    },
    Change(
      "a property moves down to a subentity", inPlace: true,
      from: model(
        Entity("Thing", .text("note"), .text("name")), Entity("Trip", parent: "Thing")),
      to: model(
        Entity("Thing", .text("note")), Entity("Trip", .text("name"), parent: "Thing")),
      losses: ["Thing.name is removed."],
      expected: ["Thing note=x", "Trip name=Lisbon", "Trip name=Rome"]
    ) { context in
      try trips(context)
      let thing = try context.insert("Thing")
      thing["name"] = .string("lost")
      thing["note"] = .string("x")
    },
    Change(
      "an entity moves to another superentity", inPlace: false,
      from: model(
        Entity("Animal", .text("name")), Entity("Plant", .text("name"), .text("colour")),
        Entity("Coral", .text("sea"), parent: "Plant")),
      to: model(
        Entity("Animal", .text("name")), Entity("Plant", .text("name"), .text("colour")),
        Entity("Coral", .text("sea"), parent: "Animal")),
      losses: [], expected: ["Coral name=red sea=Red", "Plant colour=green name=moss"]
    ) { context in
      let coral = try context.insert("Coral")
      coral["name"] = .string("red")
      coral["sea"] = .string("Red")
      let moss = try context.insert("Plant")
      moss["name"] = .string("moss")
      moss["colour"] = .string("green")
    },
    Change(
      "a subentity is removed that others led to", inPlace: false,
      from: model(
        Entity("Animal", .text("name")), Entity("Dog", parent: "Animal"),
        Entity("Cat", parent: "Animal"), Entity("Owner", .text("name"), .one("pet", "Animal"))),
      to: model(
        Entity("Animal", .text("name")), Entity("Dog", parent: "Animal"),
        Entity("Owner", .text("name"), .one("pet", "Animal"))),
      losses: [
        "Cat is removed with its objects.",
        "Owner.pet no longer refers to objects of \"Cat\".",
      ], expected: ["Dog name=Rex", "Owner name=Ada pet=Rex", "Owner name=Bob"]
    ) { context in
      for (owner, kind, name) in [("Ada", "Dog", "Rex"), ("Bob", "Cat", "Tom")] {
        let pet = try context.insert(kind)
        pet["name"] = .string(name)
        let person = try context.insert("Owner")
        person["name"] = .string(owner)
        person.setObjects([pet], forKey: "pet")
      }
    },
  ]
}
