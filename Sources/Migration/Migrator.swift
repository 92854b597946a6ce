import ModelNotations
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
/// A document migrates on its own when it is opened with a newer model, with a migrator for its options. Use the type
/// directly for stores outside of documents, for a dry run, or for tests of a written mapping.
///
/// The version of a store is determined from its version hashes. From that version the migrator takes the shortest
/// path over the known versions, by written and inferred mappings, or follows the given stages. The old store stays
/// unchanged until the new store is complete, checked and durable. Then one switch replaces it, so an interrupted
/// program leaves either the old or the new store.
///
/// If the changes only add, drop and rename optional properties and entities, and the store keeps rows as they are,
/// no row is written. The time does not depend on the number of rows then.
public struct Migrator: Sendable {
  /// The versions that a path may use, in their order. The store's own version and the wanted version need not be
  /// among them.
  public var versions: [KnownVersion]
  public var mappings: [MappingModel]
  /// The stages to follow. If there are any, no other path is searched.
  public var stages: [MigrationStage]
  /// Whether mappings may be inferred.
  public var infersMappings = true
  /// The functions that create the policies named by mappings.
  public var policies: [String: @Sendable () -> EntityMigrationPolicy] = [:]
  /// The classes of the objects of the wanted version. Their own validation is part of the final check.
  public var classes: [ManagedObject.Type] = []
  /// The transformers that turn the values of transformable attributes into bytes and back.
  public var transformers: [ValueTransformer] = []
  /// Whether a migration may drop objects, values other than the default, and links. If `false`, a migration that
  /// would drop any throws ``MigrationError/Code/wouldLose`` and writes nothing.
  public var allowsLoss = false
  /// The entities and properties whose losses are allowed, by their names in the store's version.
  var allowedLosses: Set<String> = []
  /// Whether objects may break rules of the new version. If `false`, a migration that would leave such objects throws
  /// ``MigrationError/Code/invalidResult`` and the store stays unchanged.
  public var allowsInvalid = false
  /// Whether a backup of the old store is kept, and at which path.
  public var backup = Backup.none
  /// Whether a database of another system, such as Core Data, may be replaced by a migrated one.
  ///
  /// Such a database can't take another model. A database of this format with the same tables, objects and UUID
  /// replaces it. The old database is always kept, beside the new one unless ``backup`` gives another path.
  public var writesForeign = false
  /// Checks the file of the new store before it replaces the old one. If the closure throws, the migration ends and
  /// the store stays unchanged. It is not called if no row is written.
  public var checksResult: (@Sendable (_ path: String) throws -> Void)?
  /// Receives the progress of a migration. If the closure throws, the migration ends and the store stays unchanged.
  public var progress: (@Sendable (MigrationProgress) throws -> Void)?

  /// The treatment of the old store.
  public enum Backup: Sendable, Hashable {
    /// The old store is removed once the new store is in place.
    case none
    /// The old store is kept beside the new one. Its name consists of the store's name, the version's name, and
    /// `.backup`.
    case beside
    /// The old store is kept at the given path, where no file may exist yet.
    case at(String)
  }

  /// Creates a migrator that knows some versions and mappings.
  public init(
    knowing versions: [KnownVersion] = [], mappings: [MappingModel] = [],
    stages: [MigrationStage] = []
  ) {
    (self.versions, self.mappings, self.stages) = (versions, mappings, stages)
  }

  /// Allows a migration to drop objects, values and links of the named entities and properties. Any other loss stays
  /// refused.
  ///
  ///     var migrator = Migrator(knowing: .init(try ModelVersions.read("Trips.xcdatamodeld")))
  ///     migrator.allowsLoss(of: "Book.authorList", "Draft")
  ///
  /// Use this method if you know which properties a new version of the model drops on purpose. A later version then can't
  /// drop further properties unnoticed, as it could with ``allowsLoss``. The names are the names in the store's version of
  /// the model, as in ``MigrationPlan/drops``. The name of an entity stands for its objects and all of their properties.
  public mutating func allowsLoss(of names: String...) { allowedLosses.formUnion(names) }

