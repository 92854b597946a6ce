import Checksums
import Testing

@testable import ObjectModel

@Suite("Version hashes")
struct VersionHashTests {
  /// Changes that affect a hash by spec §2.4.3 to §2.4.6, with the entities whose hashes change.
  static let seen: [(Mutation, [String])] = [
    (
      Mutation("property's name") {
        $0[attribute: "start", of: "Trip"].name = "begin"
        $0["Trip"].uniquenessConstraints = [["budget"]]
      }, ["Trip"]
    ),
    (Mutation("optionality") { $0[attribute: "days", of: "Trip"].isOptional = false }, ["Trip"]),
    (
      Mutation("type") {
        $0[attribute: "days", of: "Trip"].type = .int32
      }, ["Trip"]
    ),
    (
      Mutation("attribute's modifier") {
        $0[attribute: "days", of: "Trip"].versionHashModifier = "2"
      }, ["Trip"]
    ),
    (Mutation("external storage") { $0[attribute: "photo", of: "Stop"].options = [] }, ["Stop"]),
    (
      Mutation("preserving on deletion") {
        $0[attribute: "start", of: "Trip"].options = .preservesValueOnDeletion
      }, ["Trip"]
    ),
    (
      Mutation("derivation") {
        $0[attribute: "stopCount", of: "Trip"].derivation = .init("now()")
      }, ["Trip"]
    ),
    (
      Mutation("derived attribute's modifier") {
        $0[attribute: "stopCount", of: "Trip"].versionHashModifier = "2"
      }, ["Trip"]
    ),
    (
      Mutation("becoming transient") {
        $0[attribute: "days", of: "Trip"].isTransient = true
      }, ["Trip"]
    ),
    (
      Mutation("new attribute") {
        $0["Trip"].declaredProperties.append(.attribute(Attribute("new", .boolean)))
      }, ["Trip"]
    ),
    (
      Mutation("greatest count") {
        $0[relationship: "stops", of: "Trip"].count.maximum = 9
      }, ["Trip"]
    ),
    (
      Mutation("greatest count, any number in the other spelling") {
        $0[relationship: "stops", of: "Trip"].count.maximum = -1
      }, ["Trip"]
    ),
    (
      Mutation("least count") {
        $0[relationship: "trip", of: "Stop"].count.minimum = 1
      }, ["Stop"]
    ),
    (Mutation("ordered") { $0[relationship: "stops", of: "Trip"].isOrdered = false }, ["Trip"]),
    (
      Mutation("inverse's name") {
        $0[relationship: "stops", of: "Trip"].inverse = "journey"
        $0[relationship: "trip", of: "Stop"].name = "journey"
      }, ["Trip", "Stop"]
    ),
    (
      Mutation("destination's name") {
        $0[relationship: "stops", of: "Trip"].destination = "Halt"
        $0["Stop"].name = "Halt"
        $0.configurations = []
      }, ["Trip", "Stop", "Halt"]
    ),
    (
      Mutation("relationship's modifier") {
        $0[relationship: "trip", of: "Stop"].versionHashModifier = "2"
      }, ["Stop"]
    ),
    (Mutation("abstract") { $0["Place"].isAbstract = false }, ["Place", "Stop"]),
    (
      Mutation("superentity") {
        $0["Trip"].superentity = "Place"
        $0["Place"].declaredProperties = []
      }, ["Place", "Trip", "Stop"]
    ),
    (
      Mutation("inherited attribute") {
        $0[attribute: "name", of: "Place"].isOptional = true
      }, ["Place", "Stop"]
    ),
    (
      Mutation("composite type's attribute") {
        $0.composites[0].attributes[0].isOptional = false
      }, ["Place", "Stop"]
    ),
    (
      Mutation("uniqueness constraint taken away") {
        $0["Trip"].uniquenessConstraints = [["name", "start"]]
      }, ["Trip"]
    ),
    (
      Mutation("order of a constraint's columns") {
        $0["Trip"].uniquenessConstraints[0].reverse()
      }, ["Trip"]
    ),
    (Mutation("entity's modifier") { $0["Trip"].versionHashModifier = "2" }, ["Trip"]),
  ]

