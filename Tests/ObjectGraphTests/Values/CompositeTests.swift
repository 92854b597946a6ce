import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@Suite("Composite attributes")
struct CompositeTests {
  @Test("Parts of a composite are set, saved, found and read by paths", arguments: Kind.allCases)
  func parts(_ kind: Kind) throws {
    let graph = try Goods.graph(kind)
    let context = graph.context()
    let good = try context.insert(Good.self) { $0.title = "Lamp" }
    #expect(good.address.place.latitude == 51.5 && good.address.street == nil)
    good.address.street = "Rua Augusta"
    good["address.place.longitude"] = .double(-9.1)
    try good.setValues(["address.zip": .string("12345"), "address.place.latitude": .double(38.7)])
    #expect(good.label == "Lamp, Rua Augusta")
    try context.save()

    good.address.zip = "54321"
    #expect(good.changedValues() == ["address.zip": .string("54321")])
    #expect(
      good.committedValues(forKeys: ["address.zip", "address.street"])
        == ["address.zip": .string("12345"), "address.street": .string("Rua Augusta")])
    try context.save()

    let other = try graph.again()
    let request = FetchRequest(
      Good.self,
      where: try QueryPredicate("address.zip == '54321' AND address.place.latitude < 40"),
      sortedBy: [SortKey("address.place.longitude")])
    let found = try #require(try other.fetch(request).first)
    #expect(found.address.place.longitude == -9.1)
    let whole = try #require(found.value(forKey: "address") as? [String: Any])
    #expect(whole["street"] as? String == "Rua Augusta" && whole["zip"] as? String == "54321")
    let place = try #require(whole["place"] as? [String: Any])
    #expect(place["latitude"] as? Double == 38.7 && place.count == 2)
  }

  @Test("Rollback, undo and refresh restore the parts of a composite", arguments: Kind.allCases)
  func goingBack(_ kind: Kind) throws {
    let graph = try Goods.graph(kind)
    let context = graph.context()
    context.undoStack = UndoStack()
    let good = try context.insert(Good.self) { $0.address.street = "One" }
    try context.save()

    good.address.street = "Two"
    context.rollback()
    #expect(good.address.street == "One")
    good.address.street = "Three"
    try context.processPendingChanges()
    try context.undoStack?.undo()
    #expect(good.address.street == "One" && good.address.place.latitude == 51.5)
    try context.undoStack?.redo()
    #expect(good.address.street == "Three")
    context.refresh(good, mergeChanges: false)
    #expect(good.address.street == "One")
  }

  @Test("The model's rules for a part are validated", arguments: Kind.allCases)
  func validated(_ kind: Kind) throws {
    let context = try Goods.graph(kind).context()
    let good = try context.insert(Good.self) { $0.address.zip = "1234" }
    good["address.place.latitude"] = .null

    let error = #expect(throws: ContextError.self) { try context.save() }
    #expect(
      Set(error?.failures.map { "\($0.key ?? "") \($0.rule)" } ?? [])
        == ["address.zip pattern", "address.place.latitude required"])
  }

  @Test(
    "Changes of different parts are merged, and changes of the same part are in conflict",
    arguments: Kind.allCases)
  func merged(_ kind: Kind) throws {
    let graph = try Goods.graph(kind)
    let (one, two) = (graph.context(), graph.context())
    one.mergePolicy = .objectWins
    let mine = try one.insert(Good.self) { $0.address.street = "One" }
    try one.save()
    let theirs = try #require(try two.existingObject(with: mine.objectID) as? Good)
    theirs.address.zip = "11111"
    try two.save()
    mine.address.street = "Two"
    try one.save()

    #expect(mine.address.street == "Two" && mine.address.zip == "11111")
  }
}
