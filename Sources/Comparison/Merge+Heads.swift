public import Documents
public import ObjectGraph
public import StoreInterface

extension Merge {
  /// Opens a document, and finds the conflicts of a merge of one of its heads into another head.
  ///
  ///     let merge = try Merge(of: "draft", into: "Trips.quire", in: places)
  ///     for conflict in merge.conflicts { print(conflict) }
  ///     try merge.save { _ in .ours }
  ///
  /// The base is the newest version from which both heads derive, so a head can be merged again and again. The saved version
  /// names the merged version. If the receiving head contains that version already, nothing is saved.
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
    try self.init(
      HeadSides(of: head, into: document, named: ours, at: place), in: places, matching,
      renumbers: renumbers)
  }

  fileprivate convenience init(
    _ heads: HeadSides, in places: StorePlaces, _ matching: MatchChoices, renumbers: Bool,
    receiver: Document? = nil
  ) throws {
    try self.init(
      translating: heads.sources { try ComparedPlace($0, at: $1, in: places) },
      PlaceOpening(places, model: nil), matching, renumbers: renumbers, taken: heads.taken,
      receiver: receiver)
  }
}

extension Document {
  /// Merges the changes of a head into the open one, and saves them as a version that names the merged version.
  ///
  ///     try document.merge(from: "draft") { conflict in conflict.property == "name" ? .theirs : .ours }
  ///
  /// Contexts of the document show the merged changes as they show the saves of another process. To look at the conflicts first,
  /// use ``Comparison/Merge``.
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
    let own = VersionedPath(path, VersionReference(.head(self.head)))
    let heads = try HeadSides(of: head, into: self, named: "\(path)@\(self.head)", at: own)
    let merge = try Merge(heads, in: places, matching, renumbers: renumbers, receiver: self)
    (merge.author, merge.message) = (author, message)
    return try merge.save(resolving: choice)
  }
}
