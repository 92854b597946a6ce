import Testing

@testable import ObjectModel

@Suite("Merged models and subsets of models")
struct MergingTests {
  @Test("A merge of models with common entities contains each entity once")
  func merging() throws {
    let base = try TripModel.model()
    let more = try TripModel.model {
      $0.entities.append(Entity("Note", superentity: "Place"))
      $0["Trip"].source.attributes = ["syncable": "YES"]
      $0.configurations = [
        Configuration("main", entities: ["Note", "Trip"]),
        Configuration("notes", entities: ["Note"]),
      ]
      $0.fetchRequestTemplates.append(FetchRequestTemplate("notes", entity: "Note"))
      $0.versionIdentifiers = ["1", "more"]
    }

    let merged = try Model.merging([base, more])

    #expect(merged.entities.map(\.name) == ["Place", "Trip", "Stop", "Note"])
    #expect(merged.description.configurations.map(\.name) == ["main", "notes"])
    #expect(merged.description.configurations[0].entities == ["Place", "Trip", "Stop", "Note"])
    #expect(merged.description.fetchRequestTemplates.map(\.name) == ["all", "notes"])
    #expect(merged.description.versionIdentifiers == ["1", "more"])
    #expect(merged.versionHashes == more.versionHashes)
    #expect(try Model.merging([base]) == base)
    #expect(try Model.merging([]).entities.isEmpty)
  }

  @Test("A merge of different parts with one name is refused with the differences")
  func conflicts() throws {
    let base = try TripModel.model()
    let other = try TripModel.model {
      $0[attribute: "days", of: "Trip"].type = .int64
      $0["Trip"].uniquenessConstraints.removeLast()
      $0["Stop"].declaredProperties.append(.attribute(Attribute("code", .string)))
      $0.composites[0].attributes[1].isOptional = false
      $0.fetchRequestTemplates[0].entity = "Stop"
    }

    let error = #expect(throws: ModelError.self) { try Model.merging([base, other]) }

    let faults = try #require(error?.faults)
    #expect(faults.allSatisfy { $0.code == .conflictingParts })
    #expect(faults.map(\.entity) == ["Trip", "Stop", "Address", "all"])
    #expect(faults[0].message.contains("days's type: Integer 16 or Integer 64"))
    #expect(faults[0].message.contains("(name, start), (budget) or (name, start)"))
    #expect(faults[1].message.contains("only one of the two has code"))
    #expect(faults[2].message.contains("city's optional: yes or no"))
    #expect(faults[3].message.contains("request: Trip or Stop"))
  }

  @Test("The subset of a configuration contains its entities and their superentities")
  func subset() throws {
    let model = try TripModel.model {
      $0.entities.append(
        Entity(
          "Note", superentity: "Place",
          properties: [
            .attribute(Attribute("text", .string)),
            .relationship(Relationship("last", to: "Trip", isTransient: true)),
            .fetched(FetchedProperty("trips", request: FetchRequestTemplate("", entity: "Trip"))),
            .fetched(FetchedProperty("notes", request: FetchRequestTemplate("", entity: "Note"))),
          ]))
      $0.configurations = [Configuration("notes", entities: ["Note"])]
    }

    let notes = try model.subset(configuration: "notes")

    #expect(notes.entities.map(\.name) == ["Place", "Note"])
    #expect(notes["Note"]?.declaredProperties.map(\.name) == ["text", "notes"])
    #expect(notes.description.fetchRequestTemplates.isEmpty)
    #expect(notes.versionHash(of: "Note") == model.versionHash(of: "Note"))
  }

  @Test("A configuration with a relationship to an outside entity has no subset")
  func leaving() throws {
    let model = try TripModel.model {
      $0.configurations.append(Configuration("trips", entities: ["Trip"]))
    }

    let error = #expect(throws: ModelError.self) { try model.subset(configuration: "trips") }
    #expect(error?.faults.map(\.code) == [.leavesConfiguration])
    #expect(error?.faults.first?.property == "stops")

    let unknown = #expect(throws: ModelError.self) { try model.subset(configuration: "mian") }
    #expect(unknown?.faults.map(\.code) == [.unknownConfiguration])
    #expect(unknown?.description.contains("Did you mean \"main\"?") == true)
  }
}
