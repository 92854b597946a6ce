public import ObjectGraph
import ObjectModel

/// One stage of a migration that is laid out step by step: what `NSMigrationStage` is to Core Data.
///
///     Migrator(stages: [
///       .lightweight([v1, v2]),
///       .custom(from: v2, to: v3, before: { context in … }, after: { context in … }),
///     ])
///
/// Every version is gone through, one after another. A handler gets a context on the objects as they are then,
/// in a store of the migration's own, and what it changes is saved when it returns.
public struct MigrationStage: Sendable {
  /// The versions that are gone through, the first being that of stores the stage begins with.
  public let versions: [KnownVersion]
  /// Whether somebody has to see to the objects beside what can be inferred.
  public let isCustom: Bool
  /// Comes before the stage, with the objects as its first version has them.
  public let before: Handler?
  /// Comes after the stage, with the objects as its last version has them.
  public let after: Handler?

  /// What is done with the objects before or after a stage.
  public typealias Handler = @Sendable (ManagedObjectContext) throws -> Void

  private init(
    _ versions: [KnownVersion], isCustom: Bool, _ before: Handler?, _ after: Handler?
  ) {
    (self.versions, self.isCustom) = (versions, isCustom)
    (self.before, self.after) = (before, after)
  }

  /// A stage whose every step can be inferred.
  public static func lightweight(
    _ versions: [KnownVersion], before: Handler? = nil, after: Handler? = nil
  ) -> MigrationStage { MigrationStage(versions, isCustom: false, before, after) }

  /// A stage from one version to the next in which somebody sees to the objects.
  public static func custom(
    from version: KnownVersion, to next: KnownVersion, before: Handler? = nil,
    after: Handler? = nil
  ) -> MigrationStage { MigrationStage([version, next], isCustom: true, before, after) }
}

/// Stages, held against one another before anything is done.
struct StageChain {
  /// One step, and what comes before and after it.
  struct Link {
    let from: KnownVersion
    let to: KnownVersion
    var before: MigrationStage.Handler?
    var after: MigrationStage.Handler?
  }
  private(set) var links: [Link] = []

  /// - Throws: ``MigrationError`` with code ``MigrationError/Code/badStages`` that names the stages, counted
  ///   from 1.
  init(_ stages: [MigrationStage], to target: Model) throws(MigrationError) {
    var known: [(version: KnownVersion, stage: Int)] = []
    for (index, stage) in stages.enumerated() {
      let number = index + 1
      guard let first = stage.versions.first, stage.versions.count > 1 || !stage.isCustom else {
        throw wrong("Stage \(number) has no versions.")
      }
      if let last = known.last {
        guard last.version.isSame(as: first) else {
          throw wrong(
            """
            Stage \(number) begins with "\(first.name)", and stage \(number - 1) ends with \
            "\(last.version.name)": a stage from the one to the other is missing.
            """)
        }
      } else {
        known.append((first, number))
      }
      for version in stage.versions.dropFirst() {
        if let same = known.first(where: { $0.version.isSame(as: version) }) {
          throw wrong(
            """
            "\(version.name)" in stage \(number) has the same version hashes as "\(same.version.name)" in \
            stage \(same.stage), so stores of the two can't be told apart. Leave one of them out, or \
            give it a version hash modifier.
            """)
        }
        known.append((version, number))
      }
      var own = zip(stage.versions, stage.versions.dropFirst()).map { Link(from: $0, to: $1) }
      guard !own.isEmpty else { continue }
      own[0].before = stage.before
      own[own.count - 1].after = stage.after
      links += own
    }
    guard let last = known.last else { throw wrong("There are no stages.") }
    guard last.version.isSame(as: target) else {
      throw wrong(
        """
        The last stage ends with "\(last.version.name)", which is not the version that is wanted: \
        \(target.differences(from: last.version.model.versionHashes)).
        """)
    }
  }

  /// The steps from a version on; `nil` when no stage has it. In the middle of a stage what comes before it
  /// is still done.
  func links(from version: KnownVersion) -> [Link]? {
    guard let first = links.firstIndex(where: { $0.from.isSame(as: version) }) else { return nil }
    return Array(links[first...])
  }
}

private func wrong(_ message: String) -> MigrationError { MigrationError(.badStages, message) }
