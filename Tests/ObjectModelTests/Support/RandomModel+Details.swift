import Foundation
import ObjectModel
import SeededRandom

extension RandomModel {
  /// Returns a random model without faults, with values, notes, requests, indexes and the editor's data.
  static func detailed(using random: inout SeededGenerator) -> Model.Description {
    var description = description(using: &random)
    for entity in description.entities.indices {
      description.entities[entity].addDetails(using: &random)
    }
    for composite in description.composites.indices {
      description.composites[composite].source = source(using: &random)
    }
    let names = description.entities.map(\.name)
    description.versionIdentifiers = texts(using: &random)
    description.configurations = [
      Configuration("all", entities: names), Configuration("none", entities: []),
    ]
    description.fetchRequestTemplates = ["one", "other"].map { name in
      request(name, names.randomElement(using: &random)!, using: &random)
    }
    description.source = source(using: &random)
    description.source.diagram = (0..<Int.random(in: 0...3, using: &random)).map { _ in
      notes(using: &random)
    }
    return description
  }

  /// Returns a random value of a type; no value for types without values.
  static func value(of type: AttributeType, using random: inout SeededGenerator) -> Value {
    switch type {
    case .int16: return .integer(Int64(Int16.random(in: .min ... .max, using: &random)))
    case .int32: return .integer(Int64(Int32.random(in: .min ... .max, using: &random)))
    case .int64: return .integer(Int64.random(in: .min ... .max, using: &random))
    case .decimal:
      let digits = Int64.random(in: .min ... .max, using: &random)
      let exponent = Int.random(in: -60...60, using: &random)
      return .decimal(Decimal(string: "\(digits)e\(exponent)")!)
    case .double: return .double(number(using: &random))
    case .float:
      let number = Float(bitPattern: UInt32.random(in: .min ... .max, using: &random))
      return .float(number.isNaN ? .infinity : number)
    case .string: return .string(text(using: &random))
    case .boolean: return .boolean(.random(using: &random))
    case .date:
      let moment =
        Bool.random(using: &random)
        ? number(using: &random) : Double.random(in: -1e10...1e10, using: &random)
      return .date(Date(timeIntervalSinceReferenceDate: moment))
    case .binary, .transformable:
      return .binary(
        Data(
          (0..<Int.random(in: 0...40, using: &random)).map { _ in
            .random(in: .min ... .max, using: &random)
          }))
    case .uuid:
      return .uuid(
        UUID(
          uuid: unsafe unsafeBitCast(
            (
              UInt64.random(in: .min ... .max, using: &random),
              UInt64.random(in: .min ... .max, using: &random)
            ), to: uuid_t.self)))
    case .uri: return .uri("https://example.org/\(text(using: &random))")
    case .undefined, .objectID, .composite: return .null
    }
  }

  /// Returns any number with 64 bits except "not a number", which does not equal itself.
  private static func number(using random: inout SeededGenerator) -> Double {
    let number = Double(bitPattern: UInt64.random(in: .min ... .max, using: &random))
    return number.isNaN ? -.infinity : number
  }

  static func text(using random: inout SeededGenerator) -> String {
    let parts = ["", "a", "Ü", "\"", "\\", "\n", "\u{0}", "\u{85}", "\u{1F600}", " ", "{", "@1"]
    return (0..<Int.random(in: 0...5, using: &random)).map { _ in
      parts.randomElement(using: &random)!
    }.joined()
  }

  private static func texts(using random: inout SeededGenerator) -> [String] {
    (0..<Int.random(in: 0...2, using: &random)).map { _ in text(using: &random) }
  }

  static func notes(using random: inout SeededGenerator) -> [String: String] {
    Dictionary(
      (0..<Int.random(in: 0...2, using: &random)).map { _ in
        (text(using: &random), text(using: &random))
      }, uniquingKeysWith: { one, _ in one })
  }

  static func source(using random: inout SeededGenerator) -> SourceDetails {
    SourceDetails(attributes: notes(using: &random))
  }

