import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import SeededRandom
import StoreInterface
import Testing

@Suite("Places in ordered relationships")
struct OrderingTests {
  /// The model: lists with songs of their own, and with songs that several lists share, both in order.
  private static let model: Model = try! Model(entities: [
    Entity(
      "List",
      properties: [
        .attribute(Attribute("name", .string)),
        .relationship(
          Relationship("own", to: "Song", inverse: "list", count: .toMany, isOrdered: true)),
        .relationship(
          Relationship(
            "shared", to: "Song", inverse: "lists", count: .toMany, isOrdered: true)),
        .relationship(Relationship("loose", to: "Song", inverse: "looseIn", count: .toMany)),
      ]),
    Entity(
      "Song",
      properties: [
        .attribute(Attribute("name", .string)),
        .relationship(Relationship("list", to: "List", inverse: "own")),
        .relationship(
          Relationship("lists", to: "List", inverse: "shared", count: .toMany, isOrdered: true)),
        .relationship(Relationship("looseIn", to: "List", inverse: "loose", count: .toMany)),
      ]),
  ])

  private static let own = "own"
  private static let shared = "shared"

  @Test(
    "Members that are set in their own order do not change", arguments: Kind.allCases,
    [true, false])
  func sameOrder(_ kind: Kind, _ isShared: Bool) throws {
    let graph = try Graph(kind, model: Self.model, classes: [])
    let context = graph.context()
    let name = isShared ? Self.shared : Self.own
    let list = try context.insert("List")
    let songs = try (0..<4).map { _ in try context.insert("Song") }
    list.setObjects(songs, forKey: name)
    try context.save()
    // The numbers of the places have a gap now.
    list.remove(songs[1], from: name)
    try context.save()

    let left = [songs[0], songs[2], songs[3]]
    list.setObjects(left, forKey: name)
    #expect(!context.hasChanges)

    list.add(songs[1], to: name)
    list.setObjects([songs[3], songs[0]], forKey: name)
    try context.save()
    let again = graph.context()
    let found = again.object(list).objects(forKey: name).map(\.objectID)
    #expect(found == [songs[3], songs[0]].map(\.objectID))
  }

