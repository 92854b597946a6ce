import ObjectGraph
import ObjectModel
import Rows

/// One object of a file with its entity: what its fields are, checked.
struct FieldReading {
  let plan: ImportPlan
  let record: RecordReader
  let entity: ImportedEntity
  /// No other reading has the same.
  private let number: Int

  init(_ plan: ImportPlan, _ record: RecordReader, _ entity: ImportedEntity) {
    self.plan = plan
    self.record = record
    self.entity = entity
    plan.readingCount += 1
    number = plan.readingCount
  }

  /// Gives each attribute that the object has, and each end of its relationships.
  ///
  /// - Throws: ``ImportProblem``.
  func forEach(
    attribute: (ImportTarget, _ column: Int, Value) throws -> Void,
    toOne: (ImportTarget, ImportTarget.ToOne, String?) throws -> Void,
    toMany: (ImportTarget, ImportTarget.ToMany, [String]) throws -> Void
  ) throws {
    for field in record.fields {
      let target = try plan.target(field.name, of: entity, record)
      guard entity.mark(target, number) else {
        throw record.problem(field.name, "It is there twice.")
      }
      do {
        switch target.kind {
        case .derived, .refused: break
        case .attribute, .composite: try set(target, try record.value(field), attribute)
        case .toOne(let end): try toOne(target, end, record.value(field).identifier())
        case .toMany(let end): try toMany(target, end, record.value(field).identifiers())
        }
      } catch let fault as FieldFault {
        throw record.problem(field.name, fault.reason)
      }
    }
  }

  private func set(
    _ target: ImportTarget, _ value: FieldValue,
    _ body: (ImportTarget, _ column: Int, Value) throws -> Void
  ) throws {
    switch (target.kind, value) {
    case (.attribute(let column, let type, let check), _):
      let read: Value
      do { read = try FieldText.value(value, of: type) } catch {
        throw record.problem(target.name, error.reason)
      }
      if !read.isNull, let reason = check.problem(with: read) {
        throw record.problem(target.name, reason)
      }
      try body(target, column, read)
    case (.composite, .null):
      for part in entity.parts(of: target.name) {
        if case .attribute(let column, _, _) = part.kind { try body(part, column, .null) }
      }
    case (.composite, .members(let members)):
      for (name, value) in members {
        let path = target.name + "." + name
        let part = try plan.target(path, of: entity, record)
        guard entity.mark(part, number) else {
          throw record.problem(path, "It is there twice.")
        }
        try set(part, value, body)
      }
    case (.composite, _):
      throw record.problem(target.name, "It has several parts, and takes an object of them.")
    default: break
    }
  }
}
