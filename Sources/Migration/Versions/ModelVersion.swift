public import ObjectGraph
import ObjectModel

/// A version of a model that classes declare, like SwiftData's `VersionedSchema`.
///
///     enum TripsV1: ModelVersion {
///       static let classes: [ManagedObject.Type] = [Trip.self]
///
///       @Entity final class Trip: ManagedObject {
///         var name: String
///       }
///     }
///
/// The classes of several versions may have the same names, because each lies in the type of its version.
public protocol ModelVersion: Sendable {
  /// The name of the version in messages. The default is the name of the Swift type.
  static var versionName: String { get }

  static var classes: [ManagedObject.Type] { get }
}

extension ModelVersion {
  /// The name of the Swift type.
  public static var versionName: String { nameOfType(Self.self) }
}

extension MigrationStage {
  /// Returns a stage with steps that are all inferred.
  ///
  /// - Throws: `ModelError` if the classes of a version make no model.
  public static func lightweight(
    _ versions: any ModelVersion.Type..., before: Handler? = nil, after: Handler? = nil
  ) throws -> MigrationStage {
    lightweight(try versions.map { try KnownVersion($0) }, before: before, after: after)
  }

  /// Returns a stage from one version to the next in which the program changes objects. The handlers get objects of
  /// the classes of the version that is migrated from, or to.
  ///
  ///     let stage = try MigrationStage.custom(from: TripsV1.self, to: TripsV2.self, after: { context in
  ///       for trip in try context.fetch(TripsV2.Trip.self) { trip.title = trip.title.capitalized }
  ///     })
  ///
  /// - Throws: `ModelError` if the classes of a version make no model.
  public static func custom(
    from version: any ModelVersion.Type, to next: any ModelVersion.Type, before: Handler? = nil,
    after: Handler? = nil
  ) throws -> MigrationStage {
    custom(
      from: try KnownVersion(version), to: try KnownVersion(next), before: before, after: after)
  }
}

extension Migrator {
  /// Creates a migrator that knows the versions that classes declare, the oldest first, and the stages between them.
  /// A step without a stage is inferred.
  ///
  /// - Throws: `ModelError` if the classes of a version make no model.
  public init(
    _ oldest: any ModelVersion.Type, _ others: any ModelVersion.Type...,
    stages: [MigrationStage] = []
  ) throws {
    let versions = try ([oldest] + others).map { try KnownVersion($0) }
    var stages = stages
    // Stages must lead to the newest version.
    if let last = stages.last?.versions.last, let place = versions.position(of: last),
      place < versions.count - 1
    {
      stages.append(.lightweight(Array(versions[place...])))
    }
    self.init(knowing: versions, stages: stages)
  }
}
