/// The rule by which the objects of an entity are matched.
enum MatchRule {
  /// Objects with equal numbers match.
  case identifier
  /// Objects with equal values of these properties match.
  case key(MatchKey)

  /// The key; `nil` for a match by identifier.
  var key: MatchKey? { if case .key(let key) = self { key } else { nil } }
}
