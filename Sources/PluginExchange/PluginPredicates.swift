// SAFETY: The nodes point into the bytes of their tree, which lives for the length of the call that lends them. A
// reader stays within the given number of nodes, and copies each node's bytes.

package import CStorePlugin
import Foundation
package import ObjectModel
package import ObjectQuery

/// The tree of a predicate in the form of the interface: nodes in one array, each before its parts (spec §9.8.7b).
@safe
package struct PredicateTree {
  private var nodes = unsafe [QuireNode]()
  /// The bytes of all nodes. A zero byte follows the bytes of each node.
  private var bytes: [UInt8] = []
  /// The place of each node's bytes; `nil` for a node without bytes.
  private var places: [Int?] = []
  /// The store whose objects the predicate can find.
  private let store: StoreTag

  /// Creates the tree of a predicate that a store is asked about.
  package init(_ predicate: QueryPredicate, store: StoreTag) {
    self.store = store
    add(predicate)
  }

  /// Creates a list of values, one node for each.
  package init(_ values: [Value], store: StoreTag) {
    self.store = store
    for value in values { add(value) }
  }

  /// Calls `body` with the nodes, which are valid until `body` returns.
  @unsafe package func withNodes<R>(
    _ body: (UnsafeBufferPointer<QuireNode>) throws -> R
  ) rethrows -> R {
    try unsafe bytes.withUnsafeBufferPointer { bytes in
      var nodes = unsafe nodes
      for (index, place) in places.enumerated() {
        guard let place else { continue }
        unsafe nodes[index].bytes = unsafe bytes.baseAddress.map { unsafe $0 + place }
      }
      return try unsafe nodes.withUnsafeBufferPointer(body)
    }
  }

  // MARK: - Adding nodes

  /// Adds a node, then its parts.
  private mutating func add(
    _ kind: Int, detail: Int = 0, options: UInt32 = 0, whole: Int64 = 0, number: Double = 0,
    bytes: [UInt8]? = nil, parts: Int = 0, _ addParts: (inout PredicateTree) -> Void = { _ in }
  ) {
    let index = places.count
    var node = unsafe QuireNode()
    unsafe (node.kind, node.detail) = (UInt16(kind), UInt16(detail))
    unsafe (node.options, node.part_count) = (options, UInt32(parts))
    unsafe (node.whole, node.number) = (whole, number)
    if let bytes {
      unsafe node.byte_count = UInt64(bytes.count)
      places.append(self.bytes.count)
      self.bytes += bytes
      self.bytes.append(0)
    } else {
      places.append(nil)
    }
    unsafe nodes.append(node)
    addParts(&self)
    unsafe nodes[index].node_count = UInt32(places.count - index)
  }

  private mutating func add(_ predicate: QueryPredicate) {
    switch predicate {
    case .constant(let isTrue): add(Int(QUIRE_CONSTANT), whole: isTrue ? 1 : 0)
    case .and(let parts):
      add(Int(QUIRE_AND), parts: parts.count) { tree in for part in parts { tree.add(part) } }
    case .or(let parts):
      add(Int(QUIRE_OR), parts: parts.count) { tree in for part in parts { tree.add(part) } }
    case .not(let part): add(Int(QUIRE_NOT), parts: 1) { $0.add(part) }
    case .comparison(let one):
      add(
        Int(QUIRE_COMPARISON), detail: PluginOperators.number(of: one.operation),
        options: PluginOperators.options(one.options, one.modifier), parts: 2
      ) { tree in
        tree.add(one.left)
        tree.add(one.right)
      }
    }
  }

  private mutating func add(_ expression: QueryExpression) {
    switch expression {
    case .constant(let value): add(value)
    case .object(let id):
      // No object of this store equals an object of another one, and no object has the key 0.
      add(object: id.store == store ? id.key : ObjectKey(rawValue: 0))
    case .aggregate(let parts): add(parts, to: QUIRE_LIST)
    case .evaluatedObject: add(Int(QUIRE_SELF))
    case .variable(let name): add(Int(QUIRE_VARIABLE), bytes: Array(name.utf8))
    case .keyPath(let start, let path):
      add(Int(QUIRE_PATH), bytes: Array(path.joined(separator: ".").utf8), parts: 1) {
        $0.add(start)
      }
    case .function(let function, let parts): add(parts, to: QUIRE_FUNCTION, function.rawValue)
    case .call(let target, let method, let arguments):
      add([target] + arguments, to: QUIRE_CALL, method)
    case .element(let whole, let index): add(index, of: whole)
    case .set(let operation, let left, let right):
      add([left, right], to: QUIRE_SET, detail: PluginOperators.number(of: operation))
    case .subquery(let whole, let variable, let condition):
      add(Int(QUIRE_SUBQUERY), bytes: Array(variable.utf8), parts: 2) { tree in
        tree.add(whole)
        tree.add(condition)
      }
    case .conditional(let condition, let one, let other):
      add(Int(QUIRE_CONDITIONAL), parts: 3) { tree in
        tree.add(condition)
        tree.add(one)
        tree.add(other)
      }
    case .cast(let part, let type): add([part], to: QUIRE_CAST, type.rawValue)
    case .fetch(let entity, let condition, let countOnly):
      add(
        Int(QUIRE_FETCH), detail: countOnly ? 1 : 0, bytes: Array(entity.utf8), parts: 1
      ) { $0.add(condition) }
    }
  }

  /// Adds a node with expressions as its parts.
  private mutating func add(
    _ parts: [QueryExpression], to kind: some BinaryInteger, _ text: String? = nil, detail: Int = 0
  ) {
    add(Int(kind), detail: detail, bytes: text.map { Array($0.utf8) }, parts: parts.count) { tree in
      for part in parts { tree.add(part) }
    }
  }

  private mutating func add(_ index: QueryExpression.Index, of whole: QueryExpression) {
    switch index {
    case .first: add([whole], to: QUIRE_ELEMENT, detail: 0)
    case .last: add([whole], to: QUIRE_ELEMENT, detail: 1)
    case .size: add([whole], to: QUIRE_ELEMENT, detail: 2)
    case .at(let position): add([whole, position], to: QUIRE_ELEMENT, detail: 3)
    }
  }

  private mutating func add(object key: ObjectKey) {
    add(Int(QUIRE_OBJECT), detail: Int(key.entity), whole: Int64(key.number))
  }

  private mutating func add(_ value: Value) {
    let kind = Int(QUIRE_VALUE)
    switch value {
    case .null: add(kind, detail: Int(QUIRE_NULL))
    case .boolean(let isTrue): add(kind, detail: Int(QUIRE_BOOL), whole: isTrue ? 1 : 0)
    case .integer(let whole): add(kind, detail: Int(QUIRE_WHOLE), whole: whole)
    case .float(let number): add(kind, detail: Int(QUIRE_NUMBER), number: Double(number))
    case .double(let number): add(kind, detail: Int(QUIRE_NUMBER), number: number)
    case .decimal(let number):
      add(kind, detail: Int(QUIRE_DECIMAL), bytes: Array("\(number)".utf8))
    case .date(let date):
      add(kind, detail: Int(QUIRE_DATE), number: date.timeIntervalSinceReferenceDate)
    case .string(let text): add(kind, detail: Int(QUIRE_TEXT), bytes: Array(text.utf8))
    case .binary(let data): add(kind, detail: Int(QUIRE_DATA), bytes: Array(data))
    case .uuid(let uuid):
      add(
        kind, detail: Int(QUIRE_UUID),
        bytes: unsafe withUnsafeBytes(of: uuid.uuid) { unsafe Array($0) })
    case .uri(let text): add(kind, detail: Int(QUIRE_URI), bytes: Array(text.utf8))
    case .object(let key): add(object: key)
    }
  }
}

