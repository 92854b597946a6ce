package import Foundation
package import ObjectModel
package import Rows

/// An expression bound to an entity and evaluated for single objects, as ``CompiledPredicate`` is for predicates.
package struct CompiledExpression: Sendable {
  private let bound: BoundExpression
  private let now: Date
  private let slotCount: Int
  private let sharedFetchCount: Int

  /// The result of an expression.
  package enum Result: Sendable, Hashable {
    /// One value, which may be null.
    case value(Value)
    case values([Value])
  }

  /// Binds an expression to an entity.
  ///
  /// - Throws: ``QueryError`` if a name is not in the model, or types are incompatible.
  package init(
    _ expression: QueryExpression, entity: String, model: Model, schema: Schema,
    now: Date = Date()
  ) throws(QueryError) {
    guard model[entity] != nil else { throw Binder.unknownEntity(entity, in: model) }
    var binder = Binder(
      model, schema, store: nil, entity: entity, now: now, missing: .allowed)
    bound = try binder.bind(expression).0
    self.now = now
    slotCount = binder.slotCount
    sharedFetchCount = binder.sharedFetchCount
  }

  /// Returns the result of the expression for an object of a source, from the given row.
  package func value(
    for key: ObjectKey, _ row: ViewRow, in source: some QuerySource
  ) throws -> Result {
    let interpreter = Interpreter(
      source, now: now, slotCount: slotCount, sharedFetchCount: sharedFetchCount)
    switch try interpreter.value(bound, for: Subject(key: key, values: .view(row))) {
    case .value(let value): return .value(value)
    case .list(let items): return .values(items.flatMap(\.items).compactMap(\.single))
    }
  }
}
