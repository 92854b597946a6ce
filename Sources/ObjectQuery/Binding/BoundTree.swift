import ObjectModel
package import Rows

// The trees of predicates and expressions after binding: properties are columns, variables are values or slots, and
// parts that do not depend on an object are computed.

/// A predicate bound to an entity.
package indirect enum BoundPredicate: Sendable {
  case constant(Bool)
  case and([BoundPredicate])
  case or([BoundPredicate])
  case not(BoundPredicate)
  case comparison(BoundComparison)
}

/// A comparison bound to an entity.
package struct BoundComparison: Sendable {
  package var left: BoundExpression
  package var operation: QueryPredicate.Operator
  package var right: BoundExpression
  package var modifier: QueryPredicate.Modifier
  package var options: TextOptions
  /// The prepared right side, if it is one text for all objects.
  var pattern: TextPattern?
}

/// An expression bound to an entity.
package indirect enum BoundExpression: Sendable {
  case constant(Operand)
  /// The object for which the predicate is evaluated.
  case this
  /// The object that a subquery's variable stands for.
  case slot(Int)
  case path(BoundExpression, [PathStep])
  case list([BoundExpression])
  case function(QueryExpression.Function, [BoundExpression])
  case call(BoundExpression, ValueMethod, [BoundExpression])
  case element(BoundExpression, BoundIndex)
  case set(QueryExpression.SetOperator, BoundExpression, BoundExpression)
  case subquery(BoundSubquery)
  case conditional(BoundPredicate, BoundExpression, BoundExpression)
  case cast(BoundExpression, QueryExpression.CastType)
  case fetch(BoundFetch)
  /// A value that the evaluated group has as a whole.
  case groupValue(GroupValue)
}

package enum BoundIndex: Sendable {
  case first
  case last
  case size
  case at(BoundExpression)
}

/// The objects of a collection that meet a predicate.
package struct BoundSubquery: Sendable {
  package var collection: BoundExpression
  /// The slot of the variable, which contains the current element while the predicate is evaluated.
  package var slot: Int
  package var predicate: BoundPredicate
  /// The predicate with the object itself in place of the variable; `nil` if the predicate also reads other objects.
  var own: BoundPredicate?
  /// Whether the predicate reads only the element.
  package var standsAlone: Bool { own != nil }
}

/// The objects of an entity that meet a predicate.
package struct BoundFetch: Sendable {
  package var layouts: [Layout]
  package var predicate: BoundPredicate
  package var countOnly: Bool
  /// The position among the request's fetches that have the same result for all objects; `nil` if the fetch reads
  /// variables of an enclosing subquery.
  package var sharedIndex: Int?
}

/// One step from an object, or from each of several objects, to a value.
package enum PathStep: Sendable, Hashable {
  case attribute(LayoutColumn)
  case toOne(LayoutColumn, destination: String)
  case toMany(ToManyRelationship)
  /// Follows more steps from each element of the collection so far, and computes one value from the results.
  case collection(CollectionOperator, [PathStep])

  package var isToMany: Bool { if case .toMany = self { true } else { false } }
}

/// An operator in a path, written with `@`, that computes a value from the collection before it.
package enum CollectionOperator: String, CaseIterable, Sendable {
  case count
  case sum
  case average = "avg"
  case minimum = "min"
  case maximum = "max"
  case union = "unionOfObjects"
  case distinctUnion = "distinctUnionOfObjects"
  case unionOfArrays
  case distinctUnionOfArrays
  case unionOfSets
  case distinctUnionOfSets

  /// The function that computes the same value from its arguments; `nil` for operators that return collections.
  package var function: QueryExpression.Function? {
    switch self {
    case .count: .count
    case .sum: .sum
    case .average: .average
    case .minimum: .min
    case .maximum: .max
    default: nil
    }
  }

  /// Creates the operator with a name of any language: `count`, `length`, `average`.
  init?(anyName name: String) {
    switch name.lowercased() {
    case "count", "length", "size": self = .count
    case "average", "mean": self = .average
    case "minimum": self = .minimum
    case "maximum": self = .maximum
    case let name: self.init(rawValue: name)
    }
  }

  var isDistinct: Bool {
    switch self {
    case .distinctUnion, .distinctUnionOfArrays, .unionOfSets, .distinctUnionOfSets: true
    default: false
    }
  }
}

/// A method that `FUNCTION` may call, by Apple's name.
///
/// The list is closed, so a text from outside can never choose code to run.
package enum ValueMethod: String, CaseIterable, Sendable {
  case length
  case uppercase = "uppercaseString"
  case lowercase = "lowercaseString"
  case capitalized = "capitalizedString"
  case appending = "stringByAppendingString:"
  case substringFrom = "substringFromIndex:"
  case substringTo = "substringToIndex:"
  case replacing = "stringByReplacingOccurrencesOfString:withString:"
  case lastPathComponent
  case pathExtension
  case deletingPathExtension = "stringByDeletingPathExtension"
  case deletingLastPathComponent = "stringByDeletingLastPathComponent"
  case appendingPathComponent = "stringByAppendingPathComponent:"
  case uuidText = "UUIDString"
  case numberText = "stringValue"
  case absoluteText = "absoluteString"
  case relativeText = "relativeString"
  case scheme
  case host
  case port
  case path
  case query
  case fragment
  case integerValue
  case longLongValue
  case intValue
  case floatValue
  case doubleValue
  case boolValue
  case secondsSinceReferenceDate = "timeIntervalSinceReferenceDate"
  case secondsSince1970 = "timeIntervalSince1970"
  case secondsSince = "timeIntervalSinceDate:"
  case addingSeconds = "dateByAddingTimeInterval:"
  case count

  var argumentCount: Int { rawValue.count { $0 == ":" } }

  /// The type of the values that have the method; `nil` if values of several types have it.
  var target: OperandType? {
    switch self {
    case .length, .count, .integerValue, .longLongValue, .intValue, .floatValue, .doubleValue,
      .boolValue:
      nil
    case .numberText: .number
    case .uuidText: .uuid
    case .secondsSinceReferenceDate, .secondsSince1970, .secondsSince, .addingSeconds: .date
    default: .text
    }
  }

  /// The type of the method's value.
  var result: OperandType {
    switch self {
    case .length, .count, .integerValue, .longLongValue, .intValue, .floatValue, .doubleValue,
      .boolValue, .port, .secondsSinceReferenceDate, .secondsSince1970, .secondsSince:
      .number
    case .addingSeconds: .date
    default: .text
    }
  }
}

extension BoundExpression {
  /// The steps of a path that starts at the object itself; `nil` for any other expression.
  package var ownSteps: [PathStep]? {
    if case .path(.this, let steps) = self { steps } else { nil }
  }

  package var constant: Operand? {
    if case .constant(let operand) = self { operand } else { nil }
  }

  /// Whether the value is the same for every object.
  ///
  /// Random numbers differ each time, and so do fetches, which read the store.
  var isConstant: Bool { constant != nil }
}
