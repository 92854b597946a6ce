import Foundation
package import ObjectModel
package import Rows

/// An expression whose value an attribute is to get: its type, as far as it is known before it is evaluated.
package struct AssignedExpression {
  private let type: OperandType
  /// Whether the value depends on the object.
  package let readsObject: Bool

  /// Binds the expression to an entity.
  ///
  /// - Throws: ``QueryError`` if a name is not in the model, or types are incompatible.
  package init(
    _ expression: QueryExpression, entity: String, model: Model, schema: Schema,
    store: StoreTag? = nil
  ) throws(QueryError) {
    var binder = Binder(model, schema, store: store, entity: entity, now: Date())
    let (bound, type) = try binder.bind(expression)
    self.type = type
    readsObject = bound.readsObject
    guard type.isCollection else { return }
    throw QueryError(
      .typeMismatch,
      "The expression is \(type.words), and an attribute has one value. Use an operator such as SUM or @count."
    )
  }

  /// Whether the value is a text.
  package var isText: Bool { type == .text }

  /// The type in words: "a number".
  package var words: String { type.words }

  /// Returns whether an attribute may have values of the type.
  package func suits(_ attribute: Attribute) -> Bool {
    type.isComparable(to: OperandType(attribute.type))
      || type == .text && attribute.type == .uuid
  }
}
