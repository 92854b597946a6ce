import ObjectModel

/// One step of a migration: from a version to the next.
public struct MigrationStep: Sendable {
  /// The version before the step.
  public let from: KnownVersion
  /// The version after the step.
  public let to: KnownVersion
  /// The mapping of the step.
  public let means: Means
  /// Whether a handler of the program runs before or after the step.
  public var hasHandlers: Bool { before != nil || after != nil }

  var before: MigrationStage.Handler?
  var after: MigrationStage.Handler?

  /// Whether objects keep their identity.
  var keepsObjects: Bool { if case .inferred = means { true } else { false } }

  /// The kind of mapping that a step uses.
  public enum Means: Sendable {
    /// A mapping that was inferred from the two versions.
    case inferred(InferredMapping)
    case written(MappingModel)
  }
}

/// A priority queue, which returns the least element first.
private struct PriorityQueue<Element: Comparable> {
  private var elements: [Element] = []

  mutating func insert(_ element: Element) {
    elements.append(element)
    var place = elements.count - 1
    while place > 0, elements[place] < elements[(place - 1) / 2] {
      elements.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  mutating func popFirst() -> Element? {
    guard let first = elements.first else { return nil }
    let last = elements.removeLast()
    if elements.isEmpty { return first }
    elements[0] = last
    var place = 0
    while true {
      let children = [2 * place + 1, 2 * place + 2].filter { $0 < elements.count }
      guard let least = children.min(by: { elements[$0] < elements[$1] }),
        elements[least] < elements[place]
      else { return first }
      elements.swapAt(place, least)
      place = least
    }
  }
}

/// Finds the best path from one version to another.
///
/// A step is a written mapping or an inferred one. A written mapping states changes of objects that an inferred
/// mapping over the same versions does not know. The best path therefore bypasses as few written mappings as
/// possible. Among such paths it has the fewest steps, and then the fewest inferred steps.
struct MigrationPath {
  private let versions: [KnownVersion]
  private let mappings: [MappingModel]
  private let infers: Bool

  /// - Parameter versions: The versions in their order, without duplicates.
  init(_ versions: [KnownVersion], _ mappings: [MappingModel], infers: Bool) {
    self.versions = versions
    self.mappings = mappings
    self.infers = infers
  }

  /// The cost of a path. A path with a lesser cost is better.
  private struct Cost: Comparable {
    var jumped = 0
    var steps = 0
    var inferred = 0

    static func < (left: Cost, right: Cost) -> Bool {
      (left.jumped, left.steps, left.inferred) < (right.jumped, right.steps, right.inferred)
    }
  }

  /// A possible next step. Its mapping is inferred only when no cheaper path is left.
  private struct Candidate: Comparable {
    let cost: Cost
    let from: Int
    let to: Int
    /// Whether the step ends at the wanted version. Of paths with equal cost, a finished one is taken first.
    let isLast: Bool
    /// The sequence number among all candidates.
    let number: Int
    /// The written mapping; `nil` for a step to be inferred.
    let mapping: MappingModel?

    private var key: (Cost, Int, Int, Int) { (cost, isLast ? 0 : 1, to, number) }

    static func < (left: Candidate, right: Candidate) -> Bool { left.key < right.key }
    static func == (left: Candidate, right: Candidate) -> Bool { left.number == right.number }
  }

  /// Returns the steps of the best path.
  ///
  /// - Throws: ``MigrationError`` with code ``MigrationError/Code/noPath``. The error names the versions, their
  ///   differences, and the changes from the first to the last that can't be inferred.
  func steps(
    from start: KnownVersion, to target: KnownVersion
  ) throws(MigrationError) -> [MigrationStep] {
    var memory = InferenceMemory()
    return try steps(from: start, to: target, &memory)
  }

  /// Returns the steps of the best path, and infers mappings through `memory`.
  func steps(
    from start: KnownVersion, to target: KnownVersion, _ memory: inout InferenceMemory
  ) throws(MigrationError) -> [MigrationStep] {
    var ends: [(from: Int, to: Int, mapping: MappingModel)] = []
    for mapping in mappings {
      guard let from = versions.position(of: mapping.source),
        let to = versions.position(of: mapping.destination)
      else { continue }
      ends.append((from, to, mapping))
    }
    guard let first = versions.position(of: start), let last = versions.position(of: target) else {
      throw missing(start, target)
    }
    let begin = Lineage(start.model)
    let shared = begin.following(ModelContinuation(from: start.model, to: target.model), nil)
    var detours: [String] = []
    var ways: [Int: (cost: Cost, steps: [MigrationStep], lineage: Lineage)] = [:]
    var queue = PriorityQueue<Candidate>()
    var count = 0

    func reach(
      _ here: Int, _ cost: Cost, _ steps: [MigrationStep], _ lineage: Lineage
    ) {
      ways[here] = (cost, steps, lineage)
      func offer(_ next: Int, _ mapping: MappingModel?, _ added: Cost) {
        guard ways[next] == nil else { return }
        let sum = Cost(
          jumped: cost.jumped + added.jumped, steps: cost.steps + 1,
          inferred: cost.inferred + added.inferred)
        queue.insert(
          Candidate(
            cost: sum, from: here, to: next, isLast: next == last, number: count, mapping: mapping))
        count += 1
      }
      for (from, to, mapping) in ends where from == here { offer(to, mapping, Cost()) }
      guard infers else { return }
      for next in versions.indices where next != here {
        let range = min(here, next)...max(here, next)
        let jumped = ends.count { range.contains($0.from) && range.contains($0.to) }
        offer(next, nil, Cost(jumped: jumped, inferred: 1))
      }
    }

    reach(first, Cost(), [], begin)
    if first == last { return [] }
    while let next = queue.popFirst() {
      guard ways[next.to] == nil, let (_, steps, lineage) = ways[next.from] else { continue }
      let (from, to) = (versions[next.from], versions[next.to])
      let means: MigrationStep.Means
      if let mapping = next.mapping {
        means = .written(mapping)
      } else if let inferred = memory.mapping(from: from.model, to: to.model) {
        means = .inferred(inferred)
      } else {
        continue
      }
      let step = MigrationStep(from: from, to: to, means: means)
      // A path must keep everything that the first and the last version have in common. A single step needs no check.
      if next.isLast, steps.isEmpty { return [step] }
      let reached = lineage.following(means)
      if let lost = reached.firstLoss(of: shared) {
        detours.append("\"\(from.name)\" to \"\(to.name)\" would lose \(lost)")
        continue
      }
      if next.isLast { return steps + [step] }
      reach(next.to, next.cost, steps + [step], reached)
    }
    throw missing(start, target, detours)
  }

  private func missing(
    _ start: KnownVersion, _ target: KnownVersion, _ detours: [String] = []
  ) -> MigrationError {
    let names = versions.map { "\"\($0.name)\"" }.joined(separator: ", ")
    var message = """
      There is no migration path from "\(start.name)", the store's version, to "\(target.name)". The known \
      versions are \(names).
      """
    let changes = ModelDifference(from: start.model, to: target.model).changes
      .filter(\.isSeenByHashes)
    if !changes.isEmpty {
      message += " These entities and properties differ:"
      for change in changes.prefix(40) { message += "\n  \(change)" }
      if changes.count > 40 { message += "\n  and \(changes.count - 40) more" }
    }
    if !detours.isEmpty {
      message +=
        "\nA path through other versions would lose data that \"\(start.name)\" and \"\(target.name)\" both have:"
      for detour in Set(detours).sorted().prefix(20) { message += "\n  the step from \(detour)" }
    }
    let problems = InferredMapping.problems(from: start.model, to: target.model)
    if !infers {
      message += "\nNo mapping is inferred, because the program does not allow it."
    } else if !problems.isEmpty {
      message += "\nThe step from \"\(start.name)\" to \"\(target.name)\" can't be inferred:"
    }
    return MigrationError(.noPath, message, problems: infers ? problems : [])
  }
}
