import CSQLite3
import Foundation
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

  /// Measures a store that was filled by 100 saves, beside a store with the same objects that was filled by one.
  func measurePieces() throws {
    let names = ["group", "filter, sort and read"]
    guard Measurement.isWanted("pieces: group, in 100 saves") else { return }
    var measurement = Measurement(rounds: 7)
    let pieces = folder.appending(path: "pieces").path
    ObjectBench.insert(count, at: pieces, batch: count / 100)
    for (suffix, path) in [("in one save", wholePath), ("in 100 saves", pieces)] {
      let context = open(path)
      measurement.add("pieces: group, \(suffix)", 1, "request") {
        try! context.fetchTable(ObjectBench.groups).rows.count
      }
      measurement.prepare { tidyMemory() }
      measurement.add("pieces: filter, sort and read, \(suffix)", 1, "request") {
        ObjectBench.readHits(context)
      }
      measurement.prepare { tidyMemory() }
    }
    let times = measurement.report("A store filled by 100 saves, beside one save")
    for (name, limit) in zip(names, [1.5, 1.2]) {
      let ratio = Measurement.ratio(
        times, "pieces: \(name), in 100 saves", to: "pieces: \(name), in one save")
      target("\(name), 100 saves / one save", ratio, atMost: limit)
    }
    target(
      "file size, 100 saves / one save",
      try Double(ObjectBench.size(pieces)) / Double(ObjectBench.size(wholePath)), atMost: 1.15)
    try FileManager.default.removeItem(atPath: pieces)
  }

  /// The number and the average age of the people with each last name.
  static let groups: FetchRequest<PersonObject> = {
    var groups = FetchRequest(PersonObject.self)
    groups.resultType = .dictionaries
    groups.propertiesToGroupBy = ["lastName"]
    groups.propertiesToFetch = [
      FetchedValue("lastName"),
      FetchedValue("count", try! QueryExpression("count:(SELF)")),
      FetchedValue("age", .function(.average, [.path("age")])),
    ]
    return groups
  }()
}
