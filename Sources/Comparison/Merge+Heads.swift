public import Documents
public import ObjectGraph
public import StoreInterface

extension Merge {
  /// Opens a document, and finds the conflicts of a merge of another head into its head.
  ///
  ///     let merge = try Merge(of: "draft", into: "Trips.quire", in: places)
  ///     for conflict in merge.conflicts { print(conflict) }
  ///     try merge.save { _ in .ours }
  ///
  /// The base is the newest version from which both heads derive, so the head that was merged once can be merged again.
  /// The saved version names the version that was merged. If that is merged already, nothing is saved.
  ///
  /// - Parameters:
  ///   - head: The head with the changes.
  ///   - ours: The path of the document, whose current head receives the changes, or a head: `Trips.quire@main`.
  ///   - places: The backends that open stores, and the disk.
  ///   - matching: The way in which objects of the heads match.
  ///   - renumbers: Whether an object of `head` gets a new identifier if another object has its own. Otherwise this is an
  ///     error.
  /// - Throws: `DocumentError` with code `noHead`, or with code `noVersion` if all common versions were forgotten;
  ///   ``ComparisonError`` with code ``ComparisonError/Code/badPlace`` if the heads are one head; the errors of opening and
  ///   reading.
  public convenience init(
    of head: String, into ours: String, in places: StorePlaces,
    matching: MatchChoices = MatchChoices(), renumbers: Bool = false
  ) throws {
    let place = try VersionedPath(ours, on: places.disk)
    let document = try places.openDocument(
      place.path, access: .readOnly, version: place.version)
    defer { try? document.close() }
    let heads = try HeadSides(of: head, into: document, named: ours, at: place)
    try self.init(
      heads.sources { try ComparedPlace($0, at: $1, in: places) }, PlaceOpening(places, model: nil),
      heads, matching, renumbers)
  }

  private convenience init(
    _ sources: MergeSources, _ opening: PlaceOpening, _ heads: HeadSides,
    _ matching: MatchChoices, _ renumbers: Bool, receiver: Document? = nil
  ) throws {
    do {
      try self.init(sources, opening, merged: heads.merged, receiver: receiver) { part in
        try MergeTranslation(part, matching, renumbers: renumbers).layers()
      }
    } catch {
      sources.close()
      throw error
    }
  }

  fileprivate convenience init(
    of head: String, into document: Document, _ matching: MatchChoices, _ renumbers: Bool
  ) throws {
    let place = VersionedPath(document.path, VersionReference(.head(document.head)))
    let heads = try HeadSides(
      of: head, into: document, named: "\(document.path)@\(document.head)", at: place)
    try self.init(
      heads.sources { try ComparedPlace($0, at: $1, in: document.places) },
      PlaceOpening(document.places, model: nil), heads,
      matching, renumbers, receiver: document)
  }
}

extension Document {
  /// Merges another head into the open one, and saves the result as a version that names the version of the other head.
  ///
  ///     try document.merge(from: "draft") { conflict in conflict.property == "name" ? .theirs : .ours }
  ///
  /// Contexts of the document show the merged changes as they show those of another process. ``Comparison/Merge`` shows the
  /// conflicts before anything is decided.
  ///
  /// - Parameters:
  ///   - head: The head with the changes, which stays as it is.
  ///   - matching: The way in which objects of the heads match.
  ///   - renumbers: Whether an object of `head` gets a new identifier if another object has its own. Otherwise this is an
  ///     error.
  ///   - author: The author of the version.
  ///   - message: A message about the merge, for people.
  ///   - choice: Returns the side that wins a conflict; `nil` to leave the conflict, and save nothing.
  /// - Returns: The numbers of objects that were inserted, changed and deleted.
  /// - Throws: ``Comparison/ComparisonError`` with code `conflict` if a conflict is left; `ContextError` if the result is
  ///   not valid; `DocumentError`; the errors of saving. The document is unchanged then.
  @discardableResult
  public func merge(
    from head: String, matching: MatchChoices = MatchChoices(), renumbers: Bool = false,
    author: String? = nil, message: String? = nil,
    resolving choice: (Merge.Conflict) throws -> MergeSide? = { _ in nil }
  ) throws -> Merge.Counts {
    let merge = try Merge(of: head, into: self, matching, renumbers)
    (merge.author, merge.message) = (author, message)
    return try merge.save(resolving: choice)
  }
}
