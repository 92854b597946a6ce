import ObjectModel
import Testing

@testable import Migration

/// The cost of finding a path over many versions. A comparison of two models takes time in proportion to their size.
@Suite("The work of planning")
struct PlanningTests {
  private static let count = 60

  /// Returns versions that each add a property. From the version `change` on, the cost is a number instead of a text.
  private static func versions(change: Int? = nil) -> [KnownVersion] {
    (1...count).map { number in
      let cost: Property =
        number >= change ?? .max ? .number("cost", .date) : .number("cost", .uuid)
      return KnownVersion(
        "V\(number)",
        model(
          Entity(
            "Trip", properties: [.text("name"), cost] + (1..<number).map { .number("n\($0)") })))
    }
  }

  private func way(_ steps: [MigrationStep]) -> [String] {
    steps.map { step in
      if case .written = step.means { return "\(step.from.name)!\(step.to.name)" }
      return "\(step.from.name)-\(step.to.name)"
    }
  }

  @Test("A path of one inferred step takes one comparison")
  func direct() throws {
    let versions = Self.versions()
    var memory = InferenceMemory()
    let path = MigrationPath(versions, [], infers: true)

    let steps = try path.steps(from: versions[0], to: versions[Self.count - 1], &memory)

    #expect(way(steps) == ["V1-V60"] && memory.comparisonCount == 1)
  }

  @Test("A path with a written mapping in the middle takes at most one comparison per version")
  func mapping() throws {
    let versions = Self.versions(change: 30)
    let mapping = try MappingModel(
      "map Trip -> Trip\n  cost = CAST($source.cost, 'NSDate')", from: versions[28].model,
      to: versions[29].model)
    var memory = InferenceMemory()
    let path = MigrationPath(versions, [mapping], infers: true)

    let steps = try path.steps(from: versions[0], to: versions[Self.count - 1], &memory)

    #expect(way(steps) == ["V1-V29", "V29!V30", "V30-V60"])
    #expect(memory.comparisonCount <= Self.count)
  }

  @Test("A missing path is found with few comparisons")
  func none() throws {
    let versions = Self.versions(change: 30)
    var memory = InferenceMemory()
    let path = MigrationPath(versions, [], infers: true)

    let error = #expect(throws: MigrationError.self) {
      try path.steps(from: versions[0], to: versions[Self.count - 1], &memory)
    }

    #expect(error?.code == .noPath && error?.problems.map(\.property) == ["cost"])
    // Each version before the change is reached once, and the change itself is compared once.
    #expect(memory.comparisonCount <= Self.count)
  }

  @Test("An obstacle of one comparison rules out another step only if the change is the same")
  func obstacles() throws {
    let cost = Property.number("cost", .uuid)
    let old = model(Entity("Trip", .text("name"), cost))
    let other = model(Entity("Trip", .text("title"), cost))
    let renamed = model(Entity("Journey", .text("name"), .number("cost", .date)))
    let number = model(Entity("Trip", .text("name"), .number("cost", .date)))
    let text = model(Entity("Trip", .text("name"), .text("cost"), .text("more")))
    let required = model(Entity("Trip", .text("name"), cost, .text("more", required: true)))
    var memory = InferenceMemory()

    #expect(memory.mapping(from: old, to: number) == nil && memory.comparisonCount == 1)
    #expect(memory.mapping(from: other, to: number) == nil && memory.comparisonCount == 1)
    #expect(memory.mapping(from: old, to: renamed) != nil)
    #expect(memory.mapping(from: old, to: text) != nil)
    #expect(memory.mapping(from: number, to: number) != nil)
    // A new required attribute is an obstacle. A required attribute of both versions is not.
    #expect(memory.mapping(from: old, to: required) == nil)
    let count = memory.comparisonCount
    #expect(memory.mapping(from: other, to: required) == nil && memory.comparisonCount == count)
    #expect(memory.mapping(from: required, to: required) != nil)
  }
}
