import Testing

@testable import ObjectModel

@Suite("Differences between models")
struct ModelDifferenceTests {
  /// Each case: a change of the trip model, and the differences that it must cause, in order.
  static let told: [(Mutation, [String])] = [
    (Mutation("nothing") { _ in }, []),
    (
      Mutation("entity added and removed") {
        $0.entities.append(Entity("Note"))
        $0.entities.removeAll { $0.name == "Stop" }
        $0["Trip"].declaredProperties.removeLast(2)
        $0.configurations[0].entities.removeLast()
      },
      [
        "Note: added", "Stop: removed", "Trip.stopCount: removed", "Trip.stops: removed",
        "configuration main: members changed from Place, Stop, Trip to Place, Trip",
      ]
    ),
    (
      Mutation("entity renamed, with all that leads to it") {
        $0["Stop"].name = "Halt"
        $0["Halt"].renamingIdentifier = "Stop"
        $0[relationship: "stops", of: "Trip"].destination = "Halt"
        $0.configurations[0].entities[2] = "Halt"
      },
      ["Halt: renamed from Stop"]
    ),
    (
      Mutation("property renamed, with all that names it") {
        $0[attribute: "start", of: "Trip"].renamingIdentifier = "start"
        $0[attribute: "start", of: "Trip"].name = "begin"
        $0["Trip"].uniquenessConstraints[0] = ["name", "begin"]
      },
      ["Trip.begin: renamed from start"]
    ),
    (
      Mutation("inherited property renamed that a constraint below names") {
        $0[attribute: "name", of: "Place"].renamingIdentifier = "name"
        $0[attribute: "name", of: "Place"].name = "title"
        $0["Stop"].uniquenessConstraints = [["title"]]
      },
      [
        "Place.title: renamed from name", "Stop: uniqueness constraint (title): added",
      ]
    ),
    (
      Mutation("relationship renamed at both ends") {
        $0[relationship: "stops", of: "Trip"].inverse = "journey"
        $0[relationship: "trip", of: "Stop"].renamingIdentifier = "trip"
        $0[relationship: "trip", of: "Stop"].name = "journey"
      },
      ["Stop.journey: renamed from trip"]
    ),
    (
      Mutation("facets of an attribute") {
        $0[attribute: "days", of: "Trip"].type = .int32
        $0[attribute: "days", of: "Trip"].isOptional = false
        $0[attribute: "days", of: "Trip"].defaultValue = .integer(3)
        $0[attribute: "days", of: "Trip"].validation.minimum = .null
      },
      [
        "Trip.days: type changed from Integer 16 to Integer 32",
        "Trip.days: optional changed from yes to no",
        "Trip.days: default value changed from none to 3",
        "Trip.days: minimum changed from 1 to none",
      ]
    ),
    (
      Mutation("facets of a relationship") {
        $0[relationship: "stops", of: "Trip"].deleteRule = .deny
        $0[relationship: "stops", of: "Trip"].count = .init(minimum: 2, maximum: 9)
      },
      [
        "Trip.stops: count changed from 0… to 2…9",
        "Trip.stops: delete rule changed from cascade to deny",
      ]
    ),
    (
      Mutation("entity moved under another") {
        $0["Trip"].superentity = "Base"
        $0.entities.append(Entity("Base"))
      },
      ["Base: added", "Trip: superentity changed from none to \"Base\""]
    ),
    (
      Mutation("attribute that becomes a relationship") {
        $0["Trip"].declaredProperties[3] = .relationship(Relationship("days", to: "Stop"))
      },
      ["Trip.days: kind changed from attribute to relationship"]
    ),
    (
      Mutation("constraints and indexes") {
        $0["Trip"].uniquenessConstraints = [["days"], ["name", "start"]]
        $0["Trip"].fetchIndexes = [
          FetchIndex("byName", elements: [.init("name", isAscending: false)]),
          FetchIndex("byStart", elements: [.init("start")]),
        ]
      },
      [
        "Trip: uniqueness constraint (budget): removed",
        "Trip: uniqueness constraint (days): added",
        "Trip: index byName: elements changed from name to -name",
        "Trip: index byStart: added",
      ]
    ),
    (
      Mutation("constraints in another order") { $0["Trip"].uniquenessConstraints.reverse() },
      [
        "Trip: constraint order changed from (name, start), (budget) to (budget), (name, start)"
      ]
    ),
    (
      Mutation("composite types") {
        $0.composites[0].attributes[0].isOptional = false
        $0.composites.append(CompositeType("Money", attributes: []))
      },
      [
        "composite type Money: added",
        "composite type Address.street: optional changed from yes to no",
      ]
    ),
    (
      Mutation("templates and version identifiers") {
        $0.fetchRequestTemplates[0].predicate = "days > 3"
        $0.versionIdentifiers = ["2"]
      },
      [
        "fetch request template all: request changed from Trip to Trip where days > 3",
        "model: version identifiers changed from 1 to 2",
      ]
    ),
    (
      Mutation("details of the source") {
        $0.source.attributes = ["systemVersion": "1"]
        $0["Trip"].source.attributes = ["syncable": "YES"]
        $0.entities.reverse()
      },
      []
    ),
  ]

  @Test("Each difference is reported once", arguments: told)
  func changes(_ mutation: Mutation, _ expected: [String]) throws {
    let old = try TripModel.model()
    let new = try TripModel.model(mutation.apply)

    let difference = ModelDifference(from: old, to: new)

    #expect(difference.changes.map(\.description) == expected)
    #expect(difference.isSeenByHashes == (old.versionHashes != new.versionHashes))
    #expect(difference.isEmpty == expected.isEmpty)
  }

  @Test("The summary counts the parts and states the consequences for stores")
  func summary() throws {
    let old = try TripModel.model()
    let renamed = try TripModel.model {
      $0["Stop"].name = "Halt"
      $0["Halt"].renamingIdentifier = "Stop"
      $0[relationship: "stops", of: "Trip"].destination = "Halt"
      $0.configurations = []
      $0[attribute: "days", of: "Trip"].type = .int64
      $0[attribute: "days", of: "Trip"].isOptional = false
      $0["Trip"].declaredProperties.append(.attribute(Attribute("a", .string)))
      $0["Trip"].declaredProperties.append(.attribute(Attribute("b", .string)))
    }
    let identified = try TripModel.model { $0.versionIdentifiers = [] }

    #expect(
      ModelDifference(from: old, to: renamed).summary == """
        1 entity renamed, 2 properties added, 1 property changed, 1 other part removed. \
        Stores must be migrated.
        """)
    #expect(
      ModelDifference(from: old, to: identified).summary
        == "1 other part changed. Stores fit both versions.")
    #expect(ModelDifference(from: old, to: old).summary == "No differences.")
  }

  @Test("A renaming identifier that stays in the next version renames nothing")
  func keptIdentifiers() throws {
    let second = try TripModel.model {
      $0["Trip"].renamingIdentifier = "Journey"
    }
    let third = try TripModel.model {
      $0["Trip"].renamingIdentifier = "Journey"
      $0.entities.append(Entity("Journey"))
    }

    #expect(ModelDifference(from: second, to: third).description == "Journey: added")
    #expect(ModelDifference(from: third, to: second).description == "Journey: removed")
  }

  @Test("Two names that are exchanged are two renamings")
  func swapped() throws {
    let old = try Model(entities: [Entity("A"), Entity("B")])
    let new = try Model(entities: [
      Entity("A", renamingIdentifier: "B"), Entity("B", renamingIdentifier: "A"),
    ])

    #expect(
      ModelDifference(from: old, to: new).description == "A: renamed from B\nB: renamed from A")
  }
}
