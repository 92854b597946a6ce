import Foundation
import ObjectGraph
import ObjectModel
import ObjectQuery
import StoreInterface
import Testing

@Suite("Transformable attributes")
struct TransformableTests {
  private let red = Colour(red: 1, name: "Rot \u{1F534}")

  @Test("Values are saved as bytes and read back", arguments: Kind.allCases)
  func roundTrip(_ kind: Kind) throws {
    let graph = try Goods.graph(kind)
    let context = graph.context()
    let good = try context.insert(Good.self)
    try good.setTransformed(red, \.colour)
    good["plain"] = .binary(Data([0, 1, 255]))
    let bare = try context.insert(Good.self)
    #expect(try bare.transformed(\.colour, as: Colour.self) == nil)
    try context.save()

    let other = try graph.again()
    let found = try #require(try other.existingObject(with: good.objectID) as? Good)
    #expect(try found.transformed(\.colour, as: Colour.self) == red)
    #expect(found["plain"] == .binary(Data([0, 1, 255])))
    try found.setTransformed(Colour?.none, \.colour)
    try other.save()
    context.refresh(good, mergeChanges: false)
    #expect(try good.transformed(\.colour, as: Colour.self) == nil)
    #expect(
      try other.count(for: FetchRequest("Good", where: QueryPredicate("colour == nil"))) == 2)
  }

  @Test("An error names a transformer that is missing or of another type", arguments: Kind.allCases)
  func missing(_ kind: Kind) throws {
    let graph = try Goods.graph(kind)
    let context = graph.context()
    let good = try context.insert(Good.self)
    try good.setTransformed(red, \.colour)
    let wrong = #expect(throws: ContextError.self) {
      try good.transformed(\.colour, as: String.self)
    }
    #expect(wrong?.code == .wrongType && wrong?.message.contains("Colour") ?? false)
    #expect(throws: ContextError.self) { try good.setTransformed("red", \.colour) }
    let nameless = #expect(throws: ContextError.self) {
      try good.setTransformed("red", forKey: "plain")
    }
    #expect(nameless?.code == .notSupported)
    #expect(try good.transformed(\.colour, as: Colour.self) == red)
    try context.save()

    // Without a transformer, bytes can be read, written and saved, but values can't.
    let other = ManagedObjectContext(try graph.reopened([]), concurrency: .confined)
    let found = try #require(try other.fetch(Good.self).first)
    let error = #expect(throws: ContextError.self) {
      try found.transformed(\.colour, as: Colour.self)
    }
    #expect(error?.code == .notSupported)
    #expect(error?.message.contains("value transformer \"Colour\"") ?? false)
    #expect(throws: ContextError.self) { try found.setTransformed(red, \.colour) }
    found.title = "Changed"
    try other.save()
    #expect(found.colour == good.colour)
  }

  @Test(
    "A transformer that refuses a value throws its error, and nothing changes",
    arguments: Kind.allCases)
  func refusing(_ kind: Kind) throws {
    let picky = ValueTransformer(
      "Colour", Colour.self,
      encode: { colour in
        if colour.red > 1 { throw Unwanted(what: "red") }
        return Data(colour.name.utf8)
      },
      decode: { data in
        guard data.count < 10 else { throw Unwanted(what: "length") }
        return Colour(red: 0, name: String(decoding: data, as: UTF8.self))
      })
    let graph = try Goods.graph(kind, [picky])
    let context = graph.context()
    let good = try context.insert(Good.self)
    try good.setTransformed(Colour(red: 0, name: "blue"), \.colour)
    let before = good.colour
    #expect(throws: Unwanted(what: "red")) {
      try good.setTransformed(Colour(red: 2, name: "x"), \.colour)
    }
    #expect(good.colour == before)
    good.colour = Data(repeating: 65, count: 100)
    try context.save()

    let other = try graph.again()
    let found = try #require(try other.existingObject(with: good.objectID) as? Good)
    #expect(throws: Unwanted(what: "length")) {
      try found.transformed(\.colour, as: Colour.self)
    }
  }

  @Test(
    "Bytes that a transformer can't read are an error and no value",
    arguments: [
      Data(), Data([0]), Data("bplist00".utf8), Data("<plist>".utf8),
      Data(repeating: 255, count: 64),
      Data("bplist00\u{8}\u{8}\u{8}".utf8) + Data(repeating: 8, count: 40),
    ])
  func hostile(_ data: Data) throws {
    let context = try Goods.graph(.memory).context()
    let good = try context.insert(Good.self) { $0.colour = data }
    #expect(throws: (any Error).self) { try good.transformed(\.colour, as: Colour.self) }
  }

  @Test("Property lists may contain single values and arrays as well")
  func kinds() throws {
    func trip<T: Codable & Equatable & SendableMetatype>(_ value: T) throws {
      let graph = try Goods.graph(.binary, [.coding("Colour", T.self)])
      let context = graph.context()
      let good = try context.insert(Good.self)
      try good.setTransformed(value, \.colour)
      try context.save()
      let other = try graph.again()
      let found = try #require(try other.existingObject(with: good.objectID) as? Good)
      #expect(try found.transformed(\.colour, as: T.self) == value)
    }
    try trip(42)
    try trip("text")
    try trip(["a": [1, 2], "b": []])
    try trip([red, Colour(red: 0.25, name: "")])
    try trip(Date(timeIntervalSinceReferenceDate: 12.5))
    try trip(URL(string: "https://example.org/a?b#c")!)
  }
}
