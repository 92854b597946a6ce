import ObjectGraph
import ObjectModel
import Rows

/// Reads and checks the fields of one object.
struct FieldReading {
  let plan: ImportPlan
  let record: RecordReader
  let entity: ImportedEntity
  /// The number that distinguishes this reading from all earlier ones.
  private let number: Int

  init(_ plan: ImportPlan, _ record: RecordReader, _ entity: ImportedEntity) {
    self.plan = plan
    self.record = record
    self.entity = entity
    plan.readingCount += 1
    number = plan.readingCount
  }

  /// Calls a closure for each attribute and each relationship of the object.
  ///
  /// - Parameter problems: Collects the problems of values, and every problem that a closure throws.
  /// - Returns: The positions of the targets with problems, including problems of the first pass.
  func forEach(
    _ problems: ImportProblems,
    attribute: (ImportTarget, _ column: Int, Value) throws -> Void,
    toOne: (ImportTarget, ImportTarget.ToOne, String?) throws -> Void,
    toMany: (ImportTarget, ImportTarget.ToMany, [String]) throws -> Void
  ) throws -> Set<Int> {
    var faulty: Set<Int> = []
    for (place, field) in record.fields.enumerated() {
      // The first pass has reported unknown names.
      guard let target = entity.target(field.name, at: place) else { continue }
      if case .refused = target.kind { continue }
      let isSound = try problems.collect {
        guard entity.mark(target, number) else {
          throw record.problem(field.name, "The property occurs twice.")
        }
        switch target.kind {
        case .derived, .refused: break
        case .attribute, .composite: try set(target, try record.value(field), problems, attribute)
        case .toOne(let end):
          try toOne(target, end, shaped { try record.value(field).identifier() })
        case .toMany(let end):
          try toMany(target, end, shaped { try record.value(field).identifiers() })
        }
      }
      if !isSound {
        faulty.insert(target.position)
        for part in entity.parts(of: target.name) { faulty.insert(part.position) }
      }
    }
    return faulty
  }

  /// Returns the identifiers of a relationship. The first pass has reported values that are not identifiers.
  private func shaped<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch is FieldFault { throw ReportedProblem() } catch is ImportProblem
    {
      throw ReportedProblem()
    }
  }

  private func set(
    _ target: ImportTarget, _ value: FieldValue, _ problems: ImportProblems,
    _ body: (ImportTarget, _ column: Int, Value) throws -> Void
  ) throws {
    switch (target.kind, value) {
    case (.attribute(let attribute), _):
      let read: Value
      do { read = try FieldText.value(value, of: attribute.type) } catch {
        throw record.problem(target.name, error.reason)
      }
      if !read.isNull, let reason = attribute.check.problem(with: read) {
        throw record.problem(target.name, reason)
      }
      try body(target, attribute.column, read)
    case (.composite, .null):
      for part in entity.parts(of: target.name) {
        if case .attribute(let attribute) = part.kind { try body(part, attribute.column, .null) }
      }
    case (.composite, .members(let members)):
      var isSound = true
      for (name, value) in members {
        let isPartSound = try problems.collect {
          let path = target.name + "." + name
          let part = try plan.target(path, of: entity, record)
          guard entity.mark(part, number) else {
            throw record.problem(path, "The property occurs twice.")
          }
          try set(part, value, problems, body)
        }
        isSound = isSound && isPartSound
      }
      if !isSound { throw ReportedProblem() }
    case (.composite, _):
      throw record.problem(
        target.name, "The property has several parts, so its value must be an object.")
    default: break
    }
  }
}
