import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@Suite("Large values")
struct LargeValueTests {
  /// Returns bytes that no codec can compress.
  private func noise(_ count: Int, _ seed: UInt64) -> Data {
    var state = seed
    return Data(
      (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 33)
      })
  }

  @Test(
    "Outside values are stored, with or without further changes, and deleted with their object",
    arguments: Kind.allCases)
  func external(_ kind: Kind) throws {
    let graph = try Goods.graph(kind)
    let context = graph.context()
    let (first, second, tiny) = (noise(1_500_000, 1), noise(700_001, 2), noise(3, 3))
    let good = try context.insert(Good.self) { $0.picture = first }
    let small = try context.insert(Good.self) { $0.picture = tiny }
    let empty = try context.insert(Good.self) { $0.picture = Data() }
    #expect(good.picture == first)
    try context.save()
    good.title = "Changed"
    try context.save()
    good.picture = second
    context.rollback()
    #expect(good.picture == first && good.title == "Changed")

    let other = try graph.again()
    let found = try #require(try other.existingObject(with: good.objectID) as? Good)
    #expect(found.picture == first && found.changedValues().isEmpty)
    #expect((try other.existingObject(with: small.objectID) as? Good)?.picture == tiny)
    #expect((try other.existingObject(with: empty.objectID) as? Good)?.picture == Data())
    #expect(
      try other.count(for: FetchRequest("Good", where: QueryPredicate("picture != nil"))) == 3)
    found.picture = second
    #expect(found.committedValues(forKeys: ["picture"]) == ["picture": .binary(first)])
    try other.save()
    context.refresh(good, mergeChanges: true)
    #expect(good.picture == second)
    good.picture = nil
    context.delete(small)
    try context.save()

    let last = try graph.again()
    #expect((try last.existingObject(with: good.objectID) as? Good)?.picture == nil)
    #expect(try last.count(for: FetchRequest("Good")) == 2)
  }

  @Test("A value that does not fit into an object is refused, and the object stays as it is")
  func tooLarge() throws {
    let graph = try Goods.graph(.binary)
    let context = graph.context()
    let good = try context.insert(Good.self) { $0.picture = Data([1, 2]) }
    // Memory that is never written takes no place.
    let value = Value.binary(Data(count: 513 << 20))

    let error = #expect(throws: ContextError.self) { try good.setValues(["picture": value]) }

    #expect(error?.message.contains("537919488 bytes") == true)
    #expect(good.picture == Data([1, 2]))
    try context.save()
    #expect(try graph.again().count(for: FetchRequest("Good")) == 1)
  }

  @Test("Several values are set all or none, if one of them does not fit into the object")
  func tooLargeAmongOthers() throws {
    let graph = try Goods.graph(.binary)
    let context = graph.context()
    let good = try context.insert(Good.self) {
      $0.title = "Old"
      $0.text = "old"
    }
    let value = Value.binary(Data(count: 513 << 20))

    let error = #expect(throws: ContextError.self) {
      try good.setValues([
        "title": .string("New"), "text": .string("new"), "picture": value,
      ])
    }

    #expect(error?.message.contains("\"picture\" of \"Good\"") == true)
    #expect(good.title == "Old" && good.text == "old" && good.picture == nil)
    // Values that fit are all set, the large one last.
    let large = Data(count: 10_000)
    try good.setValues(["title": .string("New"), "text": .null, "picture": .binary(large)])
    #expect(good.title == "New" && good.text == nil && good.picture == large)
  }

  @Test("Undo and child contexts carry large values", arguments: Kind.allCases)
  func carried(_ kind: Kind) throws {
    let graph = try Goods.graph(kind)
    let context = graph.context()
    context.undoStack = UndoStack()
    let bytes = noise(400_000, 4)
    let good = try context.insert(Good.self) { $0.picture = bytes }
    try context.save()
    good.picture = nil
    try context.processPendingChanges()
    try context.undoStack?.undo()
    #expect(good.picture == bytes)
    context.delete(good)
    try context.processPendingChanges()
    try context.undoStack?.undo()
    #expect(good.picture == bytes && !good.isDeleted)

    let child = ManagedObjectContext(parent: context, concurrency: .confined)
    let young = try #require(try child.existingObject(with: good.objectID) as? Good)
    #expect(young.picture == bytes)
    young.picture = bytes + bytes
    try child.save()
    #expect(good.picture?.count == 800_000)
    try context.save()
    #expect(try graph.again().fetch(Good.self).first?.picture == bytes + bytes)
  }

  @Test("Texts of megabytes are stored exactly, compared and searched", arguments: Kind.allCases)
  func texts(_ kind: Kind) throws {
    let graph = try Goods.graph(kind)
    let context = graph.context()
    let long = String(repeating: "Zürich é\u{301} 👩‍👩‍👧 <&>]]>\n\t", count: 80_000)
    #expect(long.utf8.count > 3_000_000)
    let good = try context.insert(Good.self) { $0.text = long }
    try context.insert(Good.self) { $0.text = long + "!" }
    try context.save()

    let other = try graph.again()
    let found = try #require(try other.existingObject(with: good.objectID) as? Good)
    #expect(found.text.map { Array($0.utf8) } == Array(long.utf8))
    #expect(
      try other.fetch(Good.self, where: QueryPredicate("text ENDSWITH '!'")).count == 1)
    #expect(try other.fetch(Good.self, where: QueryPredicate("text == %@", long)) == [found])
    #expect(
      try other.fetch(Good.self, sortedBy: [SortKey("text", ascending: false)]).last === found)
    found.text = "short"
    try other.save()
    #expect(
      try graph.again().count(for: FetchRequest("Good", where: QueryPredicate("text == 'short'")))
        == 1)
  }
}