  /// Changes that do not affect a hash by spec §2.4.8.
  static let unseen: [Mutation] = [
    Mutation("class name") { $0["Trip"].className = "Journey" },
    Mutation("default value") { $0[attribute: "name", of: "Trip"].defaultValue = .string("x") },
    Mutation("bounds") { $0[attribute: "days", of: "Trip"].validation.maximum = .integer(9) },
    Mutation("pattern") { $0[attribute: "name", of: "Trip"].validation.pattern = "[a-z]*" },
    Mutation("validation predicates") {
      $0[attribute: "name", of: "Trip"].validation.predicates = [ValidationPredicate("SELF != 'x'")]
      $0[relationship: "stops", of: "Trip"].validationPredicates = [
        ValidationPredicate("SELF.@count < 9")
      ]
    },
    Mutation("delete rule") { $0[relationship: "stops", of: "Trip"].deleteRule = .deny },
    Mutation("entity's renaming identifier") { $0["Trip"].renamingIdentifier = "Journey" },
    Mutation("property's renaming identifier") {
      $0[attribute: "days", of: "Trip"].renamingIdentifier = "nights"
    },
    Mutation("precision") {
      $0[attribute: "start", of: "Trip"].validation.precision = .day
      $0[attribute: "budget", of: "Trip"].validation.precision = .places(2)
    },
    Mutation("user info") {
      $0["Trip"].userInfo = ["a": "b"]
      $0[attribute: "days", of: "Trip"].userInfo = ["a": "b"]
      $0[relationship: "stops", of: "Trip"].userInfo = ["a": "b"]
    },
    Mutation("version identifiers") { $0.versionIdentifiers = ["2"] },
    Mutation("indexes") {
      $0["Trip"].fetchIndexes = []
      $0["Trip"].compoundIndexes = [["name", "days"]]
      $0[attribute: "name", of: "Trip"].options = [.isIndexed, .isIndexedBySpotlight]
    },
    Mutation("value class and transformer") {
      $0[attribute: "photo", of: "Stop"].valueClassName = "Photo"
      $0[attribute: "photo", of: "Stop"].valueTransformerName = "PhotoTransformer"
    },
    Mutation("transient attribute") {
      $0["Trip"].declaredProperties.append(
        .attribute(Attribute("new", .boolean, isTransient: true)))
    },
    Mutation("transient attribute's type") { $0[attribute: "note", of: "Trip"].type = .undefined },
    Mutation("transient relationship") {
      $0["Trip"].declaredProperties.append(
        .relationship(Relationship("last", to: "Stop", isTransient: true)))
    },
    Mutation("fetched property") {
      $0["Trip"].declaredProperties.append(
        .fetched(FetchedProperty("all", request: FetchRequestTemplate("", entity: "Trip"))))
    },
    Mutation("configurations and templates") {
      $0.configurations = []
      $0.fetchRequestTemplates = []
    },
    Mutation("composite type's name") {
      $0.composites[0].name = "Location"
      $0[attribute: "address", of: "Place"].compositeName = "Location"
    },
    Mutation("derived attribute's type and optionality") {
      $0[attribute: "stopCount", of: "Trip"].type = .int16
      $0[attribute: "stopCount", of: "Trip"].isOptional = false
    },
    Mutation("another spelling of a derivation") {
      $0[attribute: "stopCount", of: "Trip"].derivation = .init(" stops.@count")
    },
    Mutation("order of uniqueness constraints") { $0["Trip"].uniquenessConstraints.reverse() },
    Mutation("order of entities and properties") {
      $0.entities.reverse()
      for index in $0.entities.indices { $0.entities[index].declaredProperties.reverse() }
      $0.composites[0].attributes.reverse()
    },
    // A choice of this project, because no known file decides the case (spec §2.4.8).
    Mutation("cloud encryption and truth file") {
      $0[attribute: "name", of: "Trip"].options = [.allowsCloudEncryption, .isStoredInTruthFile]
    },
  ]

  @Test(
    "A change that affects storage changes the hashes of the affected entities", arguments: seen)
  func changes(_ mutation: Mutation, _ affected: [String]) throws {
    let before = try TripModel.model()
    let after = try TripModel.model(mutation.apply)

    let names = Set(before.versionHashes.keys).union(after.versionHashes.keys)
    let changed = names.filter { before.versionHash(of: $0) != after.versionHash(of: $0) }
    #expect(changed == Set(affected))
    #expect(!after.isCompatible(with: before.versionHashes))
    #expect(after.versionChecksum != before.versionChecksum)
    #expect(after.versionHashesDigest != before.versionHashesDigest)
    #expect(ModelDifference(from: before, to: after).isSeenByHashes)
  }

  @Test("A change that does not affect storage changes no hash", arguments: unseen)
  func changesNothing(_ mutation: Mutation) throws {
    let before = try TripModel.model()
    let after = try TripModel.model(mutation.apply)

    #expect(after.versionHashes == before.versionHashes)
    #expect(after.isCompatible(with: before.versionHashes))
    #expect(after.mayHaveHashes(of: before) && before.mayHaveHashes(of: after))
    #expect(after.versionChecksum == before.versionChecksum)
    #expect(!ModelDifference(from: before, to: after).isSeenByHashes)
  }

