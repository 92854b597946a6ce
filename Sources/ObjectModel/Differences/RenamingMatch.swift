/// The matches between the parts of a newer model and the parts of an older model that they continue (spec §2.5.3).
struct RenamingMatch {
  /// For each new part, the position of the old part that the new part continues.
  private(set) var oldPositions: [Int?]
  /// The positions of the old parts that no new part continues.
  private(set) var removed: [Int]

  /// A part's name, and its name in the previous version if the part states one.
  struct Part {
    var name: String
    var renamingIdentifier: String?
  }

  /// Matches parts in four passes: by equal name and renaming identifier, by renaming identifier and old name, by
  /// equal renaming identifiers, and by equal name.
  init(old: [Part], new: [Part]) {
    let byName = Dictionary(
      old.indices.map { (old[$0].name, $0) }, uniquingKeysWith: { first, _ in first })
    let byIdentifier = Dictionary(
      old.indices.compactMap { index in old[index].renamingIdentifier.map { ($0, index) } },
      uniquingKeysWith: { first, _ in first })
    var isTaken = [Bool](repeating: false, count: old.count)
    var matches = [Int?](repeating: nil, count: new.count)
    func match(_ find: (Part) -> Int?) {
      for (index, part) in new.enumerated() where matches[index] == nil {
        guard let found = find(part), !isTaken[found] else { continue }
        matches[index] = found
        isTaken[found] = true
      }
    }
    match { part in
      byName[part.name].flatMap { old[$0].renamingIdentifier == part.renamingIdentifier ? $0 : nil }
    }
    match { part in part.renamingIdentifier.flatMap { byName[$0] } }
    match { part in part.renamingIdentifier.flatMap { byIdentifier[$0] } }
    match { part in byName[part.name] }
    oldPositions = matches
    removed = old.indices.filter { !isTaken[$0] }
  }
}
