import ObjectModel

/// One step of a migration: from a version to the next.
public struct MigrationStep: Sendable {
  /// The version before.
  public let from: KnownVersion
  /// The version after.
  public let to: KnownVersion
  /// How it is done.
  public let means: Means
  /// Whether somebody sees to the objects before or after.
  public var hasHandlers: Bool { before != nil || after != nil }

  var before: MigrationStage.Handler?
  var after: MigrationStage.Handler?

  /// Whether objects stay who they are.
  var keepsObjects: Bool { if case .inferred = means { true } else { false } }

  /// How a step is done.
  public enum Means: Sendable {
    /// As it follows from the two versions.
    case inferred(InferredMapping)
    /// As somebody wrote it.
    case written(MappingModel)
  }
}

/// Finds a way from one version to another.
///
/// A step is a written mapping, or an inferred one. The best way jumps over no written mapping if it can (a
/// mapping between two versions says what has to happen to objects on the way, which nothing inferred from
/// before the one to behind the other knows), and among such it is the shortest, and then the one of the
/// fewest inferred steps.
struct MigrationPath {
  private let versions: [KnownVersion]
  private let mappings: [MappingModel]
  private let infers: Bool

  /// - Parameter versions: The versions in their order, none twice.
  init(_ versions: [KnownVersion], _ mappings: [MappingModel], infers: Bool) {
    self.versions = versions
    self.mappings = mappings
    self.infers = infers
  }

  /// What a way costs; the lesser is the better.
  private struct Cost: Comparable {
    var jumped = 0
    var steps = 0
    var inferred = 0

    static func < (left: Cost, right: Cost) -> Bool {
      (left.jumped, left.steps, left.inferred) < (right.jumped, right.steps, right.inferred)
    }
  }

  /// The best way.
  ///
  /// - Throws: ``MigrationError`` with code ``MigrationError/Code/noPath`` that names the versions, what
  ///   differs, and why nothing can be inferred from the first to the last.
  func steps(
    from start: KnownVersion, to target: KnownVersion
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
    var best: [Int: (cost: Cost, steps: [MigrationStep], lineage: Lineage)] = [
      first: (Cost(), [], begin)
    ]
    var settled: Set<Int> = []
    while let here = best.keys.filter({ !settled.contains($0) }).min(by: {
      (best[$0]!.cost, $0) < (best[$1]!.cost, $1)
    }) {
      settled.insert(here)
      let (cost, steps, lineage) = best[here]!
      if here == last { return steps }
      func offer(_ next: Int, _ means: @autoclosure () -> MigrationStep.Means?, _ added: Cost) {
        let sum = Cost(
          jumped: cost.jumped + added.jumped, steps: cost.steps + 1,
          inferred: cost.inferred + added.inferred)
        guard !settled.contains(next), best[next].map({ sum < $0.cost }) ?? true,
          let means = means()
        else { return }
        let step = MigrationStep(from: versions[here], to: versions[next], means: means)
        let reached = lineage.following(means)
        // A written mapping to the target says itself what is dropped; a detour may drop nothing.
        if next != last || !steps.isEmpty, let lost = reached.firstLoss(of: shared) {
          detours.append("\"\(step.from.name)\" to \"\(step.to.name)\" would lose \(lost)")
          return
        }
        best[next] = (sum, steps + [step], reached)
      }
      for (from, to, mapping) in ends where from == here { offer(to, .written(mapping), Cost()) }
      guard infers else { continue }
      for next in versions.indices where next != here {
        let range = min(here, next)...max(here, next)
        let jumped = ends.count { range.contains($0.from) && range.contains($0.to) }
        offer(
          next,
          (try? InferredMapping(from: versions[here].model, to: versions[next].model)).map {
            .inferred($0)
          }, Cost(jumped: jumped, inferred: 1))
      }
    }
    throw missing(start, target, detours)
  }

  private func missing(
    _ start: KnownVersion, _ target: KnownVersion, _ detours: [String] = []
  ) -> MigrationError {
    let names = versions.map { "\"\($0.name)\"" }.joined(separator: ", ")
    var message = """
      There is no way from "\(start.name)", which the store was written with, to "\(target.name)". The known \
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
        "\nA way over other versions would lose what \"\(start.name)\" and \"\(target.name)\" both have:"
      for detour in Set(detours).sorted().prefix(20) { message += "\n  the step from \(detour)" }
    }
    let problems = InferredMapping.problems(from: start.model, to: target.model)
    if !infers {
      message += "\nNothing is inferred, because the program asked for that."
    } else if !problems.isEmpty {
      message += "\nThe step from \"\(start.name)\" to \"\(target.name)\" can't be inferred:"
    }
    return MigrationError(.noPath, message, problems: infers ? problems : [])
  }
}
