// SAFETY: A reader stays within the given nodes, and copies the bytes of each node while they are valid.

package import CStorePlugin
import Foundation
package import ObjectModel
package import ObjectQuery

extension QueryPredicate {
  /// Creates the predicate of a tree in the form of the interface; `nil` if the tree breaks a rule of the form.
  @unsafe package init?(_ nodes: UnsafeBufferPointer<QuireNode>, store: StoreTag) {
    var reader = unsafe PredicateReader(nodes, store)
    guard let predicate = try? reader.predicate(), reader.isAtEnd else { return nil }
    self = predicate
  }
}

extension PredicateTree {
  /// Returns the values of a list of nodes; `nil` if a node is not a value.
  @unsafe package static func values(_ nodes: UnsafeBufferPointer<QuireNode>) -> [Value]? {
    var values: [Value] = []
    for index in nodes.indices {
      let node = unsafe nodes[index]
      guard unsafe node.kind == UInt16(QUIRE_VALUE), unsafe node.part_count == 0,
        let value = try? unsafe PredicateReader.value(node)
      else { return nil }
      values.append(value)
    }
    return values
  }
}

/// Reads the tree of a predicate from its nodes.
@safe
private struct PredicateReader {
  private let nodes: UnsafeBufferPointer<QuireNode>
  private let store: StoreTag
  private var next = 0
  private var depth = 0

  /// A tree breaks a rule of its form.
  private struct Invalid: Error {}

  /// The number of levels that a tree may have. A predicate that a host has bound to its model has fewer.
  private static let depthLimit = 1024

  @unsafe init(_ nodes: UnsafeBufferPointer<QuireNode>, _ store: StoreTag) {
    unsafe self.nodes = nodes
    self.store = store
  }

  var isAtEnd: Bool { unsafe next == nodes.count }

  /// Calls `body` with the next node, and checks that `body` read exactly its parts.
  private mutating func node<R>(
    _ body: (inout PredicateReader, QuireNode) throws -> R
  ) throws -> R {
    guard unsafe next < nodes.count, depth < PredicateReader.depthLimit else { throw Invalid() }
    let node = unsafe nodes[next]
    let end = unsafe next + Int(node.node_count)
    next += 1
    depth += 1
    defer { depth -= 1 }
    let result = try unsafe body(&self, node)
    guard next == end else { throw Invalid() }
    return result
  }

  mutating func predicate() throws -> QueryPredicate {
    try unsafe node { reader, node in
      let count = unsafe Int(node.part_count)
      switch unsafe Int(node.kind) {
      case Int(QUIRE_CONSTANT): return .constant(unsafe node.whole != 0)
      case Int(QUIRE_AND): return .and(try reader.many(count) { try $0.predicate() })
      case Int(QUIRE_OR): return .or(try reader.many(count) { try $0.predicate() })
      case Int(QUIRE_NOT): return .not(try reader.predicate())
      case Int(QUIRE_COMPARISON):
        guard unsafe Int(node.detail) < PluginOperators.all.count else { throw Invalid() }
        let left = try reader.expression()
        return .comparison(
          Comparison(
            left, PluginOperators.all[unsafe Int(node.detail)], try reader.expression(),
            modifier: PluginOperators.modifier(unsafe node.options),
            options: TextOptions(rawValue: UInt8(truncatingIfNeeded: unsafe node.options))))
      default: throw Invalid()
      }
    }
  }

  private typealias Comparison = QueryPredicate.Comparison

