import Documents
import DurableFiles
public import ObjectGraph
public import ObjectModel
public import StoreInterface

extension Merge {
  /// Opens the three copies, and finds the conflicts.
  ///
  /// - Parameters:
  ///   - base: The document or store that both copies derive from, or a version: `Trips.quire@3`. An empty file
  ///     counts as a store without objects.
  ///   - ours: The copy that receives the changes.
  ///   - theirs: The copy with the changes.
  ///   - places: The backends that open stores, and the disk.
  ///   - matching: The way in which objects of the copies match.
  ///   - renumbers: Whether an object of `theirs` gets a new identifier if another object of `ours` has its own. Otherwise
  ///     this is an error.
  ///   - model: The model of stores that do not contain their own.
  /// - Throws: ``ComparisonError``, such as ``ComparisonError/Code/differentModels`` or
  ///   ``ComparisonError/Code/sameIdentifiers``; the errors of opening and reading.
  public convenience init(
    base: String, ours: String, theirs: String, in places: StorePlaces,
    matching: MatchChoices = MatchChoices(), renumbers: Bool = false, model: Model? = nil
  ) throws {
    func opened(_ name: String, mayBeEmpty: Bool = false) throws -> ComparedPlace {
      try ComparedPlace(name, in: places, model: model, mayBeEmpty: mayBeEmpty)
    }
    try self.init(
      translating: MergeSources.open(
        base: opened(base, mayBeEmpty: true), ours: opened(ours), theirs: opened(theirs)),
      PlaceOpening(places, model: model), matching, renumbers: renumbers)
  }

  /// Finds the conflicts of a merge of copies that are open. Closes them if that fails.
  ///
  /// - Parameters:
  ///   - taken: The versions of other heads and replicas that the result names as merged.
  ///   - receiver: The document that receives the changes, if the caller has it open.
  convenience init(
    translating sources: MergeSources, _ opening: PlaceOpening, _ matching: MatchChoices,
    renumbers: Bool, taken: TakenVersions = TakenVersions(), receiver: Document? = nil
  ) throws {
    do {
      try self.init(sources, opening, taken: taken, receiver: receiver) { part in
        try MergeTranslation(part, matching, renumbers: renumbers).layers()
      }
    } catch {
      sources.close()
      throw error
    }
  }

  /// Opens the document or store that receives the changes of a patch, and finds the conflicts.
  ///
  ///     let patch = try Patch(contentsOf: "changes.jsonl")
  ///     try Merge(patch, into: "Trips.quire", in: places).save()
  ///
  /// A value must be the old or the new value of the patch. Any further value is a conflict.
  ///
  /// - Parameters:
  ///   - places: The backends that open stores, and the disk.
  ///   - renumbers: Whether an inserted object gets a new identifier if another object has its own. Otherwise this is an
  ///     error.
  ///   - model: The model of a store that does not contain its own.
  /// - Throws: ``ComparisonError``, such as ``ComparisonError/Code/badPatch``; the errors of opening and reading.
  public convenience init(
    _ patch: Patch, into ours: String, in places: StorePlaces, renumbers: Bool = false,
    model: Model? = nil
  ) throws {
    let place = try ComparedPlace(ours, in: places, model: model)
    do {
      let sources = try MergeSources(base: place, ours: place, theirs: place)
      try patch.check(sources.parts(into: place.stores))
      try self.init(sources, PlaceOpening(places, model: model)) { part in
        try patch.layers(part, renumbers: renumbers)
      }
    } catch {
      place.close()
      throw error
    }
  }

  /// Changes `ours`: saves a version with the merged changes.
  ///
  /// - Parameter choice: Returns the side that wins a conflict; `nil` to leave the conflict, and write nothing.
  /// - Returns: The numbers of objects that were inserted, changed and deleted.
  /// - Throws: ``ComparisonError`` with code ``ComparisonError/Code/conflict`` if a conflict is left, and
  ///   ``ComparisonError/Code/badPlace`` if `ours` is a version; `ContextError` if the result is not valid; the errors of
  ///   saving.
  @discardableResult
  public func save(
    resolving choice: (Conflict) throws -> MergeSide? = { _ in nil }
  ) throws -> Counts {
    try target.checkChangeable()
    let resolved = try resolved(by: sides(choice))
    if resolved.hasChanges { try target.change { _ = try put(resolved, into: $0) } }
    return resolved.counts
  }

  /// Writes a copy of `ours` with the merged changes, and leaves `ours` alone.
  ///
  /// - Parameters:
  ///   - path: The path of the copy, at which nothing may be yet. A document is packed if the path ends in `.zip`. A store keeps
  ///     its type.
  ///   - choice: Returns the side that wins a conflict; `nil` to leave the conflict, and write nothing.
  /// - Returns: The numbers of objects that were inserted, changed and deleted.
  /// - Throws: As ``save(resolving:)`` does; `DiskError` or `StoreError` if there is something at the path.
  @discardableResult
  public func write(
    to path: String, resolving choice: (Conflict) throws -> MergeSide? = { _ in nil }
  ) throws -> Counts {
    let resolved = try resolved(by: sides(choice))
    try target.make(at: path) { _ = try put(resolved, into: $0) }
    return resolved.counts
  }

  private func sides(_ choice: (Conflict) throws -> MergeSide?) throws -> [MergeSide] {
    var left: [Conflict] = []
    let sides = try conflicts.compactMap { conflict in
      let side = try choice(conflict)
      if side == nil { left.append(conflict) }
      return side
    }
    guard left.isEmpty else {
      throw ComparisonError(
        .conflict,
        "The copies are in conflict, and nothing was written. \(left.count == 1 ? "The conflict is" : "The first of \(left.count) conflicts is"): \(left[0])",
        hint: "Choose the side that wins each conflict.")
    }
    return sides
  }
}
