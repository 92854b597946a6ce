import DiskSimulation
import Documents
import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

/// Files of some stores contain no numbers for links, so each reading numbers the links anew.
@Suite("Links in recoveries and earlier versions of documents")
@MainActor
struct RecoveredLinkTests {
  static let model = try! Model(entities: [
    Entity(
      "Trip",
      properties: [
        .attribute(Attribute("name", .string, isOptional: false)),
        .relationship(Relationship("members", to: "Person", inverse: "trips", count: .toMany)),
      ]),
    Entity(
      "Person",
      properties: [
        .attribute(Attribute("name", .string)),
        .relationship(Relationship("trips", to: "Trip", inverse: "members", count: .toMany)),
      ]),
  ])

  private let disk = SimulatedDisk()

  private func create(_ mix: Mix) async throws -> ManagedDocument {
    try await ManagedDocument.create(
      DocumentWorld.path, model: Self.model, in: DocumentWorld(mix, on: disk).places, mix.options())
  }

  private func open(_ mix: Mix) async throws -> ManagedDocument {
    try await ManagedDocument.open(
      DocumentWorld.path, in: DocumentWorld(mix, on: disk).places, mix.options())
  }

  private func create(_ mix: Mix, members: [String]) async throws -> ManagedDocument {
    let document = try await create(mix)
    let trip = try document.mainContext.insert("Trip")
    trip["name"] = .string("Coast")
    for name in ["Ada", "Bob", "Cyd", "Dan"] {
      let person = try document.mainContext.insert("Person")
      person["name"] = .string(name)
    }
    try change(document, adding: members)
    try await document.save()
    return document
  }

  private func trip(_ document: ManagedDocument) throws -> ManagedObject {
    try document.mainContext.fetch(FetchRequest("Trip")).first { $0["name"] == .string("Coast") }!
  }

  private func change(
    _ document: ManagedDocument, removing: [String] = [], adding: [String] = []
  ) throws {
    let people = try document.mainContext.fetch(FetchRequest("Person"))
    func named(_ names: [String]) -> [ManagedObject] {
      people.filter { person in names.contains { person["name"] == .string($0) } }
    }
    let trip = try trip(document)
    var members = Array(trip.objects(forKey: "members")).filter { !named(removing).contains($0) }
    members += named(adding)
    trip.setObjects(members, forKey: "members")
  }

  private func members(_ document: ManagedDocument) throws -> [String] {
    try trip(document).objects(forKey: "members").compactMap {
      if case .string(let name) = $0["name"] { name } else { nil }
    }.sorted()
  }

  @Test(
    "A recovery removes and adds the links that it should, after another version was saved",
    arguments: Mix.allCases.filter { $0.stores.count == 1 })
  func recovery(_ mix: Mix) async throws {
    let document = try await create(mix, members: ["Ada", "Bob", "Cyd"])
    try change(document, removing: ["Ada"], adding: ["Dan"])
    let broken = try document.mainContext.insert("Trip")
    await #expect(throws: ContextError.self) { try await document.save() }
    try await document.close(saving: false)
    _ = broken

    let between = try await open(mix)
    try change(between, removing: ["Bob"])
    try await between.save()
    try await between.close()
    let opened = try await open(mix)
    try await opened.recover()
    #expect(try members(opened) == ["Cyd", "Dan"])
    for trip in try opened.mainContext.fetch(FetchRequest("Trip")) where trip["name"] == .null {
      opened.mainContext.delete(trip)
    }
    try await opened.save()
    try await opened.close()
    let again = try await open(mix)
    #expect(try members(again) == ["Cyd", "Dan"])
    try await again.close()
  }

  @Test(
    "A worker's unsaved removal of a link does not remove the link that a revert adds",
    arguments: Mix.allCases.filter { $0.stores.count == 1 })
  func revert(_ mix: Mix) async throws {
    let created = try await create(mix, members: ["Bob"])
    let first = created.manifest.number
    try change(created, removing: ["Bob"], adding: ["Ada"])
    try await created.save()
    try await created.close()
    // The store reads the link from the file.
    let document = try await open(mix)
    let worker = document.newWorkerContext()
    worker.automaticallyMergesChangesFromParent = false
    let id = try trip(document).objectID
    try await worker.perform {
      worker.object(with: id).setObjects([], forKey: "members")
      try worker.processPendingChanges()
    }
    try change(document, removing: ["Ada"])
    try await document.save()
    try await document.revert(to: first)
    let members = try await worker.perform {
      worker.refreshAllObjects()
      return worker.object(with: id).objects(forKey: "members").map { $0["name"] }
    }
    #expect(members == [.string("Bob")])
    try await document.close(saving: false)
  }
}
