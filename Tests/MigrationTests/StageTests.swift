import Foundation
import Migration
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Synchronization
import Testing

/// A layout of a migration: for each step to the next version, whether the step is lightweight or custom.
struct Layout: CustomTestStringConvertible, Sendable {
  let isCustom: [Bool]
  let testDescription: String

  init(_ isCustom: [Bool]) {
    self.isCustom = isCustom
    testDescription = isCustom.map { $0 ? "C" : "L" }.joined()
  }

  /// All layouts of one to three steps: fourteen.
  static let all: [Layout] = (1...3).flatMap { count in
    (0..<(1 << count)).map { bits in Layout((0..<count).map { bits >> $0 & 1 != 0 }) }
  }

  /// Returns the stages, with neighbouring lightweight steps in one stage. The handlers note the objects in `seen`.
  func stages(_ seen: Seen) -> [MigrationStage] {
    var stages: [MigrationStage] = []
    var index = 0
    while index < isCustom.count {
      let from = Versions.all[index]
      if isCustom[index] {
        let number = index + 1
        let to = Versions.all[number]
        stages.append(
          .custom(
            from: from, to: to,
            before: { context in try seen.note("before \(to.name)", context) },
            after: { context in
              try seen.note("after \(to.name)", context)
              for trip in try context.fetch(FetchRequest("Trip")) {
                trip["n\(number)"] = .integer(Int64(number))
              }
            }))
        index += 1
      } else {
        var end = index
        while end < isCustom.count, !isCustom[end] { end += 1 }
        stages.append(.lightweight(Array(Versions.all[index...end])))
        index = end
      }
    }
    return stages
  }
}

/// The objects that the handlers found.
final class Seen: Sendable {
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }

  func note(_ what: String, _ context: ManagedObjectContext) throws {
    let trips = try World.dump(context)
    lines.withLock { $0.append("\(what): \(trips.joined(separator: "; "))") }
  }
}

