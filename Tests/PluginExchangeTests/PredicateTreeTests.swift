import CStorePlugin
import Foundation
import ObjectModel
import ObjectQuery
import PluginExchange
import Testing

@Suite("The tree of a predicate at the plug-in interface")
struct PredicateTreeTests {
  private static let store = StoreTag(rawValue: 7)

  /// The lines of the blocks of one kind on the page about predicates.
  private static func lines(_ kind: String) throws -> [String] {
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../docs/predicates.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    return text.matches(of: try Regex("```\(kind)\n([^`]*)```", as: (Substring, Substring).self))
      .flatMap { $0.output.1.split(separator: "\n").map(String.init) }
  }

  private func roundTrip(_ predicate: QueryPredicate) -> QueryPredicate? {
    PredicateTree(predicate, store: Self.store).withNodes { nodes in
      QueryPredicate(nodes, store: Self.store)
    }
  }

  @Test("Every predicate and expression of the language's page crosses as a tree and stays equal")
  func page() throws {
    let predicates = try Self.lines("predicate").map { try QueryPredicate($0) }
    let expressions = try Self.lines("expression").map {
      QueryPredicate.comparison(.init(try QueryExpression($0), .equal, .null))
    }
    #expect(predicates.count > 25 && expressions.count >= 5)

    for predicate in predicates + expressions {
      #expect(roundTrip(predicate) == predicate, "\(predicate)")
    }
  }

  @Test("Values of every type cross to the last bit")
  func values() throws {
    let values: [Value] = [
      .null, .boolean(true), .boolean(false), .integer(.min), .integer(.max), .double(-0.0),
      .double(.leastNonzeroMagnitude), .double(.infinity),
      .decimal(Decimal(string: "-12345678901234567890.123456789")!), .string(""),
      .string("a\u{0}b é 👍"), .date(Date(timeIntervalSinceReferenceDate: 0.1)), .binary(Data()),
      .binary(Data([0, 255])), .uuid(UUID()), .uri("x-app://a?b=c"),
    ]
    for value in values {
      let predicate = QueryPredicate.comparison(.init(.path("a"), .equal, .constant(value)))

      #expect(roundTrip(predicate) == predicate, "\(value)")
    }
    let long = QueryPredicate.comparison(.init(.path("a"), .equal, .constant(.float(0.1))))
    #expect(
      roundTrip(long)
        == .comparison(.init(.path("a"), .equal, .constant(.double(Double(Float(0.1)))))))
  }

  @Test("An object of another store crosses as the key that no object has")
  func objects() throws {
    let key = ObjectKey(entity: 3, number: 17)
    func comparison(_ store: StoreTag) -> QueryPredicate {
      .comparison(.init(.evaluatedObject, .equal, .object(ObjectID(store: store, key: key))))
    }
    let none = ObjectID(store: Self.store, key: ObjectKey(rawValue: 0))

    #expect(roundTrip(comparison(Self.store)) == comparison(Self.store))
    #expect(
      roundTrip(comparison(StoreTag(rawValue: 8)))
        == .comparison(.init(.evaluatedObject, .equal, .object(none))))
  }

  @Test("The parts of a node follow it, and each node counts its own part of the tree")
  func layout() throws {
    let predicate = try QueryPredicate(
      "stars > 3 AND NOT (owner.name BEGINSWITH[cd] 'é' OR a IN {1, 2})")

    PredicateTree(predicate, store: Self.store).withNodes { nodes in
      #expect(
        nodes.map { Int($0.kind) } == [
          2, 5, 21, 19, 16, 4, 3, 5, 21, 19, 16, 5, 21, 19, 18, 16, 16,
        ])
      #expect(
        nodes.map { Int($0.node_count) } == [
          17, 4, 2, 1, 1, 12, 11, 4, 2, 1, 1, 6, 2, 1, 3, 1, 1,
        ])
      let begins = nodes[7]
      #expect(begins.detail == UInt16(QUIRE_BEGINS_WITH))
      #expect(begins.options == UInt32(QUIRE_IGNORES_CASE | QUIRE_IGNORES_DIACRITICS))
      #expect(String(cString: nodes[8].bytes) == "owner.name" && nodes[8].byte_count == 10)
      #expect(nodes[10].byte_count == 2 && nodes[10].bytes[2] == 0)
    }
  }

  @Test("A tree that contradicts itself is refused", arguments: 0..<9)
  func broken(_ way: Int) throws {
    let predicate = try QueryPredicate("a > 3 AND b == 'x'")
    PredicateTree(predicate, store: Self.store).withNodes { nodes in
      var copy = Array(nodes)
      switch way {
      case 0: copy.removeLast()
      case 1: copy[0].part_count = 3
      case 2: copy[0].part_count = 4_000_000_000
      case 3: copy[1].node_count = 5
      case 4: copy[1].kind = 99
      case 5: copy[1].detail = 14
      case 6: copy[2].bytes = nil
      case 7: copy[4].detail = 77
      default: copy.append(copy[0])
      }
      copy.withUnsafeBufferPointer { #expect(QueryPredicate($0, store: Self.store) == nil) }
    }
  }
}
