public import Comparison
public import ObjectModel
import Quire
import StoreInterface

extension Patch {
  /// Makes the patch that turns the objects of one document or store into the objects of another, with the types of stores that
  /// Quire contains.
  ///
  ///     try Patch(from: "Trips.quire@3", to: "Trips.quire").write(to: "changes.jsonl")
  ///
  /// - Parameters:
  ///   - old: A document or a store, or a version of one: `Trips.quire@3`.
  ///   - new: The document or store with the changes.
  ///   - matching: The way in which objects of both sides match.
  ///   - model: The model of a store that does not contain its own.
  /// - Throws: `ComparisonError`; the errors of opening and reading.
  public init(
    from old: String, to new: String, matching: MatchChoices = MatchChoices(), model: Model? = nil
  ) throws {
    try self.init(from: old, to: new, in: .builtIn, matching: matching, model: model)
  }
}