  @Test(
    "Edits of an ordered relationship give the same result as edits of an array",
    arguments: Kind.allCases, [true, false])
  func random(_ kind: Kind, _ isShared: Bool) throws {
    let graph = try Graph(kind, model: Self.model, classes: [])
    let root = graph.context()
    let undo = UndoStack()
    root.undoStack = undo
    let name = isShared ? Self.shared : Self.own
    let list = try root.insert("List")
    let songs = try (0..<12).map { number in
      let song = try root.insert("Song")
      song["name"] = .string("\(number)")
      return song
    }
    try root.save()
    let child = ManagedObjectContext(parent: root, concurrency: .confined)
    var wanted: [Int] = []
    var random = SeededGenerator(seed: 7)
    for step in 0..<150 {
      let context = step % 10 == 9 ? child : root
      let (here, all) = (context.object(list), songs.map { context.object($0) })
      context.refreshAllObjects()
      let song = Int.random(in: 0..<songs.count, using: &random)
      let place = Int.random(in: 0...wanted.count, using: &random)
      let before = wanted
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1:
        let index = min(place, wanted.filter { $0 != song }.count)
        here.insert(all[song], into: name, at: index)
        wanted.removeAll { $0 == song }
        wanted.insert(song, at: index)
      case 2 where place < wanted.count:
        here.remove(at: place, from: name)
        wanted.remove(at: place)
      case 3 where place < wanted.count:
        let target = Int.random(in: 0..<wanted.count, using: &random)
        here.move(in: name, from: place, to: target)
        wanted.insert(wanted.remove(at: place), at: target)
      case 4 where place < wanted.count:
        here.replace(at: place, in: name, with: all[song])
        if wanted[place] != song {
          let former = wanted[place]
          wanted.removeAll { $0 == song }
          wanted[wanted.firstIndex(of: former)!] = song
        }
      default:
        let two = [song, (song + 1) % songs.count]
        let index = min(place, wanted.filter { !two.contains($0) }.count)
        here.insert(two.map { all[$0] }, into: name, at: index)
        wanted.removeAll { two.contains($0) }
        wanted.insert(contentsOf: two, at: index)
      }
      func names(_ list: ManagedObject) -> [Int] {
        list.objects(forKey: name).compactMap {
          ($0.value(forKey: "name") as? String).flatMap(Int.init)
        }
      }
      #expect(names(here) == wanted, "step \(step)")
      if context === child { try child.save() }
      try root.processPendingChanges()
      #expect(names(list) == wanted, "step \(step)")
      if step % 7 == 0, before != wanted {
        try undo.undo()
        #expect(names(list) == before, "step \(step)")
        try undo.redo()
        #expect(names(list) == wanted, "step \(step)")
      }
      if step % 13 == 0 { try root.save() }
      if names(here) != wanted { return }
    }
    try root.save()
    let other = try graph.again()
    let found = try #require(try other.fetch(FetchRequest("List")).first)
    #expect(
      found.objects(forKey: name).map { $0.value(forKey: "name") as? String }
        == wanted.map { "\($0)" })
  }

  /// The way in which one context receives the additions of another context to the same list.
  private enum Meeting: CaseIterable {
    case save, mergedBefore, refreshedBefore, parent
  }

  @Test(
    "Additions of two contexts at the end follow each other, each at a place of its own",
    arguments: Kind.allCases, Meeting.allCases)
  private func bothAtTheEnd(_ kind: Kind, _ meeting: Meeting) throws {
    for name in [Self.own, Self.shared] { try bothAtTheEnd(kind, meeting, name) }
  }

  private func bothAtTheEnd(
    _ kind: Kind, _ meeting: Meeting, _ name: String
  ) throws {
    let graph = try Graph(kind, model: Self.model, classes: [])
    let (one, other, list) = try Self.meet(graph, meeting)

    for (context, title) in [(one, "mine"), (other, "theirs")] {
      for number in 0..<3 {
        try context.object(list).add(Self.song("\(title) \(number)", in: context), to: name)
      }
    }
    // Sendable: a confined context posts on this thread.
    nonisolated(unsafe) var saved: ContextChange?
    let observer = NotificationCenter.default.addObserver(
      forName: .managedObjectContextDidSave, object: other, queue: nil
    ) { saved = $0.userInfo?[ContextChange.userInfoKey] as? ContextChange }
    try other.save()
    NotificationCenter.default.removeObserver(observer)
    switch meeting {
    case .save, .parent: break
    case .mergedBefore: try one.mergeChanges(from: try #require(saved))
    case .refreshedBefore: one.refreshAllObjects()
    }
    try one.object(list).add(Self.song("mine last", in: one), to: name)
    try one.save()
    if let parent = one.parent { try parent.save() }

    let wanted =
      (0..<3).map { "theirs \($0)" } + (0..<3).map { "mine \($0)" } + ["mine last"]
    #expect(try Self.saved(graph, name) == wanted)
    #expect(Self.names(one.object(list).objects(forKey: name)) == wanted)
  }

  @Test(
    "An object added at the front stays near the front if another context adds objects too",
    arguments: Kind.allCases, [Meeting.save, .parent])
  private func bothAtTheFront(_ kind: Kind, _ meeting: Meeting) throws {
    for name in [Self.own, Self.shared] { try bothAtTheFront(kind, meeting, name) }
  }

  private func bothAtTheFront(
    _ kind: Kind, _ meeting: Meeting, _ name: String
  ) throws {
    let graph = try Graph(kind, model: Self.model, classes: [])
    let (one, other, list) = try Self.meet(graph, meeting)
    for number in 0..<3 {
      try other.object(list).add(Self.song("\(number)", in: other), to: name)
    }
    try other.save()
    one.refreshAllObjects()
    one.mergePolicy = .objectWins

    for (context, title) in [(other, "theirs"), (one, "mine")] {
      try context.object(list).insert(Self.song(title, in: context), into: name, at: 0)
    }
    try other.save()
    try one.save()
    if let parent = one.parent { try parent.save() }

    let found = try Self.saved(graph, name)
    #expect(Set(found) == ["mine", "theirs", "0", "1", "2"] && found.count == 5)
    // XML stores links by their position, so each save changes the links of all contexts.
    if kind == .xml, name == "shared" { return }
    #expect(found.prefix(2).sorted() == ["mine", "theirs"])
    #expect(found.dropFirst(2) == ["0", "1", "2"])
  }

  /// Returns two contexts, and a list that both have read. Neither context has seen the changes of the second.
  private static func meet(
    _ graph: Graph, _ meeting: Meeting
  ) throws -> (one: ManagedObjectContext, other: ManagedObjectContext, list: ManagedObject) {
    let root = graph.context()
    let list = try root.insert("List")
    try root.save()
    guard meeting == .parent else {
      return (root, ManagedObjectContext(try graph.reopened(), concurrency: .confined), list)
    }
    return (
      ManagedObjectContext(parent: root, concurrency: .confined),
      ManagedObjectContext(parent: root, concurrency: .confined), list
    )
  }

  private static func song(
    _ name: String, in context: ManagedObjectContext
  ) throws -> ManagedObject {
    let song = try context.insert("Song")
    song["name"] = .string(name)
    return song
  }

  private static func names(_ songs: some Sequence<ManagedObject>) -> [String] {
    songs.map { $0.value(forKey: "name") as? String ?? "-" }
  }

  /// Returns the names of the songs of the list, as a new coordinator reads them. Songs with the same place would be in the
  /// order of their keys.
  private static func saved(
    _ graph: Graph, _ name: String
  ) throws -> [String] {
    let other = ManagedObjectContext(try graph.reopened(), concurrency: .confined)
    return names(try #require(try other.fetch(FetchRequest("List")).first).objects(forKey: name))
  }

  @Test("A place that does not exist stops the program with a message that says so")
  func traps() async {
    let results = [
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let (list, song) = try OrderingTests.listAndSong()
        list.insert(song, into: "own", at: 1)
      },
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let (list, _) = try OrderingTests.listAndSong()
        list.remove(at: 0, from: "own")
      },
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let (list, song) = try OrderingTests.listAndSong()
        list.insert(song, into: "own", at: 0)
        list.move(in: "own", from: 0, to: -1)
      },
    ]
    for result in results { #expect(MisuseTests.text(result).contains("has no index")) }
    let loose = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (list, song) = try OrderingTests.listAndSong()
      list.insert(song, into: "loose", at: 0)
    }
    #expect(MisuseTests.text(loose).contains("is not an ordered relationship"))
  }

  /// Returns a list and a song of a context that lives as long as the program, for tests that end the program.
  private static func listAndSong() throws -> (ManagedObject, ManagedObject) {
    let context = try Graph(.memory, model: model, classes: []).context()
    _ = Unmanaged.passRetained(context)
    return (try context.insert("List"), try context.insert("Song"))
  }

  @Test(
    "A new stop comes last if its trip is new and was changed since", arguments: Kind.allCases,
    [false, true])
  func endOfNewOwner(_ kind: Kind, _ isChild: Bool) throws {
    let context = try Graph(kind).context()
    let form = isChild ? ManagedObjectContext(parent: context, concurrency: .confined) : context
    let made = try form.insert(Trip.self) { $0.name = "T" }
    for place in ["A", "B"] {
      made.add(try form.insert(Stop.self) { $0.place = place }, to: "stops")
    }
    if isChild { try form.save() } else { context.refreshAllObjects() }
    let trip = context.object(made)
    trip.name = "Changed"
    try context.insert(Stop.self) {
      $0.place = "C"
      $0.trip = trip
    }
    #expect(trip.stops.map(\.place) == ["A", "B", "C"])
  }
}