  /// A migrator that infers every mapping and keeps no backup. Most programs use this one.
  public static var automatic: Migrator { Migrator() }
}

/// The progress of a migration.
public struct MigrationProgress: Sendable, Hashable {
  /// The number of the current step, from 1.
  public var step: Int
  public var stepCount: Int
  /// The number of finished objects and links in this step. Objects of a written mapping count three times: when they
  /// are made, related and checked.
  public var done: Int
  /// The number of objects and links in this step.
  public var total: Int

  /// The completed share of the whole migration, from 0 to 1.
  public var share: Double {
    let inStep = total > 0 ? Double(done) / Double(total) : 0
    return stepCount > 0 ? (Double(step - 1) + inStep) / Double(stepCount) : 1
  }
}

// MARK: - Plans

/// The plan of a migration: the result of a dry run.
public struct MigrationPlan: Sendable {
  /// The version that the store was written with.
  public let from: KnownVersion
  /// The version that the store gets.
  public let to: KnownVersion
  /// The steps; empty if the store has the version already.
  public let steps: [MigrationStep]
  /// The type of the store before and after the migration.
  public let type: (before: StoreType, after: StoreType)
  /// The number of objects of each entity of the store. Empty in a report, for which objects are not counted.
  public let objectCounts: [(entity: String, count: Int)]
  /// The reasons to write rows again, in words. Empty if the new model reads the old rows.
  public let rewritings: [String]
  /// The entities and properties of the store that the new version does not have.
  public let losses: [MigrationProblem]
  /// The objects, values and links that the store contains and the migration drops.
  public let drops: [MigrationDrop]
  /// The objects that would break a rule of the new version, as far as the rows show it before the migration. The
  /// migration checks the result again.
  public let violations: [ValidationFailure]
  /// The objects that would share unique values of the new version, as far as the rows show it before the migration.
  public let constraintConflicts: [ConstraintConflict]
  /// Whether the store can take a new model without writing its rows.
  public let changesModelAlone: Bool

  /// Whether there is nothing to do.
  public var isEmpty: Bool { steps.isEmpty && type.before == type.after }
  /// Whether all objects are written again.
  public var rewrites: Bool { !rewritings.isEmpty }
}

extension MigrationPlan: CustomStringConvertible {
  public var description: String {
    if isEmpty { return "The store has version \"\(to.name)\" already. There is nothing to do." }
    var lines: [String] = []
    for (index, step) in steps.enumerated() {
      if step.from.isSame(as: step.to) {
        lines.append(
          "\(index + 1). \"\(step.to.name)\" stays the version: rules, default values, indexes or names of classes "
            + "change.")
        continue
      }
      let means: String
      switch step.means {
      case .inferred: means = "inferred"
      case .written: means = "by a written mapping"
      }
      lines.append(
        "\(index + 1). \"\(step.from.name)\" to \"\(step.to.name)\": \(means)"
          + (step.hasHandlers ? ", with handlers of the program before or after" : ""))
    }
    if type.before != type.after {
      lines.append(
        "The type of the store changes from \(type.before.rawValue) to \(type.after.rawValue).")
    }
    let count = objectCounts.reduce(0) { $0 + $1.count }
    let objects =
      objectCounts.isEmpty ? "all objects" : count == 1 ? "1 object" : "\(count) objects"
    let are = count == 1 ? "is" : "are"
    if rewrites {
      lines.append("\(objects.prefix(1).uppercased())\(objects.dropFirst()) \(are) written again:")
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
      lines.append("The store contains this data, which is lost:")
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

/// The result of a migration.
public struct MigrationReport: Sendable {
  /// The plan that was carried out.
  public let plan: MigrationPlan
  /// The path of the backup of the old store; `nil` if none was kept.
  public let backupPath: String?
  /// The number of dropped references, whose objects are missing or no longer allowed as targets.
  public let lostReferenceCount: Int
}
