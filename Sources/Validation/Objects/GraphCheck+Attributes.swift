import ObjectModel
import Rows
import StoreInterface

extension GraphCheck {
  /// Checks the attributes of an entity's objects: required values, bounds, patterns.
  func checkAttributes(
    _ layout: Layout, _ objects: EntityObjects, _ blocks: [Block]
  ) throws {
    for property in model.properties(of: layout.entity) where !property.isTransient {
      guard case .attribute(let attribute) = property else { continue }
      for parts in model.storedParts(of: attribute) {
        try check(
          parts.last!, parts.map(\.name).joined(separator: "."),
          isRequired: !parts.contains(where: \.isOptional), layout, objects, blocks)
      }
    }
  }

  /// Checks one attribute, or one part of a composite attribute.
  private func check(
    _ attribute: Attribute, _ path: String, isRequired: Bool, _ layout: Layout,
    _ objects: EntityObjects, _ blocks: [Block]
  ) throws {
    guard let index = layout.index(of: path) else { return }
    // Binary attributes have neither bounds nor patterns, and seldom predicates.
    let column = try ObjectColumn(
      layout.columns[index], of: objects, in: blocks,
      isPresence: layout.columns[index].kind == .binary
        && attribute.validation.predicates.isEmpty)
    var place = Place(entity: layout.entity, property: path)
    if isRequired {
      for object in objects.keys.indices where column.isNull(object) {
        place.object = objects.keys[object]
        findings.add(
          .missingValue, place, "The attribute is required, but the object has no value.")
      }
    }
    let validation = attribute.validation
    if layout.columns[index].kind == .binary {
      return checkPredicates(attribute, place, objects, column)
    }
    checkPredicates(attribute, place, objects, column)
    if validation.minimum.isNull && validation.maximum.isNull && validation.pattern == nil
      && validation.precision == nil
    {
      return
    }
    var pattern = validation.pattern.flatMap(BoundedPattern.init)
    for object in objects.keys.indices {
      let value = column.value(object)
      guard !value.isNull else { continue }
      place.object = objects.keys[object]
      check(value, validation, place)
      if case .string(let text) = value { check(text, &pattern, place) }
    }
  }

  private func check(_ value: Value, _ validation: Attribute.Validation, _ place: Place) {
    var measured = value
    let precision = validation.precision
    if let precision, !precision.accepts(value) {
      findings.add(.fineValue, place, "\(value.text) \(precision.rule).")
    }
    var words = value.text(precision)
    if case .string(let text) = value {
      let count = text.count
      measured = .integer(Int64(count))
      words = "The text has \(count) characters"
    }
    if let order = measured.order(comparedTo: validation.minimum), order < 0 {
      findings.add(
        .lowValue, place, "\(words), but the minimum is \(validation.minimum.text(precision)).")
    }
    if let order = measured.order(comparedTo: validation.maximum), order > 0 {
      findings.add(
        .highValue, place, "\(words), but the maximum is \(validation.maximum.text(precision)).")
    }
  }

  private func check(_ text: String, _ pattern: inout BoundedPattern?, _ place: Place) {
    switch pattern?.matches(text) {
    case false?:
      findings.add(
        .patternMismatch, place, "The text does not match '\(pattern!.pattern.prefix(80))'.")
    case nil where pattern != nil:
      findings.add(
        .patternTime, place, "The check of the text against the pattern takes too long.")
      // A pattern that took too long once may take as long for other texts.
      if pattern!.isExhausted { pattern = nil }
    default: break
    }
  }
}
