public import ObjectGraph
import ObjectModel
public import StoreInterface

/// Brings stores from any known version of a model to another.
///
///     var migrator = Migrator(knowing: .init(try ModelVersions.read("Trips.xcdatamodeld")))
///     migrator.policies["ToDoPolicy"] = { ToDoPolicy() }
///     print(try migrator.plan(forStoreAt: path, to: model, in: places))     // a dry run
///     try migrator.migrate(storeAt: path, to: model, in: places)
///
/// The version of a store is seen from its version hashes. From there the shortest way is gone over the known
/// versions, by written mappings and by inferred ones, or by the stages that were laid out. The store stays as
/// it is until the new one is complete, checked and durable, and then there is one switch: whenever the
/// program ends, the store opens as it was or as it is to be.
///
/// Where it only takes adding, dropping and renaming optional properties and entities, and the store keeps
/// rows as they are, no row is written: that takes the same time however many there are.
public struct Migrator: Sendable {
  /// The versions that may be gone over, in their order. The store's own and the one that is wanted need
  /// not be among them.
  public var versions: [KnownVersion]
  /// The mappings that somebody wrote.
  public var mappings: [MappingModel]
  /// How to go, step by step; when there are any, no other way is looked for.
  public var stages: [MigrationStage]
  /// Whether mappings may be inferred.
  public var infersMappings = true
  /// What makes the policies that mappings name.
  public var policies: [String: @Sendable () -> EntityMigrationPolicy] = [:]
  /// The classes of the objects of the version that is wanted, for what they say of themselves when they are
  /// checked.
  public var classes: [ManagedObject.Type] = []
  /// What turns the values of transformable attributes into bytes and back.
  public var transformers: [ValueTransformer] = []
  /// Whether a migration may drop objects, values other than the default, and links. When it is `false`, a
  /// migration that would drop any throws ``MigrationError/Code/wouldLose`` and writes nothing.
  public var allowsLoss = false
  /// Whether objects may break rules of the new version. When it is `false`, a migration that would leave
  /// such objects throws ``MigrationError/Code/invalidResult`` and the store stays as it was.
  public var allowsInvalid = false
  /// Whether, and where, the store is kept as it was.
  public var backup = Backup.none
  /// Whether a database that another system made, such as Core Data, may be migrated in its place.
  ///
  /// Such a database takes no other model, so a database of ours with the same tables, objects and UUID takes its place.
  /// The old one is always kept: beside it if ``backup`` does not say where.
  public var writesForeign = false
  /// Looks at the file of the new store before it takes the place of the old one; what it throws ends the
  /// migration, and the store is as it was. It is not asked where no row is written.
  public var checksResult: (@Sendable (_ path: String) throws -> Void)?
  /// Is told how far a migration is; what it throws ends it, and the store is as it was.
  public var progress: (@Sendable (MigrationProgress) throws -> Void)?

  /// What becomes of the store as it was.
  public enum Backup: Sendable, Hashable {
    /// It goes when the new one is there.
    case none
    /// It is kept beside the new one, under the store's name, the version's, and `.backup`.
    case beside
    /// It is kept at a path, where there must be nothing yet.
    case at(String)
  }

  /// A migrator that knows some versions and mappings.
  public init(
    knowing versions: [KnownVersion] = [], mappings: [MappingModel] = [],
    stages: [MigrationStage] = []
  ) {
    (self.versions, self.mappings, self.stages) = (versions, mappings, stages)
  }

  /// Infers what it can, and keeps nothing: what most programs want.
  public static var automatic: Migrator { Migrator() }
}

/// How far a migration is.
public struct MigrationProgress: Sendable, Hashable {
  /// The step that is being taken, from 1.
  public var step: Int
  /// How many steps there are.
  public var stepCount: Int
  /// How many objects and links are done in this step. Objects of a written mapping count three times: when
  /// they are made, related and checked.
  public var done: Int
  /// How many there are in this step.
  public var total: Int

  /// The share of the whole that is done, from 0 to 1.
  public var share: Double {
    let inStep = total > 0 ? Double(done) / Double(total) : 0
    return stepCount > 0 ? (Double(step - 1) + inStep) / Double(stepCount) : 1
  }
}

// MARK: - Plans

