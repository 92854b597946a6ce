/// Properties of an entity whose values, taken together, no two objects share.
///
///     let unique = Unique(\.name, \.start)
public struct UniqueKeys<Owner: EntityType>: EntityPart {
  private let columns: @Sendable () -> [String]

  /// The constraint over the given properties.
  public init<each Key: ColumnKey>(_ columns: repeat any KeyPath<Owner, each Key> & Sendable) {
    self.columns = names(of: repeat each columns)
  }

  /// Adds the constraint to its entity.
  public func add(to entity: inout Entity) { entity.uniquenessConstraints.append(columns()) }
}

/// Properties of an entity that stores keep an index over.
///
///     let byStart = Index("byStart", \.start, \.name)
public struct IndexKeys<Owner: EntityType>: EntityPart {
  private let name: String
  private let isAscending: Bool
  private let columns: @Sendable () -> [String]

  /// The index over the given properties, most significant first.
  public init<each Key: ColumnKey>(
    _ name: String, _ columns: repeat any KeyPath<Owner, each Key> & Sendable,
    isAscending: Bool = true
  ) {
    self.name = name
    self.isAscending = isAscending
    self.columns = names(of: repeat each columns)
  }

  /// Adds the index to its entity.
  public func add(to entity: inout Entity) {
    entity.fetchIndexes.append(
      FetchIndex(name, elements: columns().map { .init($0, isAscending: isAscending) }))
  }
}

/// The names of the properties at the given paths, to be had when the owner may be made: the paths
/// are among the properties of the owner itself.
private func names<Owner: EntityType, each Key: ColumnKey>(
  of columns: repeat any KeyPath<Owner, each Key> & Sendable
) -> @Sendable () -> [String] {
  var paths: [@Sendable (Owner) -> String] = []
  for column in repeat each columns { paths.append { $0[keyPath: column].name } }
  return { [paths] in
    let owner = Owner()
    return paths.map { $0(owner) }
  }
}
