public import Comparison
public import ObjectModel
import Quire
import StoreInterface

extension Merge {
  /// Opens the three copies, with the types of stores that Quire contains, and finds the conflicts.
  ///
  ///     let merge = try Merge(base: "Trips.quire@3", ours: "Trips.quire", theirs: "Copy.quire")
  ///     try merge.save { conflict in conflict.property == "name" ? .theirs : .ours }
  ///
  /// - Parameters:
  ///   - base: The document or store that both copies derive from, or a version: `Trips.quire@3`. An empty file
  ///     counts as a store without objects.
  ///   - ours: The copy that receives the changes.
  ///   - theirs: The copy with the changes.
  ///   - matching: The way in which objects of the copies match.
  ///   - renumbers: Whether an object of `theirs` gets a new identifier if another object of `ours` has its own. Otherwise
  ///     this is an error.
  ///   - model: The model of stores that do not contain their own.
  /// - Throws: `ComparisonError`; the errors of opening and reading.
  public convenience init(
    base: String, ours: String, theirs: String, matching: MatchChoices = MatchChoices(),
    renumbers: Bool = false, model: Model? = nil
  ) throws {
    try self.init(
      base: base, ours: ours, theirs: theirs, in: .builtIn, matching: matching,
      renumbers: renumbers, model: model)
  }

  /// Opens a document, and finds the conflicts of a merge of another head into its head, with the types of stores that Quire
  /// contains.
  ///
  ///     try Merge(of: "draft", into: "Trips.quire").save { _ in .theirs }
  ///
  /// - Parameters:
  ///   - head: The head with the changes.
  ///   - ours: The path of the document, whose current head receives the changes, or a head: `Trips.quire@main`.
  ///   - matching: The way in which objects of the heads match.
  ///   - renumbers: Whether an object of `head` gets a new identifier if another object has its own. Otherwise this is an
  ///     error.
  /// - Throws: As `init(of:into:in:matching:renumbers:)`.
  public convenience init(
    of head: String, into ours: String, matching: MatchChoices = MatchChoices(),
    renumbers: Bool = false
  ) throws {
    try self.init(
      of: head, into: ours, in: .builtIn, matching: matching, renumbers: renumbers)
  }

  /// Opens the document or store that receives the changes of a patch, with the types of stores that Quire contains.
  ///
  ///     try Merge(Patch(contentsOf: "changes.jsonl"), into: "Trips.quire").save()
  ///
  /// - Parameters:
  ///   - renumbers: Whether an inserted object gets a new identifier if another object has its own. Otherwise this is an
  ///     error.
  ///   - model: The model of a store that does not contain its own.
  /// - Throws: `ComparisonError`; the errors of opening and reading.
  public convenience init(
    _ patch: Patch, into ours: String, renumbers: Bool = false, model: Model? = nil
  ) throws {
    try self.init(patch, into: ours, in: .builtIn, renumbers: renumbers, model: model)
  }
}