  private mutating func expression() throws -> QueryExpression {
    try unsafe node { reader, node in
      let detail = unsafe Int(node.detail)
      func text() throws -> String { try unsafe PredicateReader.text(node) }
      func parts() throws -> [QueryExpression] {
        try reader.many(unsafe Int(node.part_count)) { try $0.expression() }
      }
      switch unsafe Int(node.kind) {
      case Int(QUIRE_VALUE): return .constant(try unsafe PredicateReader.value(node))
      case Int(QUIRE_OBJECT):
        guard let number = UInt64(exactly: unsafe node.whole), number <= ObjectKey.highestNumber
        else { throw Invalid() }
        return .object(
          ObjectID(store: reader.store, key: ObjectKey(entity: UInt16(detail), number: number)))
      case Int(QUIRE_LIST): return .aggregate(try parts())
      case Int(QUIRE_SELF): return .evaluatedObject
      case Int(QUIRE_VARIABLE): return .variable(try text())
      case Int(QUIRE_PATH):
        let start = try reader.expression()
        return .keyPath(of: start, try text().split(separator: ".").map(String.init))
      case Int(QUIRE_FUNCTION):
        guard let function = QueryExpression.Function(rawValue: try text()) else { throw Invalid() }
        return .function(function, try parts())
      case Int(QUIRE_CALL):
        let parts = try parts()
        guard let target = parts.first else { throw Invalid() }
        return .call(target, try text(), Array(parts.dropFirst()))
      case Int(QUIRE_ELEMENT):
        let whole = try reader.expression()
        switch detail {
        case 0: return .element(of: whole, .first)
        case 1: return .element(of: whole, .last)
        case 2: return .element(of: whole, .size)
        case 3: return .element(of: whole, .at(try reader.expression()))
        default: throw Invalid()
        }
      case Int(QUIRE_SET):
        guard detail < PluginOperators.sets.count else { throw Invalid() }
        let left = try reader.expression()
        return .set(PluginOperators.sets[detail], left, try reader.expression())
      case Int(QUIRE_SUBQUERY):
        let whole = try reader.expression()
        return .subquery(whole, variable: try text(), try reader.predicate())
      case Int(QUIRE_CONDITIONAL):
        let condition = try reader.predicate()
        let one = try reader.expression()
        return .conditional(condition, one, try reader.expression())
      case Int(QUIRE_CAST):
        guard let type = QueryExpression.CastType(rawValue: try text()) else { throw Invalid() }
        return .cast(try reader.expression(), type)
      case Int(QUIRE_FETCH):
        return .fetch(entity: try text(), try reader.predicate(), countOnly: detail != 0)
      default: throw Invalid()
      }
    }
  }

  private mutating func many<Part>(
    _ count: Int, _ read: (inout PredicateReader) throws -> Part
  ) throws -> [Part] {
    guard unsafe count <= nodes.count - next else { throw Invalid() }
    var parts: [Part] = []
    parts.reserveCapacity(count)
    for _ in 0..<count { parts.append(try read(&self)) }
    return parts
  }

  // MARK: - Values

  @unsafe private static func bytes(_ node: QuireNode) throws -> UnsafeBufferPointer<UInt8> {
    guard let start = unsafe node.bytes else { throw Invalid() }
    return unsafe UnsafeBufferPointer(start: start, count: Int(node.byte_count))
  }

  @unsafe private static func text(_ node: QuireNode) throws -> String {
    unsafe String(decoding: try bytes(node), as: UTF8.self)
  }

  @unsafe fileprivate static func value(_ node: QuireNode) throws -> Value {
    switch unsafe Int(node.detail) {
    case Int(QUIRE_NULL): return .null
    case Int(QUIRE_BOOL): return .boolean(unsafe node.whole != 0)
    case Int(QUIRE_WHOLE): return .integer(unsafe node.whole)
    case Int(QUIRE_NUMBER): return .double(unsafe node.number)
    case Int(QUIRE_DECIMAL):
      guard
        let number = Decimal(
          string: try unsafe text(node), locale: Locale(identifier: "en_US_POSIX"))
      else { throw Invalid() }
      return .decimal(number)
    case Int(QUIRE_DATE):
      return .date(Date(timeIntervalSinceReferenceDate: unsafe node.number))
    case Int(QUIRE_TEXT): return .string(try unsafe text(node))
    case Int(QUIRE_DATA): return .binary(unsafe Data(try bytes(node)))
    case Int(QUIRE_UUID):
      let bytes = try unsafe bytes(node)
      guard bytes.count == 16 else { throw Invalid() }
      return .uuid(
        UUID(uuid: unsafe UnsafeRawPointer(bytes.baseAddress!).loadUnaligned(as: uuid_t.self)))
    case Int(QUIRE_URI): return .uri(try unsafe text(node))
    default: throw Invalid()
    }
  }
}
