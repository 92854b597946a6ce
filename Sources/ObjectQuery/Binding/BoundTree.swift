import ObjectModel
package import Rows

// The trees of predicates and expressions once names are resolved: properties are columns,
// variables have values or places, and what does not depend on an object is computed.

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
  /// The right side prepared, when it is one text for all objects.
  var pattern: TextPattern?
}

/// An expression bound to an entity.
package indirect enum BoundExpression: Sendable {
  case constant(Operand)
  /// The object the predicate is asked of.
  case this
  /// The object a variable of a subquery stands for.
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
  /// What has one value for the whole group that is evaluated.
  case groupValue(GroupValue)
}

package enum BoundIndex: Sendable {
  case first
  case last
  case size
  case at(BoundExpression)
}

/// The objects of a collection for which a predicate holds.
package struct BoundSubquery: Sendable {
  package var collection: BoundExpression
  /// Where the object in question is kept while the predicate is asked.
  package var slot: Int
  package var predicate: BoundPredicate
  /// The predicate asked of the object itself; `nil` when it also speaks of others.
  var own: BoundPredicate?
  /// Whether the predicate speaks of nothing but the element.
  package var standsAlone: Bool { own != nil }
}

/// The objects of an entity for which a predicate holds.
package struct BoundFetch: Sendable {
  package var layouts: [Layout]
  package var predicate: BoundPredicate
  package var countOnly: Bool
  /// The position among the request's fetches whose answer is the same for all objects; `nil` when it
  /// speaks of variables of a subquery around it.
  package var sharedIndex: Int?
}

/// One step from an object, or from each of several, to a value.
package enum PathStep: Sendable, Hashable {
  case attribute(LayoutColumn)
  case toOne(LayoutColumn, destination: String)
  case toMany(ToManyRelationship)
  /// Computes one value of the collection so far, after following more steps from each element.
  case collection(CollectionOperator, [PathStep])

  package var isToMany: Bool { if case .toMany = self { true } else { false } }
}

/// What an element of a path that begins with `@` computes of the collection before it.
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

  /// The function that computes the same of its arguments; `nil` for those that give collections.
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

  var isDistinct: Bool {
    switch self {
    case .distinctUnion, .distinctUnionOfArrays, .unionOfSets, .distinctUnionOfSets: true
    default: false
    }
  }
}

/// A method that `FUNCTION` may call, by Apple's name.
///
/// A closed list: text from outside never chooses code to run.
package enum ValueMethod: String, CaseIterable, Sendable {
  case length
  case uppercase = "uppercaseString"
  case lowercase = "lowercaseString"
  case capitalized = "capitalizedString"
  case appending = "stringByAppendingString:"
  case substringFrom = "substringFromIndex:"
  case substringTo = "substringToIndex:"
  case replacing = "stringByReplacingOccurrencesOfString:withString:"
  case integerValue
  case intValue
  case doubleValue
  case boolValue
  case secondsSinceReferenceDate = "timeIntervalSinceReferenceDate"
  case secondsSince1970 = "timeIntervalSince1970"
  case secondsSince = "timeIntervalSinceDate:"
  case addingSeconds = "dateByAddingTimeInterval:"
  case count

  var argumentCount: Int { rawValue.count { $0 == ":" } }
}

extension BoundExpression {
  /// The path's steps when it starts at the object itself.
  package var ownSteps: [PathStep]? {
    if case .path(.this, let steps) = self { steps } else { nil }
  }

  package var constant: Operand? {
    if case .constant(let operand) = self { operand } else { nil }
  }

  /// Whether the value is the same for every object.
  ///
  /// Random numbers differ each time, and so do fetches that read the store.
  var isConstant: Bool { constant != nil }
}
