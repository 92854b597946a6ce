/// Which part of an older model each part of a newer one continues (spec §2.5.3).
struct RenamingMatch {
  /// For each new part, the position of the old part that it continues.
  private(set) var oldPositions: [Int?]
  /// The positions of the old parts that no new one continues.
  private(set) var removed: [Int]

  /// A part's name and the name it says it had before.
  struct Part {
    var name: String
    var renamingIdentifier: String?
  }

  /// Matches parts that are the same in both; then those whose renaming identifier is the name, or
  /// the renaming identifier, of an old part; then those of one name.
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
