import Testing

@testable import ObjectGraph

/// A changed row knows the row that its object showed before, for the undo stack, until the changes are frozen.
@Suite("Rows shown before a change")
struct RowsShownBeforeTests {
  private struct Kept {
    weak var source: RowSource?
  }

  @Test(
    "Changes that were frozen again and again keep only the last rows in memory",
    arguments: [false, true])
  func released(hasUndo: Bool) throws {
    let context = try Graph(.binary).context()
    // With more rows than an undo step keeps the values of.
    let people = try (0...ReplacedRows.most).map { number in
      try context.insert(Person.self) { $0.name = "\(number)" }
    }
    try context.save()
    context.undoStack = hasUndo ? UndoStack() : nil
    var rounds: [Kept] = []
    for round in 1...8 {
      for person in people { person.age = Int32(round) }
      try context.processPendingChanges()
      rounds.append(Kept(source: people[0].source))
    }

    try context.save()

    #expect(rounds.dropLast().allSatisfy { $0.source == nil })
    #expect(rounds.last?.source === people[0].source)
    #expect(people.allSatisfy { $0.age == 8 })
  }
}
