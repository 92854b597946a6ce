import ObjectModel
import Testing

@testable import Migration

/// How much work it takes to find a way over many versions: each comparison of two models takes time in proportion to
/// them.
@Suite("The work of planning")
struct PlanningTests {
  private static let count = 60

  /// Versions that each add a property. From `change` on the cost is a number, and no text.
  private static func versions(change: Int? = nil) -> [KnownVersion] {
    (1...count).map { number in
      let cost: Property =
        number >= change ?? .max ? .number("cost", .date) : .text("cost")
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

  @Test("A way of one inferred step takes one comparison")
  func direct() throws {
    let versions = Self.versions()
    var memory = InferenceMemory()
    let path = MigrationPath(versions, [], infers: true)

    let steps = try path.steps(from: versions[0], to: versions[Self.count - 1], &memory)

    #expect(way(steps) == ["V1-V60"] && memory.comparisonCount == 1)
  }

  @Test("A written mapping in the middle takes a comparison for each version at most")
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

  @Test("When there is no way, few comparisons find that out")
  func none() throws {
    let versions = Self.versions(change: 30)
    var memory = InferenceMemory()
    let path = MigrationPath(versions, [], infers: true)

    let error = #expect(throws: MigrationError.self) {
      try path.steps(from: versions[0], to: versions[Self.count - 1], &memory)
    }

    #expect(error?.code == .noPath && error?.problems.map(\.property) == ["cost"])
    // Each version before the change is reached once; the change itself is compared once.
    #expect(memory.comparisonCount <= Self.count)
  }

  @Test("What keeps one step from being inferred is taken for another only where it is the same")
  func obstacles() throws {
    let cost = Property.text("cost")
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
    // A required attribute is an obstacle where it is new, and none where it was there.
    #expect(memory.mapping(from: old, to: required) == nil)
    let count = memory.comparisonCount
    #expect(memory.mapping(from: other, to: required) == nil && memory.comparisonCount == count)
    #expect(memory.mapping(from: required, to: required) != nil)
  }
}