  static func optionalText(using random: inout SeededGenerator) -> String? {
    Bool.random(using: &random) ? nil : text(using: &random)
  }

  static func predicates(using random: inout SeededGenerator) -> [ValidationPredicate] {
    (0..<Int.random(in: 0...2, using: &random)).map { number in
      ValidationPredicate(
        "SELF != nil", message: optionalText(using: &random), code: number == 0 ? nil : -number)
    }
  }

  static func request(
    _ name: String, _ entity: String, using random: inout SeededGenerator
  ) -> FetchRequestTemplate {
    FetchRequestTemplate(
      name, entity: entity, predicate: Bool.random(using: &random) ? nil : "TRUEPREDICATE",
      sortKeys: texts(using: &random).map {
        .init($0, isAscending: .random(using: &random), selector: optionalText(using: &random))
      },
      resultType: [.objects, .identifiers, .dictionaries, .count].randomElement(using: &random)!,
      fetchLimit: .random(in: 0...2, using: &random),
      fetchOffset: .random(in: 0...2, using: &random),
      fetchBatchSize: .random(in: 0...2, using: &random),
      flags: .init(rawValue: .random(in: 0...31, using: &random)), source: source(using: &random))
  }
}

extension Entity {
  fileprivate mutating func addDetails(using random: inout SeededGenerator) {
    className = RandomModel.optionalText(using: &random)
    renamingIdentifier = RandomModel.optionalText(using: &random)
    userInfo = RandomModel.notes(using: &random)
    source = RandomModel.source(using: &random)
    for index in declaredProperties.indices {
      declaredProperties[index].addDetails(using: &random)
    }
    let columns = declaredAttributes.filter { !$0.isTransient }.map(\.name)
    if let column = columns.randomElement(using: &random) {
      fetchIndexes = [
        FetchIndex(
          "index",
          elements: [
            .init(
              column, kind: [.binary, .rTree].randomElement(using: &random)!,
              isAscending: .random(using: &random), source: RandomModel.source(using: &random)),
            .init("expression0", expression: "length + 1"),
          ], partialPredicate: Bool.random(using: &random) ? nil : "\(column) != nil")
      ]
      compoundIndexes = [[column]]
    }
    if Bool.random(using: &random) {
      declaredProperties.append(
        .fetched(
          FetchedProperty(
            "found\(name)", request: RandomModel.request("r", name, using: &random),
            isOptional: .random(using: &random),
            renamingIdentifier: RandomModel.optionalText(using: &random),
            versionHashModifier: RandomModel.optionalText(using: &random),
            userInfo: RandomModel.notes(using: &random),
            source: RandomModel.source(using: &random))))
    }
    if Bool.random(using: &random) { declaredProperties.shuffle(using: &random) }
  }
}

extension Property {
  fileprivate mutating func addDetails(using random: inout SeededGenerator) {
    switch self {
    case .attribute(var attribute):
      if attribute.derivation == nil, Bool.random(using: &random) {
        attribute.defaultValue = RandomModel.value(of: attribute.type, using: &random)
      }
      if [.int64, .decimal, .double, .float, .date].contains(attribute.type) {
        attribute.validation.minimum = RandomModel.value(of: attribute.type, using: &random)
      } else if attribute.type == .string {
        attribute.validation.maximum = .integer(.random(in: 0 ... .max, using: &random))
      }
      attribute.validation.predicates = RandomModel.predicates(using: &random)
      attribute.renamingIdentifier = RandomModel.optionalText(using: &random)
      attribute.userInfo = RandomModel.notes(using: &random)
      attribute.source = RandomModel.source(using: &random)
      self = .attribute(attribute)
    case .relationship(var relationship):
      if Bool.random(using: &random) { relationship.inverseEntity = relationship.destination }
      relationship.validationPredicates = RandomModel.predicates(using: &random)
      relationship.renamingIdentifier = RandomModel.optionalText(using: &random)
      relationship.userInfo = RandomModel.notes(using: &random)
      relationship.source = RandomModel.source(using: &random)
      self = .relationship(relationship)
    case .fetched: break
    }
  }
}