@Suite("Staged migrations")
struct StageTests {
  @Test(
    "Each layout of lightweight and custom stages leads from each version to the last",
    arguments: Layout.all, Kind.allCases)
  func layouts(_ layout: Layout, _ kind: Kind) throws {
    let last = Versions.all[layout.isCustom.count]
    for start in 0...layout.isCustom.count {
      let world = World(kind)
      try world.make(Versions.all[start].model, Versions.fill)
      let seen = Seen()
      let migrator = Migrator(stages: layout.stages(seen))
      try migrator.migrate(storeAt: World.path, to: last.model, in: world.places)
      var expected: [String] = []
      var values: [String] = []
      for step in start..<layout.isCustom.count where layout.isCustom[step] {
        let before = (["Trip"] + values + ["name=Lisbon"]).joined(separator: " ")
        let name = Versions.all[step + 1].name
        expected += ["before \(name): \(before)", "after \(name): \(before)"]
        values.append("n\(step + 1)=\(step + 1)")
      }
      #expect(seen.all.map { $0.replacing("name=Lisbon n", with: "n") }.count == expected.count)
      #expect(seen.all.map(sorted) == expected.map(sorted), "from V\(start + 1)")
      let found = try world.dump(last.model).map(sorted)
      #expect(
        found
          == [sorted((["Trip"] + values + ["name=Lisbon"]).joined(separator: " "))])
      #expect(try world.metadata().versionHashes == last.model.versionHashes)
      #expect(try world.faults() == [])
      #expect(try world.files() == ["Trips.store"])
    }
  }

  private func sorted(_ line: String) -> [String] {
    line.split(whereSeparator: { " ;".contains($0) }).map(String.init).sorted()
  }

  private func refusal(
    _ stages: [MigrationStage], to target: Int = 2, _ change: (inout Migrator) -> Void = { _ in }
  ) throws -> String {
    let world = World(.binary)
    try world.make(Versions.all[0].model, Versions.fill)
    var migrator = Migrator(stages: stages)
    change(&migrator)
    let error = #expect(throws: MigrationError.self) {
      try migrator.migrate(
        storeAt: World.path, to: Versions.all[target].model, in: world.places)
    }
    #expect(error?.code == .badStages)
    #expect(try world.dump(Versions.all[0].model) == ["Trip name=Lisbon"])
    return error?.message ?? ""
  }

  @Test(
    "A step between two stages without a common version is inferred", arguments: 0...4,
    Kind.allCases)
  func gaps(_ start: Int, _ kind: Kind) throws {
    let v = Versions.all
    let seen = Seen()
    let note: @Sendable (String) -> MigrationStage.Handler = { what in
      { try seen.note(what, $0) }
    }
    // No stage contains the step to this one-version stage, nor the step after it.
    let migrator = Migrator(stages: [
      .lightweight([v[0], v[1]], before: note("a"), after: note("b")),
      .lightweight([v[2]], before: note("c"), after: note("d")),
      .custom(from: v[3], to: v[4], before: note("e"), after: note("f")),
    ])
    let world = World(kind)
    try world.make(v[start].model, Versions.fill)

    let plan = try migrator.plan(forStoreAt: World.path, to: v[4].model, in: world.places)
    try migrator.migrate(storeAt: World.path, to: v[4].model, in: world.places)

    #expect(plan.steps.map(\.from.name) == (start..<4).map { "V\($0 + 1)" })
    let calls = ["abcdef", "cdef", "cdef", "ef", ""]
    #expect(seen.all.map { String($0.prefix(1)) }.joined() == calls[start])
    #expect(try world.dump(v[4].model) == ["Trip name=Lisbon"])
    #expect(try world.metadata().versionHashes == v[4].model.versionHashes)
  }

  @Test("The handlers of a last stage of one version run after all steps")
  func lastStage() throws {
    let v = Versions.all
    let seen = Seen()
    let world = World(.binary)
    try world.make(v[0].model, Versions.fill)
    let migrator = Migrator(stages: [
      .lightweight([v[0]]),
      .lightweight(
        [v[1]], before: { try seen.note("before", $0) },
        after: { context in
          for trip in try context.fetch(FetchRequest("Trip")) { trip["n1"] = .integer(5) }
        }),
    ])

    try migrator.migrate(storeAt: World.path, to: v[1].model, in: world.places)

    #expect(seen.all == ["before: Trip name=Lisbon"])
    #expect(try world.dump(v[1].model).map(sorted) == [["Trip", "n1=5", "name=Lisbon"]])
  }

  @Test("Contradictory stages are refused before the migration starts")
  func contradictions() throws {
    let v = Versions.all
    let again = KnownVersion("V2 again", v[1].model)
    #expect(
      try refusal([.lightweight([v[0], v[1], again, v[2]])]).contains(
        "\"V2 again\" in stage 1 has the same version hashes as \"V2\" in stage 1"))
    #expect(
      try refusal([
        .lightweight([v[0], v[1]]), .custom(from: v[1], to: v[0]), .lightweight([v[0], v[2]]),
      ])
      .contains("\"V1\" in stage 2 has the same version hashes as \"V1\" in stage 1"))
    #expect(
      try refusal([.lightweight([v[0], v[1]]), .lightweight([v[2], v[0]])], to: 0).contains(
        "\"V1\" in stage 2 has the same version hashes as \"V1\" in stage 1"))
    #expect(
      try refusal([.lightweight([v[0], v[1]]), .custom(from: v[2], to: v[3])], to: 3) {
        $0.infersMappings = false
      }.contains("Stage 2 begins with \"V3\", and stage 1 ends with \"V2\". The step between"))
    // The step from a number to a date can't be inferred.
    let other = KnownVersion("Other", model(Entity("Trip", properties: [.number("n1", .date)])))
    let last = KnownVersion(
      "Last", model(Entity("Trip", properties: [.number("n1", .date), .text("more")])))
    let world = World(.binary)
    try world.make(v[1].model, Versions.fill)
    let gap = #expect(throws: MigrationError.self) {
      try Migrator(stages: [.lightweight([v[0], v[1]]), .lightweight([other, last])]).migrate(
        storeAt: World.path, to: last.model, in: world.places)
    }
    #expect(gap?.code == .badStages && gap?.problems.isEmpty == false)
    #expect(
      gap?.message.contains("Stage 2 begins with \"Other\", and stage 1 ends with \"V2\"") ?? false)
    #expect(try refusal([.lightweight([])]).contains("Stage 1 has no versions."))
    #expect(
      try refusal([.lightweight([v[0], v[1]])]).contains(
        "The last stage ends with \"V2\", which is not the target version"))
    // A store of a version that no stage begins with is refused.
    let old = World(.binary)
    try old.make(v[0].model, Versions.fill)
    let error = #expect(throws: MigrationError.self) {
      try Migrator(stages: [.lightweight([v[1], v[2]])]).migrate(
        storeAt: World.path, to: v[2].model, in: old.places)
    }
    #expect(error?.code == .noPath)
    #expect(error?.message.contains("No stage begins with") ?? false)
  }

  @Test(
    "An error from a handler ends the migration, and the store is unchanged",
    arguments: Kind.allCases
  )
  func throwing(_ kind: Kind) throws {
    struct Enough: Error {}
    for isBefore in [true, false] {
      let world = World(kind)
      try world.make(Versions.all[0].model, Versions.fill)
      let handler: MigrationStage.Handler = { context in
        for trip in try context.fetch(FetchRequest("Trip")) { context.delete(trip) }
        try context.save()
        throw Enough()
      }
      let stage = MigrationStage.custom(
        from: Versions.all[0], to: Versions.all[1], before: isBefore ? handler : nil,
        after: isBefore ? nil : handler)
      #expect(throws: Enough.self) {
        try Migrator(stages: [stage]).migrate(
          storeAt: World.path, to: Versions.all[1].model, in: world.places)
      }
      #expect(try world.dump(Versions.all[0].model) == ["Trip name=Lisbon"])
      #expect(try world.files() == ["Trips.store"])
    }
  }
}
