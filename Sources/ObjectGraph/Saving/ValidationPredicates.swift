package import ObjectModel
package import ObjectQuery
package import Rows

/// A rule of the model that a value breaks.
package struct ValueProblem: Sendable {
  package let rule: ValidationFailure.Rule
  /// A sentence about the value, or the message of the model.
  package let message: String
  /// The error number that the model defines for the rule.
  package let code: Int?

  init(_ rule: ValidationFailure.Rule, _ message: String, code: Int? = nil) {
    self.rule = rule
    self.message = message
    self.code = code
  }
}

extension ValueProblem {
  /// Creates the problem of a value that does not meet a predicate.
  ///
  /// - Parameter subject: The beginning of a sentence about the value, up to the verb.
  fileprivate init(breaking predicate: ValidationPredicate, _ subject: String) {
    self.init(
      .predicate,
      predicate.message ?? "\(subject) does not meet the condition \(predicate.predicate).",
      code: predicate.code)
  }

  /// Creates the problem of a predicate that can't be evaluated, so that the value may break it.
  fileprivate init(undecided predicate: ValidationPredicate, of name: String, _ error: any Error) {
    let reason = (error as? QueryError)?.message ?? "\(error)"
    self.init(
      .predicate,
      "The condition \(predicate.predicate) of \"\(name)\" can't be checked. \(reason)",
      code: predicate.code)
  }
}

/// A predicate that the values of an attribute must meet.
struct ValuePredicate: Sendable {
  private let predicate: ValidationPredicate
  private let condition: Result<ValueCondition, QueryError>

  init(_ predicate: ValidationPredicate, of attribute: Attribute) {
    self.predicate = predicate
    do throws(QueryError) {
      condition = .success(try ValueCondition(predicate, of: attribute))
    } catch {
      condition = .failure(error)
    }
  }

  /// Returns the problem with a value; `nil` if the value meets the predicate.
  ///
  /// - Parameter subject: The beginning of a sentence about the value.
  func problem(with value: Value, _ subject: String, _ name: String) -> ValueProblem? {
    do {
      return try condition.get().holds(for: value)
        ? nil : ValueProblem(breaking: predicate, subject + ", which")
    } catch { return ValueProblem(undecided: predicate, of: name, error) }
  }
}

/// A predicate that a relationship or a composite attribute of an object must meet.
package struct PropertyCheck: Sendable {
  private let property: Property
  private let predicate: ValidationPredicate
  private let condition: Result<PropertyCondition, QueryError>
  /// The columns of the property's own values; empty if the values are in rows of related objects.
  private let columns: [LayoutColumn]

  /// Creates the check of a predicate of a property, for the objects of a layout.
  package init(
    _ predicate: ValidationPredicate, of property: Property, _ layout: Layout, _ model: Model,
    _ schema: Schema
  ) {
    self.property = property
    self.predicate = predicate
    columns = layout.columns.filter {
      $0.name == property.name || $0.name.hasPrefix(property.name + ".")
    }
    do throws(QueryError) {
      condition = .success(
        try PropertyCondition(predicate, of: property, in: layout.entity, model, schema))
    } catch { condition = .failure(error) }
  }

  /// Returns the problem with an object; `nil` if the object meets the predicate or has no value.
  package func problem(with key: ObjectKey, in source: some QuerySource) -> ValueProblem? {
    do {
      if !columns.isEmpty, let row = try source.row(of: key),
        try columns.allSatisfy({ try row.value($0).isNull })
      {
        return nil
      }
      return try condition.get().holds(for: key, in: source)
        ? nil : ValueProblem(breaking: predicate, "\"\(property.name)\"")
    } catch { return ValueProblem(undecided: predicate, of: property.name, error) }
  }
}
