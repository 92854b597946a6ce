import Foundation
import ObjectModel

/// The texts of documentation comments for the parts of a model.
enum PropertyWords {
  /// Returns the paragraphs that the model's author wrote about a part, in the note `documentation`.
  static func notes(_ userInfo: [String: String]) -> [String] {
    CodeText.paragraphs(userInfo["documentation"] ?? "")
  }

  /// Returns the author's notes, then the summary, then further paragraphs.
  static func paragraphs(
    _ userInfo: [String: String], otherwise summary: String, _ others: [String] = []
  ) -> [String] {
    let notes = notes(userInfo)
    return notes.isEmpty ? [summary] + others : notes + [summary] + others
  }

  /// Returns a sentence about an attribute, its values and its validation.
  static func sentence(about attribute: Attribute) -> String {
    var parts = [values(of: attribute)]
    if attribute.isTransient { parts.append("held in memory only") }
    if let derivation = attribute.derivation {
      parts.append("computed by \(CodeText.code(derivation.expression))")
    } else if !attribute.isOptional, attribute.type != .composite {
      parts.append("required")
    }
    if let value = shown(attribute.defaultValue, attribute.validation.precision) {
      parts.append("\(value) in a new object")
    }
    if let pattern = attribute.validation.pattern {
      parts.append("matching \(CodeText.code(pattern))")
    }
    for predicate in attribute.validation.predicates {
      parts.append("meeting \(CodeText.code(predicate.predicate))")
    }
    return "The attribute \(CodeText.code(attribute.name)): \(parts.joined(separator: ", "))."
  }

  private static func values(of attribute: Attribute) -> String {
    let transformer = attribute.valueTransformerName.map { " made by \(CodeText.code($0))" } ?? ""
    let isMade = attribute.type == .transformable
    let words = attribute.validation.precision?.words ?? attribute.type.traits.words
    let kind = words + (isMade ? transformer : "")
    return kind + bounds(of: attribute)
  }

  private static func bounds(of attribute: Attribute) -> String {
    let (minimum, maximum) = (
      shown(attribute.validation.minimum, attribute.validation.precision),
      shown(attribute.validation.maximum, attribute.validation.precision)
    )
    let unit = attribute.type == .string ? " characters" : ""
    return switch (minimum, maximum) {
    case (let least?, let most?): "\(unit.isEmpty ? " from" : " of") \(least) to \(most)\(unit)"
    case (let least?, nil): " of at least \(least)\(unit)"
    case (nil, let most?): " of at most \(most)\(unit)"
    case (nil, nil): ""
    }
  }

  /// Returns a value as a comment shows it; `nil` if comments omit such a value.
  private static func shown(_ value: Value, _ precision: Attribute.Precision?) -> String? {
    if let text = precision?.text(value) { return "`\(text)`" }
    return switch value {
    case .null, .object, .binary: nil
    case .boolean(let value): "`\(value)`"
    case .integer(let value): "`\(value)`"
    case .float(let value): "`\(value)`"
    case .double(let value): "`\(value)`"
    case .decimal(let value): "`\(value)`"
    case .string(let text), .uri(let text): text.isEmpty ? "empty" : CodeText.quoted(text)
    case .date(let date): "`\(date.timeIntervalSinceReferenceDate)` seconds after 2001"
    case .uuid(let value): "`\(value.uuidString)`"
    }
  }

  /// Returns a sentence about a relationship, its destination and its delete rule.
  static func sentence(about relationship: Relationship) -> String {
    let destination = CodeText.code(relationship.destination)
    let count = relationship.count
    var text = "The relationship \(CodeText.code(relationship.name)): "
    if !relationship.isToMany {
      text += "one object of \(destination)" + (relationship.isOptional ? " or none" : ", required")
    } else {
      switch (count.minimum, max(count.maximum, 0)) {
      case (0, 0): text += "any number of objects of \(destination)"
      case (let least, 0): text += "at least \(least) objects of \(destination)"
      case (0, let most): text += "at most \(most) objects of \(destination)"
      case (let least, let most): text += "\(least) to \(most) objects of \(destination)"
      }
      if relationship.isOrdered { text += ", in an order of their own" }
    }
    if relationship.isTransient { text += ", held in memory only" }
    return text + "." + fate(relationship)
  }

  private static func fate(_ relationship: Relationship) -> String {
    let many = relationship.isToMany
    return switch relationship.deleteRule {
    case .nullify, .noAction: ""
    case .cascade: many ? " They are deleted with this object." : " It is deleted with this object."
    case .deny:
      " This object can't be deleted while there is \(many ? "any" : "one")."
    }
  }

  /// Returns a description of a request with its predicate and its order.
  static func sentence(about request: FetchRequestTemplate) -> String {
    var text = "objects of \(CodeText.code(request.entity))"
    if let predicate = request.predicate { text += " where \(CodeText.code(predicate))" }
    if !request.sortKeys.isEmpty {
      let keys = request.sortKeys.map {
        CodeText.code($0.keyPath) + ($0.isAscending ? "" : " descending")
      }
      text += ", sorted by " + keys.joined(separator: ", ")
    }
    if request.fetchLimit > 0 { text += ", at most \(request.fetchLimit)" }
    return text
  }
}
