/// A property that leads to other objects.
///
///     Relationship("stops", to: "Stop", inverse: "trip", count: .toMany, deleteRule: .cascade)
///     Relationship("trip", to: "Trip", inverse: "stops")
public struct Relationship: Sendable, Hashable {
  /// The relationship's name.
  public var name: String
  /// The name of the entity it leads to.
  public var destination: String
  /// The name of the relationship that leads back.
  public var inverse: String?
  /// The entity that declares the inverse, where the source names one: the destination or one of
  /// its superentities.
  public var inverseEntity: String?
  /// How many objects it may lead to.
  public var count: Count
  /// Whether the objects of a to-many relationship are in an order of their own.
  public var isOrdered: Bool
  /// What becomes of the objects at the other end when this one is deleted.
  public var deleteRule: DeleteRule
  /// Whether it may lead nowhere.
  public var isOptional: Bool
  /// Whether it lives in memory only.
  public var isTransient: Bool
  /// The name the relationship had in the version before, for migration.
  public var renamingIdentifier: String?
  /// Text that changes the version hash when nothing else does.
  public var versionHashModifier: String?
  /// Predicates that the objects it leads to must meet. Not part of the version hash.
  public var validationPredicates: [ValidationPredicate]
  /// Notes of the application's own.
  public var userInfo: [String: String]
  /// What the source says beyond the relationship.
  public var source: SourceDetails

  /// How many objects a relationship may lead to.
  public struct Count: Sendable, Hashable {
    /// The least number; 0 for none.
    public var minimum: Int
    /// The greatest number; 0 for any. A relationship with a greatest number of 1 is to-one.
    public var maximum: Int

    /// From `minimum` to `maximum` objects.
    public init(minimum: Int, maximum: Int) {
      self.minimum = minimum
      self.maximum = maximum
    }

    /// At most one object.
    public static let toOne = Count(minimum: 0, maximum: 1)
    /// Any number of objects.
    public static let toMany = Count(minimum: 0, maximum: 0)
  }

  /// What becomes of the objects at the other end when an object is deleted.
  ///
  /// The raw value is the number that compiled models carry.
  public enum DeleteRule: Int, Sendable, Hashable, CaseIterable {
    /// Nothing of their own. A reference to a deleted object can't be saved, so it is taken away.
    case noAction = 0
    /// Their link back is taken away.
    case nullify = 1
    /// They are deleted too.
    case cascade = 2
    /// The deletion is refused while there are any.
    case deny = 3
  }

  /// A relationship with the given name, destination and parts.
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
  /// Whether it may lead to more than one object.
  public var isToMany: Bool { count.maximum != 1 }

  /// Whether stores keep the order of its objects: it is ordered and leads to many.
  ///
  /// A model may mark a to-one relationship as ordered, as Core Data allows. The mark changes the
  /// version hash and nothing else.
  public var keepsOrder: Bool { isOrdered && isToMany }
}

extension Relationship {
  /// A number of objects that a to-many relationship must not lead to.
  public enum CountProblem: Sendable, Hashable {
    /// There are fewer objects than the given least number.
    case tooFew(least: Int)
    /// There are more objects than the given greatest number.
    case tooMany(most: Int)
  }

  /// Returns the problem of a to-many relationship that leads to so many objects; `nil` if the number is
  /// valid (spec §6.3.5).
  ///
  /// The least number decides, and not whether the relationship is optional: a required relationship
  /// with the least number 0 may lead to no object, as in Core Data. An optional one may lead to no object
  /// whatever the least number is.
  public func problem(withCount count: Int) -> CountProblem? {
    if count < self.count.minimum, count > 0 || !isOptional {
      return .tooFew(least: self.count.minimum)
    }
    if self.count.maximum > 0, count > self.count.maximum {
      return .tooMany(most: self.count.maximum)
    }
    return nil
  }

  /// Whether it matters to how many objects the relationship leads.
  public var limitsCount: Bool {
    isToMany ? count.minimum > 0 || count.maximum > 0 : !isOptional
  }
}
