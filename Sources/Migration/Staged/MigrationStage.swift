public import ObjectGraph
import ObjectModel

/// One stage of a migration that is laid out step by step, like Core Data's `NSMigrationStage`.
///
///     Migrator(stages: [
///       .lightweight([v1, v2]),
///       .custom(from: v2, to: v3, before: { context in … }, after: { context in … }),
///     ])
///
/// The migration goes through every version, one after another. A stage need not begin with the version that the
/// previous stage ends with: the step between the two is inferred then. A handler gets a context on the current
/// objects, in a temporary store of the migration. The handler's changes are saved when it returns.
public struct MigrationStage: Sendable {
  /// The versions that the stage goes through. Stores of the first version enter the stage.
  public let versions: [KnownVersion]
  /// Whether a handler changes objects in addition to the inferred mapping.
  public let isCustom: Bool
  /// The handler that runs before the stage, on objects of the stage's first version.
  public let before: Handler?
  /// The handler that runs after the stage, on objects of the stage's last version.
  public let after: Handler?

  /// A function that changes objects before or after a stage.
  public typealias Handler = @Sendable (ManagedObjectContext) throws -> Void

  private init(
    _ versions: [KnownVersion], isCustom: Bool, _ before: Handler?, _ after: Handler?
  ) {
    (self.versions, self.isCustom) = (versions, isCustom)
    (self.before, self.after) = (before, after)
  }

  /// Returns a stage with steps that can all be inferred.
  public static func lightweight(
    _ versions: [KnownVersion], before: Handler? = nil, after: Handler? = nil
  ) -> MigrationStage { MigrationStage(versions, isCustom: false, before, after) }

  /// Returns a stage from one version to the next in which handlers change objects.
  public static func custom(
    from version: KnownVersion, to next: KnownVersion, before: Handler? = nil,
    after: Handler? = nil
  ) -> MigrationStage { MigrationStage([version, next], isCustom: true, before, after) }
}

/// The steps that stages lay out. They are checked before the migration starts.
struct StageChain {
  /// One step, and the handlers before and after it.
  struct Link {
    let from: KnownVersion
    let to: KnownVersion
    /// The number of the stage that the step leads to from the previous stage; `nil` for a step within a stage.
    var gap: Int?
    var before: MigrationStage.Handler?
    var after: MigrationStage.Handler?
  }
  private(set) var links: [Link] = []
  private var known: [(version: KnownVersion, stage: Int)] = []

  /// Checks the stages.
  ///
  /// - Parameter infers: Whether the step between two stages may be inferred.
  /// - Throws: ``MigrationError`` with code ``MigrationError/Code/badStages`` that names the stages, counted from 1.
  init(
    _ stages: [MigrationStage], to target: Model, infers: Bool = true
  ) throws(MigrationError) {
    // The handlers of stages with one version. They run before the next step.
    var waiting: [MigrationStage.Handler] = []
    for (index, stage) in stages.enumerated() {
      let number = index + 1
      guard let first = stage.versions.first, stage.versions.count > 1 || !stage.isCustom else {
        throw wrong("Stage \(number) has no versions.")
      }
      if let last = known.last, last.version.isSame(as: first) {
        // The stages share the version at their boundary.
      } else {
        let last = known.last?.version
        try add(first, number)
        if let last {
          guard infers else {
            throw wrong(
              """
              Stage \(number) begins with "\(first.name)", and stage \(number - 1) ends with \
              "\(last.name)". The step between them is missing, and the program does not allow inferred steps.
              """)
          }
          links.append(Link(from: last, to: first, gap: number, before: Self.all(waiting)))
          waiting = []
        }
      }
      for version in stage.versions.dropFirst() { try add(version, number) }
      var own = zip(stage.versions, stage.versions.dropFirst()).map { Link(from: $0, to: $1) }
      waiting += [stage.before].compactMap(\.self)
      if own.isEmpty {
        waiting += [stage.after].compactMap(\.self)
        continue
      }
      own[0].before = Self.all(waiting)
      waiting = []
      own[own.count - 1].after = stage.after
      links += own
    }
    guard let last = known.last else { throw wrong("There are no stages.") }
    guard last.version.isSame(as: target) else {
      throw wrong(
        """
        The last stage ends with "\(last.version.name)", which is not the target version: \
        \(target.differences(from: last.version.model.versionHashes)).
        """)
    }
    if !waiting.isEmpty, let end = links.indices.last {
      links[end].after = Self.all([links[end].after].compactMap(\.self) + waiting)
    }
  }

  private mutating func add(_ version: KnownVersion, _ stage: Int) throws(MigrationError) {
    if let same = known.first(where: { $0.version.isSame(as: version) }) {
      throw wrong(
        """
        "\(version.name)" in stage \(stage) has the same version hashes as "\(same.version.name)" in \
        stage \(same.stage), so stores of these versions can't be distinguished. Remove one of the \
        versions, or give it a version hash modifier.
        """)
    }
    known.append((version, stage))
  }

  /// Returns one handler that runs several in their order; `nil` for an empty list.
  private static func all(_ handlers: [MigrationStage.Handler]) -> MigrationStage.Handler? {
    if handlers.count < 2 { return handlers.first }
    return { context in for handler in handlers { try handler(context) } }
  }

  /// Returns the steps that lead on from a version; `nil` if no step begins at the version. If the version is in the
  /// middle of a stage, the handlers of the later steps of that stage still run.
  func links(from version: KnownVersion) -> [Link]? {
    guard let first = links.firstIndex(where: { $0.from.isSame(as: version) }) else { return nil }
    return Array(links[first...])
  }
}

extension StageChain.Link {
  /// Returns the inferred mapping of the step. The caller uses it if no mapping is written for the step.
  ///
  /// - Throws: ``MigrationError`` if nothing can be inferred. For a step between two stages the error names the
  ///   stages.
  func inferred() throws(MigrationError) -> MigrationStep.Means {
    do throws(MigrationError) {
      return .inferred(try InferredMapping(from: from.model, to: to.model))
    } catch {
      guard let gap else { throw error }
      throw MigrationError(
        .badStages,
        """
        Stage \(gap) begins with "\(to.name)", and stage \(gap - 1) ends with "\(from.name)". The step between \
        them can't be inferred: add a custom stage or a mapping for it.
        """, problems: error.problems, cause: error)
    }
  }
}

private func wrong(_ message: String) -> MigrationError { MigrationError(.badStages, message) }
