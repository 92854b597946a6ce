import DiskSimulation
import Documents
import DurableFiles
import ObjectModel
import Rows
import StoreInterface
import Testing
import Validation

@Suite("Documents checked by the validation rules")
struct ValidityTests {
  private func report(_ disk: any Disk) throws -> ValidationReport {
    try Validator().validate(DocumentWorld.path, on: disk)
  }

  @Test("No operation on a document breaks a rule", arguments: Mix.allCases)
  func work(_ mix: Mix) throws {
    let world = DocumentWorld(mix)
    let document = try world.create()
    func check(_ what: String) throws {
      let report = try report(world.disk)
      #expect(report.findings.isEmpty, "\(what): \(report.text)")
      // The validator has no rules for the store of a foreign plug-in.
      #expect(report.unchecked.count == (mix == .plugins ? 1 : 0), "\(what): \(report.text)")
    }
    try check("made")
    for name in ["Lisbon", "Porto", "Faro"] {
      try document.addAttachment(named: name) { try $0(Array(name.utf8)) }
      try world.add(name, to: document)
      try check(name)
    }
    try document.removeAttachment(named: "Porto")
    try document.save { $0.title = "Others" }
    try check("removed")
    try document.nameVersion(2, "Second")
    try document.revert(to: 2)
    try check("reverted")
    try document.thin(.newestOnly)
    try check("thinned")
    try world.add("Sintra", to: document)
    try document.vacuum()
    try document.close()
    try check("vacuumed")
    #expect(try report(world.disk).checked.objectCount == (mix == .plugins ? 4 : 6))
  }

  @Test(
    "After a cut at any moment the document has no errors and no warnings",
    arguments: Mix.allCases)
  func cuts(_ mix: Mix) throws {
    let disk = SimulatedDisk()
    let world = DocumentWorld(mix, on: disk)
    let document = try world.create()
    disk.settle()
    for name in ["Lisbon", "Porto"] {
      try document.addAttachment(named: name) { try $0(Array(name.utf8)) }
      try world.add(name, to: document)
    }
    try document.thin(.newestOnly)
    try world.add("Faro", to: document)
    for state in disk.crashStates(limit: 120, seed: 1) {
      let report = try report(state.disk)
      #expect(
        report.count(of: .error) == 0 && report.count(of: .warning) == 0, "\(state): \(report.text)"
      )
    }
  }

  @Test("A failed save leaves a document without errors", arguments: Mix.allCases)
  func refusals(_ mix: Mix) throws {
    for number in stride(from: 0, to: 60, by: 5) {
      let disk = SimulatedDisk()
      let world = DocumentWorld(mix, on: disk)
      let document = try world.create()
      try world.add("Lisbon", to: document)
      disk.plan(
        PlannedFailure(.error(.noSpace), on: [.write, .sync, .rename, .open], after: number))
      try? world.add("Porto", to: document)
      disk.planNoFailures()
      try? document.close()
      let report = try report(disk)
      #expect(report.count(of: .error) == 0, "\(number): \(report.text)")
    }
  }

  @Test("A kept recovery breaks no rule, and the report mentions it", arguments: Mix.allCases)
  func recovery(_ mix: Mix) throws {
    let world = DocumentWorld(mix)
    let document = try world.create()
    try world.add("Lisbon", to: document)
    let parts = try document.stores.map { store in
      (store: store as any Store, request: try clearing(store))
    }
    try document.keepForRecovery(parts.filter { !$0.request.isEmpty })
    try document.close()

    let found = try report(world.disk)
    #expect(found.count(of: .error) == 0 && found.counts.keys.contains { $0.id == "CONT-019" })
    #expect(found.count(of: .warning) == 0, "\(found.text)")

    let opened = try world.open()
    let recovery = try #require(try opened.recovery())
    #expect(recovery.changes.count == mix.stores.count)
    try opened.discardRecovery()
    try opened.vacuum()
    try opened.close()
    let last = try report(world.disk)
    #expect(last.findings.isEmpty, "\(last.text)")
  }

  @Test(
    "A migrated document keeps its earlier versions", arguments: Mix.allCases,
    [false, true])
  func migrated(_ mix: Mix, _ isRewritten: Bool) throws {
    let world = DocumentWorld(mix)
    let document = try world.create()
    for name in ["Lisbon", "Porto"] { try world.add(name, to: document) }
    try document.save { $0.title = "Not a change of any store" }
    try document.close()

    var description = DocumentWorld.model.description
    let index = try #require(description.entities.firstIndex { $0.name == "Trip" })
    // A new value that every object must have is written into the rows. An optional value is not.
    description.entities[index].declaredProperties.append(
      .attribute(
        Attribute("days", .int16, isOptional: !isRewritten, defaultValue: .integer(3))))
    #expect(try Document.migrate(DocumentWorld.path, to: Model(description), in: world.places))
    let opened = try world.open()
    try world.add("Faro", to: opened)
    try opened.close()

    let found = try report(world.disk)
    #expect(
      found.findings.isEmpty && (mix == .plugins || found.unchecked.isEmpty), "\(found.text)")
    #expect(try world.names() == .each("Faro", "Lisbon", "Porto"))
    #expect(try world.names(version: 2) == .each("Lisbon"))
    for version in [3, 4] as [Int64] {
      #expect(try world.names(version: version) == .each("Lisbon", "Porto"))
    }
    let again = try world.open()
    try again.nameVersion(2, "Second")
    try again.thin(.newestOnly)
    try again.close()
    #expect(try world.names(version: 2) == .each("Lisbon"))
    let thinned = try report(world.disk)
    #expect(
      thinned.findings.isEmpty && (mix == .plugins || thinned.unchecked.isEmpty), "\(thinned.text)"
    )
  }

  /// Returns a commit request that removes all objects of a store.
  private func clearing(_ store: DocumentStore) throws -> CommitRequest {
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    for layout in base.schema.layouts {
      for number in try base.view.keys(ofEntity: layout.entityNumber) {
        let key = ObjectKey(entity: layout.entityNumber, number: number)
        builder.remove(key, basis: try base.view.row(of: key)?.version ?? 0)
      }
    }
    return CommitRequest(builder.freeze(), basedOn: base)
  }
}