  @Test("Different names and types show that two models differ, without a hash")
  func shape() throws {
    let before = try TripModel.model()
    let mutations: [(inout Model.Description) -> Void] = [
      { $0["Trip"].declaredProperties.append(.attribute(Attribute("new", .boolean))) },
      { $0[attribute: "days", of: "Trip"].type = .int64 },
      { $0[attribute: "days", of: "Trip"].isOptional.toggle() },
      { $0["Place"].isAbstract.toggle() },
    ]
    for mutation in mutations {
      let after = try TripModel.model(mutation)
      #expect(after.versionHashes != before.versionHashes)
      #expect(!after.mayHaveHashes(of: before))
    }
  }

  @Test("Properties that are not stored or do not exist have no hash")
  func withoutHash() throws {
    let model = try TripModel.model()

    #expect(model.versionHash(of: "note", in: "Trip") == nil)
    #expect(model.versionHash(of: "nothing", in: "Trip") == nil)
    #expect(model.versionHash(of: "name", in: "Nothing") == nil)
    #expect(model.versionHash(of: "Nothing") == nil)
    #expect(model.versionHash(of: "name", in: "Stop") != nil)
  }

  @Test("A hash reads back from its text and bytes")
  func text() throws {
    let hash = try #require(TripModel.model().versionHash(of: "Trip"))

    #expect(VersionHash(hex: hash.description) == hash)
    #expect(VersionHash(bytes: hash.bytes) == hash)
    #expect(hash.bytes.count == 32)
    #expect(VersionHash(bytes: hash.bytes.dropLast()) == nil)
    #expect(VersionHash(hex: "") == nil)
  }

  @Test("Hashes that many threads read at once are equal")
  func threads() async throws {
    let expected = try TripModel.model().versionHashes
    let model = try TripModel.model()

    await withTaskGroup(of: [String: VersionHash].self) { group in
      for _ in 0..<16 { group.addTask { model.versionHashes } }
      for await hashes in group { #expect(hashes == expected) }
    }
  }

  @Test("Adding an inverse to itself changes no hash")
  func inverseToItself() throws {
    func model(_ inverse: String?) throws -> Model {
      let spouse = Relationship("spouse", to: "Person", inverse: inverse)
      return try Model(entities: [Entity("Person", properties: [.relationship(spouse)])])
    }
    let (before, after) = (try model(nil), try model("spouse"))

    let changes = ModelDifference(from: before, to: after).changes

    #expect(before.versionHashes == after.versionHashes)
    #expect(changes.count == 1 && !changes[0].isSeenByHashes)
  }

  @Test("A comparison with a store's hashes lists changed, missing and added entities")
  func differencesFromHashes() throws {
    let model = try TripModel.model()
    var stored = model.versionHashes
    stored["Trip"] = stored["Stop"]
    stored["Old"] = stored["Stop"]
    stored["Place"] = nil

    let differences = model.differences(from: stored)

    #expect(differences.changed == ["Trip"])
    #expect(differences.missing == ["Old"])
    #expect(differences.added == ["Place"])
    #expect(
      differences.description == "changed: Trip; not in the model: Old; not in the store: Place")
    #expect(model.differences(from: model.versionHashes).description == "no differences")
  }

  @Test("A configuration is compatible with a store that holds its entities only")
  func configuration() throws {
    let model = try TripModel.model {
      $0.configurations = [Configuration("places", entities: ["Place"])]
    }
    let stored = model.versionHashes.filter { $0.key == "Place" }

    #expect(model.isCompatible(with: stored, configuration: "places"))
    #expect(!model.isCompatible(with: stored))
    #expect(!model.isCompatible(with: model.versionHashes, configuration: "places"))
  }
}

/// Choices that no known file decides. Each has a test, so that it changes only on purpose.
@Suite("Version hashes: choices of this project")
struct VersionHashChoiceTests {
  private func digest(_ parts: [UInt8]...) -> VersionHash {
    VersionHash(SHA256.digest(of: parts.flatMap { $0 }))
  }

  private func hash(_ attribute: Attribute, _ composite: [UInt8] = []) -> VersionHash {
    VersionHashes.hash(of: .attribute(attribute)) { _ in composite }
  }

  private let name = Array("a".utf8)
  private let base = SHA256.digest(of: Array("a".utf8) + [1, 0]).bytes

  @Test("The byte after optional is zero (spec §2.4.3)")
  func readOnly() {
    let plain = SHA256.digest(of: name + [1, 0]).bytes
    #expect(hash(Attribute("a", .string)) == digest(plain, [0xBC, 2, 0, 0]))
  }

