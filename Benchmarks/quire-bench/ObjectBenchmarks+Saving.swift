import CSQLite3
import ObjectGraph
import ObjectQuery

extension ObjectBench {
  /// Measures saves of one object each, in one context that stays open, as the edits of a user cause them.
  ///
  /// Each round makes `saveCount` saves, so the checkpoints of both sides are part of the time.
  func measureSaving() throws {
    let saveCount = 200
    var measurement = Measurement(rounds: 10)
    let copied = SQLitePeer(copying: peer)
    // The people are spread over the whole table.
    let numbers = (0..<saveCount).map { $0 * 7919 % count + 1 }
    let change = copied.prepareChange()
    defer { sqlite3_finalize(change) }
    measurement.add("SQLite: change one and commit, repeatedly", saveCount, "save") {
      copied.change(numbers, with: change)
      return 1
    }
    let context = copy("saving")
    let people = try numbers.map {
      try context.fetch(PersonObject.self, where: QueryPredicate("id == \($0)"))[0]
    }
    measurement.add("change one and save, repeatedly", saveCount, "save") {
      for person in people {
        person.balance += 1
        try! context.save()
      }
      return 1
    }
    let times = measurement.report("Saves of one object, repeatedly (W5)")
    target(
      "change one and save, repeatedly / SQLite",
      Measurement.ratio(
        times, "change one and save, repeatedly", to: "SQLite: change one and commit, repeatedly"),
      atMost: 1.0)
  }
}
