/// The way in which objects of two stores are matched.
///
/// By default objects of two copies of a store match by their identifiers. Objects of stores that were made apart match by
/// the first uniqueness constraint of their entity, or by identifier if it has none.
///
///     let difference = try Difference(
///       from: "Trips.store", to: "Trips.sqlite", matching: .properties(["Trip": ["name"], "Stop": ["trip", "name"]]))
public struct MatchChoices: Sendable {
  /// The rule for the entities without their own key; `nil` for the default.
  package var mode: Mode?
  /// The keys, in the order in which the caller gives them.
  package var keys: [Key] = []

  public init() {}

  package enum Mode: String, CaseIterable, Sendable {
    /// Objects with equal identifiers match.
    case identifier
    /// Objects with equal values of a uniqueness constraint match.
    case unique
  }

  /// The names of properties by which objects match.
  package struct Key: Sendable {
    /// The entity, which includes its subentities; `nil` for every entity that has the properties.
    package var entity: String?
    package var names: [String]

    package init(entity: String?, names: [String]) {
      self.entity = entity
      self.names = names
    }
  }

  /// Objects with equal identifiers match, also in stores that were made apart.
  public static var identifier: MatchChoices { MatchChoices(.identifier) }

  /// Objects with equal values of a uniqueness constraint match, also in copies of one store.
  public static var unique: MatchChoices { MatchChoices(.unique) }

  /// Returns the choice to match the objects of some entities by the values of properties, and all further objects by
  /// the default.
  ///
  /// A match by properties needs about 28 bytes of memory for each object. Several objects of one store with the same
  /// values are an error.
  ///
  /// - Parameter keys: The attributes and to-one relationships to match by, for each entity. Subentities are included.
  public static func properties(_ keys: [String: [String]]) -> MatchChoices {
    var choices = MatchChoices()
    choices.keys = keys.sorted { $0.key < $1.key }.map { Key(entity: $0.key, names: $0.value) }
    return choices
  }

  private init(_ mode: Mode) { self.mode = mode }
}
