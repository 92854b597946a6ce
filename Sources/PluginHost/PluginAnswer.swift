import CStorePlugin
import ObjectModel
import ObjectQuery

/// The answer of a plug-in to a request, which may be a part of the request's result.
struct PluginAnswer {
  let keys: [ObjectKey]
  /// The parts of the request that the plug-in has answered: QUIRE_ANSWERED_PREDICATE and so on.
  let flags: UInt32

  private func has(_ flag: Int) -> Bool { flags & UInt32(flag) != 0 }

  /// Whether the found objects contain all objects that meet the predicate.
  var isUsable: Bool { has(Int(QUIRE_ANSWERED_PREDICATE)) || has(Int(QUIRE_ANSWERED_CANDIDATES)) }

  /// Whether the found objects have the order of the request.
  var isOrdered: Bool {
    has(Int(QUIRE_ANSWERED_ORDER)) && has(Int(QUIRE_ANSWERED_PREDICATE))
  }

  /// Returns the part of a request that the host completes on the found objects.
  func rest(of request: QueryRequest) -> Rest {
    var rest = request
    if has(Int(QUIRE_ANSWERED_PREDICATE)) { rest.predicate = nil }
    let isPaged = has(Int(QUIRE_ANSWERED_LIMIT)) && isOrdered
    if isPaged { (rest.fetchOffset, rest.fetchLimit) = (0, 0) }
    let hasPage = rest.fetchOffset > 0 || rest.fetchLimit > 0
    // Objects without a sort key have the order of their identifiers, which is an order too.
    if isOrdered, !hasPage { rest.sortKeys = [] }
    return Rest(
      request: rest,
      isNothing: rest.predicate == nil && !hasPage && (isOrdered || request.sortKeys.isEmpty))
  }

  /// The part of a request that a plug-in has left to the host.
  struct Rest {
    /// The request for the found objects.
    let request: QueryRequest
    /// Whether the plug-in has answered the whole request.
    let isNothing: Bool

    /// Whether the rest depends only on the attributes and relationships of the found objects themselves.
    ///
    /// A path through other objects may search their entity, in which only the found objects would be seen.
    var readsOnlyFoundObjects: Bool {
      (request.predicate?.readsOnlyOwnValues ?? true)
        && request.sortKeys.allSatisfy { !$0.path.contains(".") }
    }
  }
}

extension QueryPredicate {
  /// Whether the result depends only on values in the row of an object itself.
  fileprivate var readsOnlyOwnValues: Bool {
    switch self {
    case .constant: true
    case .and(let parts), .or(let parts): parts.allSatisfy(\.readsOnlyOwnValues)
    case .not(let part): part.readsOnlyOwnValues
    case .comparison(let one):
      one.modifier == .direct && one.left.readsOnlyOwnValues && one.right.readsOnlyOwnValues
    }
  }
}

extension QueryExpression {
  fileprivate var readsOnlyOwnValues: Bool {
    switch self {
    case .constant, .object, .evaluatedObject: true
    case .aggregate(let parts), .function(_, let parts): parts.allSatisfy(\.readsOnlyOwnValues)
    case .keyPath(.evaluatedObject, let path): path.count == 1 && !path[0].hasPrefix("@")
    case .cast(let part, _): part.readsOnlyOwnValues
    case .conditional(let condition, let one, let other):
      condition.readsOnlyOwnValues && one.readsOnlyOwnValues && other.readsOnlyOwnValues
    default: false
    }
  }
}