/// What a migration would do: the answer of a dry run.
public struct MigrationPlan: Sendable {
  /// The version that the store was written with.
  public let from: KnownVersion
  /// The version that it is to be of.
  public let to: KnownVersion
  /// The steps; none when the store is of the version already.
  public let steps: [MigrationStep]
  /// The type of the store, and the one that it is to be of.
  public let type: (before: StoreType, after: StoreType)
  /// For each entity of the store how many objects it has; empty in a report, which counts none.
  public let objectCounts: [(entity: String, count: Int)]
  /// Why rows are written anew, in words; empty when the same rows are read as what they are to be.
  public let rewritings: [String]
  /// What the store holds and the new version has no place for.
  public let losses: [MigrationProblem]
  /// The objects, values and links that the store contains and the migration drops.
  public let drops: [MigrationDrop]
  /// The objects that would break a rule of the new version, as far as the rows show it before the migration.
  /// The migration checks the result again.
  public let violations: [ValidationFailure]
  /// The objects that would share unique values of the new version, as far as the rows show it before the migration.
  public let constraintConflicts: [ConstraintConflict]
  /// Whether the store can take a new model without writing its rows.
  public let changesModelAlone: Bool

  /// Whether there is nothing to do.
  public var isEmpty: Bool { steps.isEmpty && type.before == type.after }
  /// Whether all objects are written anew.
  public var rewrites: Bool { !rewritings.isEmpty }
}

extension MigrationPlan: CustomStringConvertible {
  /// The plan in words.
  public var description: String {
    if isEmpty { return "The store is of \"\(to.name)\" already. There is nothing to do." }
    var lines: [String] = []
    for (index, step) in steps.enumerated() {
      let means: String
      switch step.means {
      case .inferred: means = "inferred"
      case .written: means = "by a written mapping"
      }
      lines.append(
        "\(index + 1). \"\(step.from.name)\" to \"\(step.to.name)\": \(means)"
          + (step.hasHandlers ? ", with what the program does before or after" : ""))
    }
    if type.before != type.after {
      lines.append(
        "The store of type \(type.before.rawValue) becomes one of \(type.after.rawValue).")
    }
    let count = objectCounts.reduce(0) { $0 + $1.count }
    let objects =
      objectCounts.isEmpty ? "all objects" : count == 1 ? "1 object" : "\(count) objects"
    let are = count == 1 ? "is" : "are"
    if rewrites {
      lines.append("\(objects.prefix(1).uppercased())\(objects.dropFirst()) \(are) written anew:")
      lines += rewritings.prefix(20).map { "  \($0)" }
      if rewritings.count > 20 { lines.append("  and \(rewritings.count - 20) more reasons") }
    } else {
      lines.append(
        changesModelAlone
          ? "No row is written: \(objects) \(are) read as \(count == 1 ? "it is" : "they are")."
          : "A store of type \(type.before.rawValue) may write \(objects) again to change its model."
      )
    }
    if losses.isEmpty, drops.isEmpty {
      lines.append("Nothing is lost.")
    } else if !losses.isEmpty {
      lines.append("This is lost:")
      lines += losses.map { loss in
        let count = objectCounts.first { $0.entity == loss.entity && loss.property == nil }?.count
        return "  \(loss)" + (count.map { " There are \($0)." } ?? "")
      }
    }
    if !drops.isEmpty {
      lines.append("The store contains, of what is lost:")
      lines += drops.map { "  \($0)" }
    }
    if !violations.isEmpty || !constraintConflicts.isEmpty {
      lines.append("These objects break rules of the new version:")
      lines += violationCounts.map { group in
        "  \(group.name): \(group.count), for example \(group.example)"
      }
    }
    return lines.joined(separator: "\n")
  }

  /// The violations and conflicts by entity and property, each with its first message.
  private var violationCounts: [(name: String, count: Int, example: String)] {
    var groups: [String: (count: Int, example: String)] = [:]
    for failure in violations {
      let name = failure.entity + (failure.key.map { ".\($0)" } ?? "")
      groups[name, default: (0, "\(failure.object.uri): \(failure.message)")].count += 1
    }
    for conflict in constraintConflicts {
      let name = "\(conflict.entity).\(conflict.constraint.joined(separator: ", "))"
      groups[name, default: (0, "\(conflict)")].count += 1
    }
    return groups.sorted { $0.key < $1.key }.map { ($0.key, $0.value.count, $0.value.example) }
  }
}

/// What a migration has done.
public struct MigrationReport: Sendable {
  /// What was planned.
  public let plan: MigrationPlan
  /// Where the store is kept as it was; `nil` when it is not.
  public let backupPath: String?
  /// How many references led to what is not there, or may not be led to any more.
  public let lostReferenceCount: Int
}
