import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import SeededRandom
import StoreInterface
import Testing

@Suite("Places in ordered relationships")
struct OrderingTests {
  /// Lists with songs of their own, and with songs they share with others, both in order.
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

  private static let own = ToManyName<ManagedObject>("own")
  private static let shared = ToManyName<ManagedObject>("shared")

  @Test(
    "Whatever is done at places comes to what is done to an array",
    arguments: Kind.allCases, [true, false])
  func random(_ kind: Kind, _ isShared: Bool) throws {
    let graph = try Graph(kind, model: Self.model, classes: [])
    let root = graph.context()
    let undo = UndoStack()
    root.undoManager = undo
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
        list[name].compactMap { ($0.value(forKey: "name") as? String).flatMap(Int.init) }
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
      found[name].map { $0.value(forKey: "name") as? String } == wanted.map { "\($0)" })
  }

  @Test("Places that there are not stop the program with a sentence that says so")
  func traps() async {
    let results = [
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let (list, song) = try OrderingTests.listAndSong()
        list.insert(song, into: ToManyName("own"), at: 1)
      },
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let (list, _) = try OrderingTests.listAndSong()
        list.remove(at: 0, from: ToManyName<ManagedObject>("own"))
      },
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let (list, song) = try OrderingTests.listAndSong()
        list.insert(song, into: ToManyName("own"), at: 0)
        list.move(in: ToManyName<ManagedObject>("own"), from: 0, to: -1)
      },
    ]
    for result in results { #expect(MisuseTests.text(result).contains("has no place")) }
    let loose = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (list, song) = try OrderingTests.listAndSong()
      list.insert(song, into: ToManyName("loose"), at: 0)
    }
    #expect(MisuseTests.text(loose).contains("is not an ordered relationship"))
  }

  /// A list and a song of a context that stays as long as the program, for tests that end it.
  private static func listAndSong() throws -> (ManagedObject, ManagedObject) {
    let context = try Graph(.memory, model: model, classes: []).context()
    _ = Unmanaged.passRetained(context)
    return (try context.insert("List"), try context.insert("Song"))
  }
}