/// The numbers that the interface gives to operators and options.
enum PluginOperators {
  /// The operators in the order of their numbers, from QUIRE_LESS to QUIRE_HAS_WORDS.
  static let all: [QueryPredicate.Operator] = [
    .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .equal, .notEqual, .between,
    .in, .contains, .beginsWith, .endsWith, .like, .matches, .text,
  ]
  /// The ways to combine two collections in the order of their numbers.
  static let sets: [QueryExpression.SetOperator] = [.union, .intersect, .minus]

  static func number(of operation: QueryPredicate.Operator) -> Int {
    all.firstIndex(of: operation)!
  }

  static func number(of operation: QueryExpression.SetOperator) -> Int {
    sets.firstIndex(of: operation)!
  }

  /// Returns the options of a comparison. The bits of the options of text are those of `TextOptions`.
  static func options(_ text: TextOptions, _ modifier: QueryPredicate.Modifier) -> UInt32 {
    let many: Int =
      switch modifier {
      case .direct: 0
      case .any: Int(QUIRE_ANY)
      case .all: Int(QUIRE_ALL)
      }
    return UInt32(text.rawValue) | UInt32(many)
  }

  static func modifier(_ options: UInt32) -> QueryPredicate.Modifier {
    if options & UInt32(QUIRE_ANY) != 0 { return .any }
    return options & UInt32(QUIRE_ALL) != 0 ? .all : .direct
  }
}
