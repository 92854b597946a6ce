public import Comparison
public import ObjectModel
import Quire
import StoreInterface

extension Difference {
  /// Opens both sides, with the types of stores that Quire contains.
  ///
  ///     let difference = try Difference(from: "Trips.quire@2", to: "Trips.quire")
  ///     for change in try difference.changes { print(change.kind, change.entity, change.object.id) }
  ///
  /// - Parameters:
  ///   - old: A document or a store, or a version of one: `Trips.quire@3`, `Trips.quire@draft~2`.
  ///   - new: The document or store with the changes.
  ///   - matching: The way in which objects of both sides match.
  ///   - model: The model of a store that does not contain its own.
  /// - Throws: `ComparisonError`; the errors of opening and reading.
  public convenience init(
    from old: String, to new: String, matching: MatchChoices = MatchChoices(), model: Model? = nil
  ) throws {
    try self.init(from: old, to: new, in: .builtIn, matching: matching, model: model)
  }
}
