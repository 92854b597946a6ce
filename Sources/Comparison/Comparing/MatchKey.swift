/// The properties of an entity by whose values objects are matched.
struct MatchKey {
  /// The names, in the new model.
  let names: [String]
  /// The positions of the properties in each side's entity.
  let positions: [BothSides<Int>]
}
