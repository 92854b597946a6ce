package import Documents

/// The three versions of a merge of one head into another.
package struct HeadSides {
  /// The versions that the result names as merged. The list is empty if the receiving head contains the newest version of the
  /// head with the changes already.
  package let taken: TakenVersions
  /// The newest common version, the head that receives the changes, and the newest version of the head with the changes.
  package let names: (base: String, ours: String, theirs: String)
  package let places: (base: VersionedPath, ours: VersionedPath, theirs: VersionedPath)

  /// Finds the versions.
  ///
  /// - Parameters:
  ///   - head: The head with the changes.
  ///   - document: The document, with the receiving head open.
  ///   - ours: The name of the receiving head in messages.
  ///   - place: The place of the receiving head.
  package init(
    of head: String, into document: Document, named ours: String, at place: VersionedPath
  ) throws {
    guard head != document.head else {
      throw ComparisonError(
        .badPlace, "'\(ours)' is the head '\(head)' itself.", path: document.path,
        hint: "Name another head. 'quire branch' lists them.")
    }
    if try document.remotes.known.contains(where: { $0.head == head && $0.isShown }) {
      throw ComparisonError(
        .badPlace,
        "The head '\(head)' shows the document of another device, without the changes of this one.",
        path: document.path,
        hint:
          "Merge it with 'quire pull', and decide its conflicts with --ours, --theirs or --interactive."
      )
    }
    let found = try document.heads.mergeBase(with: head)
    taken = TakenVersions(merged: found.isMerged ? [] : [found.theirs])
    func version(_ number: Int64) -> VersionedPath {
      VersionedPath(place.path, VersionReference(.number(number)))
    }
    names = ("\(place.path)@\(found.base)", ours, "\(place.path)@\(head)")
    places = (version(found.base), place, version(found.theirs))
  }

  /// Opens the three versions with `open`.
  package func sources(
    _ open: (_ name: String, _ place: VersionedPath) throws -> ComparedPlace
  ) throws -> MergeSources {
    try MergeSources.open(
      base: open(names.base, places.base), ours: open(names.ours, places.ours),
      theirs: open(names.theirs, places.theirs))
  }
}
