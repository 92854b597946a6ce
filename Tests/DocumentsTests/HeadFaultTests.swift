import DiskSimulation
import Documents
import DurableFiles
import Foundation
import ObjectModel
import StoreInterface
import TestEffort
import Testing
import Validation

@Suite("Heads of a document on a disk that fails")
struct HeadFaultTests {
  /// Opens a head for reading, or for writing, and returns what `body` returns.
  private func on<R>(
    _ head: String, _ world: DocumentWorld, _ access: Document.Access = .exclusive,
    _ body: (Document) throws -> R
  ) throws -> R {
    let document = try Document.open(
      DocumentWorld.path, in: world.places, access: access, head: head)
    defer { try? document.close() }
    return try body(document)
  }

  private func names(_ world: DocumentWorld, _ head: String) throws -> [[String]] {
    try on(head, world, .readOnly) { try world.names(in: $0) }
  }

  private func checkIsValid(_ world: DocumentWorld) throws {
    let report = try Validator(backends: world.places.backends).validate(
      DocumentWorld.path, on: world.disk)
    #expect(report.findings.isEmpty, "\(report.text)")
  }

  @Test(
    "A crash while a head is made or removed leaves the head whole, or no head",
    arguments: [Mix.binary, .binaryAndXML], [false, true])
  func crashes(_ mix: Mix, _ removes: Bool) throws {
    let disk = SimulatedDisk()
    let world = DocumentWorld(mix, on: disk)
    let document = try world.create()
    try world.add("a", to: document)
    if removes { try document.heads.make("draft") }
    disk.settle()
    if removes { try document.heads.remove("draft") } else { try document.heads.make("draft") }
    var found: Set<Int> = []
    for state in disk.crashStates(limit: Effort.count(100), seed: 1) {
      let crashed = DocumentWorld(mix, on: state.disk)
      let main = try crashed.open()
      #expect(try crashed.names(in: main) == .each("a"), "\(state)")
      let heads = try main.heads.names
      found.insert(heads.count)
      try main.close()
      guard heads.count == 2 else { continue }
      try on("draft", crashed) { draft in
        try crashed.add("d", to: draft)
        #expect(try crashed.names(in: draft) == .each("a", "d"), "\(state)")
      }
      try checkIsValid(crashed)
    }
    #expect(found == [1, 2])
  }

  @Test(
    "A failed disk operation while a head is made leaves the document as it was",
    arguments: Mix.ours)
  func refusals(_ mix: Mix) throws {
    var isReached = true
    var number = 0
    while isReached, number < 200 {
      let disk = SimulatedDisk()
      let world = DocumentWorld(mix, on: disk)
      let document = try world.create()
      try world.add("a", to: document)
      disk.plan(
        PlannedFailure(
          .error(.noSpace), on: [.write, .sync, .rename, .link, .open, .remove], after: number))
      do {
        try document.heads.make("draft")
        disk.planNoFailures()
      } catch {
        disk.planNoFailures()
        #expect(try document.heads.names == ["main"], "\(number)")
        try document.heads.make("draft")
      }
      isReached = disk.operations.contains { $0.failure == .noSpace }
      try document.close()
      #expect(try names(world, "draft") == .each("a"), "\(number)")
      try checkIsValid(world)
      number += Effort.distance(1)
    }
    #expect(!isReached && number > 10)
  }
}
