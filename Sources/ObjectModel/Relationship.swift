/// A property that refers to other objects.
///
///     Relationship("stops", to: "Stop", inverse: "trip", count: .toMany, deleteRule: .cascade)
///     Relationship("trip", to: "Trip", inverse: "stops")
public struct Relationship: Sendable, Hashable {
  public var name: String
  /// The name of the destination entity.
  public var destination: String
  /// The name of the inverse relationship.
  public var inverse: String?
  /// The entity that the source names for the inverse: the destination or one of its superentities.
  public var inverseEntity: String?
  /// The minimum and maximum number of objects.
  public var count: Count
  /// Whether the objects of a to-many relationship are ordered.
  public var isOrdered: Bool
  /// The effect of deleting an object on the objects at the other end.
  public var deleteRule: DeleteRule
  /// Whether the relationship may be empty.
  public var isOptional: Bool
  /// Whether the relationship is held in memory only.
  public var isTransient: Bool
  /// The name of the relationship in the previous version, for migration.
  public var renamingIdentifier: String?
  /// A text that changes the version hash, for a change that the hash does not otherwise cover.
  public var versionHashModifier: String?
  /// The predicates that the destination objects must meet. Not part of the version hash.
  public var validationPredicates: [ValidationPredicate]
  public var userInfo: [String: String]
  /// The details of the source that the relationship has no property for.
  public var source: SourceDetails

  /// The minimum and maximum number of objects of a relationship.
  public struct Count: Sendable, Hashable {
    /// The minimum number; 0 for none.
    public var minimum: Int
    /// The maximum number; 0 for no limit. A relationship with a maximum of 1 is to-one.
    public var maximum: Int

    /// Creates a range from `minimum` to `maximum` objects.
    public init(minimum: Int, maximum: Int) {
      self.minimum = minimum
      self.maximum = maximum
    }

    public static let toOne = Count(minimum: 0, maximum: 1)
    public static let toMany = Count(minimum: 0, maximum: 0)
  }

  /// The effect of deleting an object on the objects at the other end of a relationship.
  ///
  /// The raw value is the number in compiled models.
  public enum DeleteRule: Int, Sendable, Hashable, CaseIterable {
    /// The rule changes nothing at the other end. A reference to a deleted object can't be saved, so such a
    /// reference is removed.
    case noAction = 0
    /// The references back to the deleted object are removed.
    case nullify = 1
    /// The objects at the other end are deleted too.
    case cascade = 2
    /// The deletion is rejected while there are objects at the other end.
    case deny = 3
  }

  /// Creates a relationship with the given name, destination and parts.
  public init(
    _ name: String,
    to destination: String,
    inverse: String? = nil,
    inverseEntity: String? = nil,
    count: Count = .toOne,
    isOrdered: Bool = false,
    deleteRule: DeleteRule = .nullify,
    isOptional: Bool = true,
    isTransient: Bool = false,
    renamingIdentifier: String? = nil,
    versionHashModifier: String? = nil,
    validationPredicates: [ValidationPredicate] = [],
    userInfo: [String: String] = [:],
    source: SourceDetails = SourceDetails()
  ) {
    self.name = name
    self.destination = destination
    self.inverse = inverse
    self.inverseEntity = inverseEntity
    self.count = count
    self.isOrdered = isOrdered
    self.deleteRule = deleteRule
    self.isOptional = isOptional
    self.isTransient = isTransient
    self.renamingIdentifier = renamingIdentifier
    self.versionHashModifier = versionHashModifier
    self.validationPredicates = validationPredicates
    self.userInfo = userInfo
    self.source = source
  }
}

extension Relationship {
  /// Whether the relationship may refer to more than one object.
  public var isToMany: Bool { count.maximum != 1 }

  /// Whether stores keep the order of the objects: the relationship is ordered and to-many.
  ///
  /// A model may mark a to-one relationship as ordered, as in Core Data. The mark affects only the version hash.
  public var keepsOrder: Bool { isOrdered && isToMany }
}

extension Relationship {
  /// An invalid number of objects of a relationship.
  public enum CountProblem: Sendable, Hashable {
    /// The number is less than the given minimum.
    case tooFew(least: Int)
    /// The number is greater than the given maximum.
    case tooMany(most: Int)
  }

  /// Returns the problem with a to-many relationship that refers to `count` objects; `nil` if the number is valid
  /// (spec §6.3.5).
  ///
  /// For a required relationship only the minimum matters: with the minimum 0 the relationship may be empty,
  /// as in Core Data. An optional relationship may be empty regardless of its minimum.
  public func problem(withCount count: Int) -> CountProblem? {
    if count < self.count.minimum, count > 0 || !isOptional {
      return .tooFew(least: self.count.minimum)
    }
    if self.count.maximum > 0, count > self.count.maximum {
      return .tooMany(most: self.count.maximum)
    }
    return nil
  }

  /// Whether the number of objects can be invalid.
  public var limitsCount: Bool {
    isToMany ? count.minimum > 0 || count.maximum > 0 : !isOptional
  }
}
