private import Foundation
private import TextMatching

// Checks of the types, defaults and bounds of attributes, and of their composite types.

extension ModelCheck {
  /// - Parameter owner: The name of the entity or composite type that has the attribute.
  mutating func checkAttribute(_ attribute: Attribute, of owner: String) {
    if !attribute.isTransient, attribute.type == .undefined || attribute.type == .objectID {
      report(
        .typeNotStorable, entity: owner, property: attribute.name,
        """
        The attribute has the type \(attribute.type.sourceName), which cannot be stored. \
        Give it another type or make it transient.
        """)
    }
    checkDefault(of: attribute, owner)
    checkPrecision(of: attribute, owner)
    checkBounds(of: attribute, owner)
    checkPattern(of: attribute, owner)
    checkCompositeName(of: attribute, owner)
  }

  private mutating func checkDefault(of attribute: Attribute, _ owner: String) {
    let value = attribute.defaultValue
    guard !value.isNull else { return }
    if let problem = attribute.type.problem(with: value) {
      report(
        .wrongDefault, entity: owner, property: attribute.name, "The default value \(problem).")
    } else if let problem = attribute.validation.problem(withBoundsOf: value) {
      report(
        .defaultFailsValidation, severity: .warning, entity: owner, property: attribute.name,
        "The default value \(problem), so a new object is not valid.")
    }
  }

  private mutating func checkPrecision(of attribute: Attribute, _ owner: String) {
    guard let precision = attribute.validation.precision else { return }
    if precision.type != attribute.type {
      report(
        .wrongPrecision, entity: owner, property: attribute.name,
        """
        Values of the type \(attribute.type.sourceName) can't be \(precision.words): \
        that is for the type \(precision.type.sourceName).
        """)
    } else if case .places(let places) = precision,
      !Attribute.Precision.allowedPlaces.contains(places)
    {
      report(
        .wrongPrecision, entity: owner, property: attribute.name,
        "A number can't have \(places) decimal places, but 0 to 38.")
    }
  }

  private mutating func checkBounds(of attribute: Attribute, _ owner: String) {
    let (minimum, maximum) = (attribute.validation.minimum, attribute.validation.maximum)
    var isRight = true
    for (bound, word) in [(minimum, "minimum"), (maximum, "maximum")] where !bound.isNull {
      if let problem = attribute.type.problem(withBound: bound) {
        isRight = false
        report(.wrongBound, entity: owner, property: attribute.name, "The \(word) \(problem).")
      }
    }
    if isRight, let order = minimum.order(comparedTo: maximum), order > 0 {
      report(
        .emptyBounds, entity: owner, property: attribute.name,
        """
        The minimum \(minimum.text(attribute.validation.precision)) is greater than \
        the maximum \(maximum.text(attribute.validation.precision)).
        """)
    }
  }

  private mutating func checkPattern(of attribute: Attribute, _ owner: String) {
    guard let pattern = attribute.validation.pattern else { return }
    guard attribute.type == .string else {
      report(
        .wrongPattern, entity: owner, property: attribute.name,
        "A pattern is for text; the attribute has the type \(attribute.type.sourceName).")
      return
    }
    if !PlainPattern.accepts(pattern), (try? NSRegularExpression(pattern: pattern)) == nil {
      report(
        .wrongPattern, entity: owner, property: attribute.name,
        "The pattern \"\(pattern.prefix(80))\" is not a regular expression.")
    }
  }

  private mutating func checkCompositeName(of attribute: Attribute, _ owner: String) {
    switch (attribute.type == .composite, attribute.compositeName) {
    case (true, nil):
      report(
        .missingComposite, entity: owner, property: attribute.name,
        "The attribute is composite but does not name its composite type.")
    case (false, let name?):
      report(
        .missingComposite, entity: owner, property: attribute.name,
        """
        The attribute names the composite type "\(name)" \
        but has the type \(attribute.type.sourceName) instead of Composite.
        """)
    case (true, let name?) where index.compositeByName[name] == nil:
      let hint = suggestion.sentence(for: name, among: description.composites.lazy.map(\.name))
      report(
        .unknownComposite, entity: owner, property: attribute.name,
        "The composite type \"\(name)\" is not in the model." + hint)
    default: break
    }
  }
}

extension ModelCheck {
  mutating func checkComposites() {
    reportDuplicates(description.composites.map(\.name), "composite type")
    for composite in description.composites {
      checkName(composite.name, "composite type", composite.name)
      for attribute in composite.attributes {
        checkName(attribute.name, "attribute", composite.name, attribute.name)
        checkAttribute(attribute, of: composite.name)
        if attribute.derivation != nil {
          report(
            .wrongDerivation, entity: composite.name, property: attribute.name,
            "An attribute of a composite type can't be derived.")
        }
      }
      reportDuplicates(composite.attributes.map(\.name), "attribute", in: composite.name)
    }
    let endingTypes = Set(index.compositesPartsFirst)
    for (position, composite) in description.composites.enumerated()
    where !endingTypes.contains(position) && index.compositeByName[composite.name] == position {
      report(
        .recursiveComposite, entity: composite.name,
        """
        The composite type contains itself, directly or through other composite types, \
        or it contains a composite type that does.
        """)
    }
  }
}
