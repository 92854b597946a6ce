package import JSONText

/// The subset of JSON Schema that the schemas in `spec/` use. A keyword beyond the subset is a fault of the schema.
package struct SmallSchema {
  private let root: JSON

  /// Creates the schema of a part that `$defs` of another schema names; `nil` if there is no such part.
  package init?(_ root: JSON, definition name: String) {
    guard let definitions = root["$defs"], definitions[name] != nil else { return nil }
    self.root = .members([
      JSON.Member(name: "$ref", value: .string("#/$defs/\(name)")),
      JSON.Member(name: "$defs", value: definitions),
    ])
  }

  /// Creates a schema from its JSON.
  package init(_ root: JSON) { self.root = root }

  /// Returns the faults of a value as sentences.
  package func faults(of json: JSON) -> [String] { faults(json, root, "") }

  private func faults(_ json: JSON, _ schema: JSON, _ place: String) -> [String] {
    guard case .members(let rules) = schema else { return ["\(place): no schema"] }
    return rules.flatMap { rule in faults(json, rule.name, rule.value, schema, place) }
  }

  private func faults(
    _ json: JSON, _ rule: String, _ said: JSON, _ schema: JSON, _ place: String
  ) -> [String] {
    func fault(_ isFault: Bool) -> [String] { isFault ? ["\(place): \(rule)"] : [] }
    switch (rule, said, json) {
    case ("$schema", _, _), ("title", _, _), ("description", _, _), ("$defs", _, _): return []
    case ("$ref", .string(let reference), _):
      let name = String(reference.split(separator: "/").last ?? "")
      guard let other = root["$defs"]?[name] else { return ["\(place): no \(reference)"] }
      return faults(json, other, place)
    case ("const", _, _): return fault(json != said)
    case ("enum", .array(let values), _): return fault(!values.contains(json))
    case ("type", .string(let type), _): return fault(!Self.isOf(type, json))
    case ("type", .array(let types), _):
      return fault(!types.contains { Self.isOf($0.string ?? "", json) })
    case ("required", .array(let names), .members):
      return names.flatMap { name in fault(json[name.string ?? ""] == nil) }
    case ("properties", .members(let properties), .members):
      return properties.flatMap { property in
        json[property.name].map { faults($0, property.value, "\(place).\(property.name)") } ?? []
      }
    case ("additionalProperties", _, .members(let members)):
      return members.flatMap { faults($0.value, said, "\(place).\($0.name)") }
    case ("propertyNames", _, .members(let members)):
      return members.flatMap { faults(.string($0.name), said, "\(place).\($0.name)") }
    case ("items", _, .array(let values)):
      return values.enumerated().flatMap { faults($1, said, "\(place)[\($0)]") }
    case ("minItems", .number(let least), .array(let values)):
      return fault(values.count < Int(least)!)
    case ("maxItems", .number(let most), .array(let values)):
      return fault(values.count > Int(most)!)
    case ("uniqueItems", .boolean(true), .array(let values)):
      return fault(Set(values).count != values.count)
    case ("oneOf", .array(let schemas), _):
      return fault(schemas.count { faults(json, $0, place).isEmpty } != 1)
    case ("minimum", .number(let least), .number(let digits)):
      return fault(Int64(digits).map { $0 < Int64(least)! } ?? true)
    case ("maximum", .number(let most), .number(let digits)):
      return fault(Int64(digits).map { $0 > Int64(most)! } ?? true)
    case ("minLength", .number(let least), .string(let text)):
      return fault(text.unicodeScalars.count < Int(least)!)
    case ("maxLength", .number(let most), .string(let text)):
      return fault(text.unicodeScalars.count > Int(most)!)
    case ("pattern", .string(let pattern), .string(let text)):
      guard let regex = try? Regex(pattern) else { return ["\(place): no pattern"] }
      return fault(text.firstMatch(of: regex) == nil)
    case ("required", _, _), ("properties", _, _), ("additionalProperties", _, _), ("items", _, _),
      ("propertyNames", _, _), ("minItems", _, _), ("maxItems", _, _), ("uniqueItems", _, _),
      ("minimum", _, _), ("maximum", _, _), ("minLength", _, _),
      ("maxLength", _, _), ("pattern", _, _):
      // These keywords restrict only values of their own type.
      return []
    default: return ["\(place): the schema says '\(rule)'"]
    }
  }

  private static func isOf(_ type: String, _ json: JSON) -> Bool {
    switch (type, json) {
    case ("object", .members), ("array", .array), ("string", .string), ("boolean", .boolean),
      ("null", .null):
      true
    case ("integer", .number(let digits)): Int64(digits) != nil
    case ("number", .number): true
    default: false
    }
  }
}

extension JSON {
  fileprivate var string: String? {
    if case .string(let text) = self { text } else { nil }
  }
}
