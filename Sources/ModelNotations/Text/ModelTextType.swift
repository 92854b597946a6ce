import ObjectModel

/// The names of types in a model's text.
enum ModelTextType {
  private static let types = Dictionary(
    uniqueKeysWithValues: AttributeType.allCases.compactMap { type in
      type.traits.textName.map { ($0, type) }
    })

  static let names = AttributeType.allCases.compactMap(\.traits.textName) + [day]

  /// The name of the type Date with the precision of days.
  static let day = "Day"

  /// The types that authors may mean by names of other systems, by the names in lower case.
  static let otherNames = [
    "int": "Int64", "integer": "Int64", "long": "Int64", "bigint": "Int64", "number": "Double",
    "short": "Int16", "smallint": "Int16", "real": "Double", "numeric": "Decimal",
    "money": "Decimal", "text": "String", "varchar": "String", "char": "String",
    "boolean": "Bool", "binary": "Data", "blob": "Data", "bytes": "Data", "uri": "URL",
    "datetime": "Date", "timestamp": "Date", "time": "Date", "guid": "UUID", "string": "String",
  ]

  static func type(_ name: String) -> AttributeType? { name == day ? .date : types[name] }

  /// Returns an attribute of the named type; `nil` if the type is unknown.
  static func attribute(_ name: String, _ typeName: String) -> Attribute? {
    guard let type = type(typeName) else { return nil }
    return Attribute(
      name, type, validation: .init(precision: typeName == day ? .day : nil))
  }
}

/// The words of options and flags in a model's text.
enum ModelTextWords {
  static let deleteRules: [(word: String, rule: Relationship.DeleteRule)] = [
    ("nullify", .nullify), ("cascade", .cascade), ("deny", .deny), ("none", .noAction),
  ]

  static let results: [(word: String, type: FetchRequestTemplate.ResultType)] = [
    ("objects", .objects), ("identifiers", .identifiers), ("dictionaries", .dictionaries),
    ("count", .count),
  ]

  /// The flags of fetch requests that are usually set. The text mentions a flag only if it is not set.
  static let usualFlags: [(word: String, flag: FetchRequestTemplate.Flags)] = [
    ("subentities", .includesSubentities), ("values", .includesPropertyValues),
    ("changes", .includesPendingChanges), ("faults", .returnsObjectsAsFaults),
  ]

  /// The usual name of the request of a fetched property.
  static let requestName = "fetchedPropertyFetchRequest"
}
