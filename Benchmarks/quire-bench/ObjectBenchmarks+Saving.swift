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
    let update = copied.prepare("UPDATE person SET balance = balance + 1 WHERE id = ?")
    defer { sqlite3_finalize(update) }
    measurement.add("SQLite: change one and commit, repeatedly", saveCount, "save") { [self] in
      for i in 0..<saveCount {
        sqlite3_bind_int64(update, 1, Int64(number(of: i)))
        guard sqlite3_step(update) == SQLITE_DONE else { fatalError("The update failed.") }
        sqlite3_reset(update)
      }
      return 1
    }
    let context = copy("saving")
    let people = try (0..<saveCount).map { i in
      try context.fetch(PersonObject.self, where: QueryPredicate("id == \(number(of: i))"))[0]
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

  /// Returns the number of a person, spread over the whole table.
  private func number(of i: Int) -> Int { i * 7919 % count + 1 }
}