  @Test("External storage and preservation together add two bytes of value 1 (spec §2.4.3)")
  func externalAndPreserved() {
    let options: Attribute.Options = [.allowsExternalStorage, .preservesValueOnDeletion]
    #expect(
      hash(Attribute("a", .binary, options: options)) == digest(base, [0xE8, 3, 0, 0], [1, 1]))
  }

  @Test("A relationship's modifier is part of its base (spec §2.4.3)")
  func relationshipModifier() {
    let relationship = Relationship(
      "a", to: "B", inverse: "c", count: .toMany, isOrdered: true, versionHashModifier: "m")
    let base = SHA256.digest(of: name + [1, 0] + Array("m".utf8)).bytes
    #expect(
      VersionHashes.hash(of: .relationship(relationship)) { _ in [] }
        == digest(base, Array("Bc".utf8), [UInt8](repeating: 0, count: 8), [1, 0]))
  }

  @Test("A derived attribute's modifier follows its expression (spec §2.4.4)")
  func derivedModifier() {
    let attribute = Attribute(
      "a", .int64, derivation: .init("count:(b)"), versionHashModifier: "m")
    #expect(hash(attribute) == digest(Array("count:(b)m".utf8)))
  }

  @Test(
    "A derivation is hashed in one spelling (spec §2.4.4)",
    arguments: [
      // A model and the hash of its compiled form decide these cases.
      ("oneToMany.@count", "count:(oneToMany)"), ("now()", "now()"),
      ("canonical:(optionalString)", "canonical:(optionalString)"),
      // These cases are choices of this project.
      ("stops.cost.@sum", "sum:(stops.cost)"), ("stops.@sum.cost", "sum:(stops.cost)"),
      ("stops.days.@avg", "average:(stops.days)"), ("trip.name", "trip.name"),
      ("no expression", "no expression"),
    ])
  func derivation(_ expression: String, _ hashed: String) {
    let attribute = Attribute("a", .int64, derivation: .init(expression))
    #expect(hash(attribute) == digest(Array(hashed.utf8)))
  }

  @Test("A composite attribute ends in the hashes of the type's attributes (spec §2.4.5)")
  func composite() throws {
    let parts = [Attribute("b", .string), Attribute("a", .string)]
    let model = try Model(
      Model.Description(
        entities: [
          Entity(
            "E",
            properties: [.attribute(Attribute("a", .composite, compositeName: "Pair"))])
        ],
        composites: [CompositeType("Pair", attributes: parts)]))

    #expect(
      model.versionHash(of: "a", in: "E")
        == digest(base, [0x34, 8, 0, 0], hash(parts[1]).bytes, hash(parts[0]).bytes))
  }

  @Test(
    "The modifier comes before the uniqueness constraints, sorted by name (spec §2.4.6)")
  func constraints() throws {
    let entity = Entity(
      "E", uniquenessConstraints: [["b", "a"], ["a"]], versionHashModifier: "m")
    #expect(
      VersionHashes.hash(of: entity, superentity: nil, properties: [])
        == digest(Array("E".utf8), [0], Array("mab.a".utf8)))
  }

  @Test(
    "If a relationship is its own inverse, the inverse's name is not hashed (spec §2.4.3)",
    arguments: [
      // The destination, the entity that declares the inverse, and whether the relationship is its own inverse.
      ("Person", "Person", true), ("Employee", "Person", true), ("Pet", "Pet", false),
    ])
  func ownInverse(_ destination: String, _ declaring: String, _ isOwn: Bool) throws {
    var entities = [
      Entity(
        "Person",
        properties: [
          .relationship(
            Relationship("friends", to: destination, inverse: "friends", count: .toMany))
        ]), Entity("Employee", superentity: "Person"), Entity("Pet"),
    ]
    if declaring == "Pet" {
      entities[2].declaredProperties = [
        .relationship(Relationship("friends", to: "Person", inverse: "friends", count: .toMany))
      ]
    }
    let model = try Model(entities: entities)
    let base = SHA256.digest(of: Array("friends".utf8) + [1, 0]).bytes
    let counts = [UInt8](repeating: 0, count: 8)

    #expect(
      model.versionHash(of: "friends", in: "Person")
        == digest(base, Array((destination + (isOwn ? "" : "friends")).utf8), counts))
  }

  @Test("Names are in the order of their UTF-16 units (spec §2.4.2)")
  func order() {
    // U+10400 is D801 DC00 in UTF-16, which sorts before FF5A. Its UTF-8 sorts after.
    #expect("\u{10400}".precedesInHashes("\u{FF5A}"))
    #expect("B".precedesInHashes("a"))
    #expect("a".precedesInHashes("aa"))
    #expect(!"a".precedesInHashes("a"))
  }
}
