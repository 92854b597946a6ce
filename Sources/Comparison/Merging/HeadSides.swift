package import Documents

/// The three versions of a merge of one head into another.
package struct HeadSides {
  /// The versions that the result names as merged; none if the receiving head contains the other one already.
  package let merged: [Int64]
  /// The newest common version, the head that receives the changes, and the newest version of the other head.
  package let names: (base: String, ours: String, theirs: String)
  /// The places of ``names``.
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
    let found = try document.heads.mergeBase(with: head)
    merged = found.isMerged ? [] : [found.theirs]
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
    var opened: [ComparedPlace] = []
    do {
      for (name, place) in [
        (names.base, places.base), (names.ours, places.ours), (names.theirs, places.theirs),
      ] {
        opened.append(try open(name, place))
      }
      return try MergeSources(base: opened[0], ours: opened[1], theirs: opened[2])
    } catch {
      for place in opened { place.close() }
      throw error
    }
  }
}
