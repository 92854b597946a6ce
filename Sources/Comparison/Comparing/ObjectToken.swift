import ObjectModel

/// The identity of an object in a comparison: matching objects of both sides have equal tokens.
enum ObjectToken: Hashable {
  /// An object that is matched by its number, with the position of its entity's pair.
  case identifier(pair: Int, UInt64)
  /// An object that is matched by its key.
  case key(pair: Int, UInt128)
  /// An object of an entity that is not compared.
  case other(ComparedSide, ObjectKey)
}
