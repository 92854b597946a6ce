/// The names of types in a model's text.
enum ModelTextType {
  /// The types of attributes that have a name of their own. Composite attributes name their composite type.
  static let types: [(name: String, type: AttributeType)] = [
    ("String", .string), ("Int16", .int16), ("Int32", .int32), ("Int64", .int64),
    ("Decimal", .decimal), ("Double", .double), ("Float", .float), ("Bool", .boolean),
    ("Date", .date), ("Data", .binary), ("UUID", .uuid), ("URL", .uri),
    ("Transformable", .transformable), ("ObjectID", .objectID), ("Undefined", .undefined),
  ]

  static let names = types.map(\.name)

  /// The types that authors may mean by names of other systems, by the names in lower case.
  static let otherNames = [
    "int": "Int64", "integer": "Int64", "long": "Int64", "bigint": "Int64", "number": "Double",
    "short": "Int16", "smallint": "Int16", "real": "Double", "numeric": "Decimal",
    "money": "Decimal", "text": "String", "varchar": "String", "char": "String",
    "boolean": "Bool", "binary": "Data", "blob": "Data", "bytes": "Data", "uri": "URL",
    "datetime": "Date", "timestamp": "Date", "time": "Date", "guid": "UUID", "string": "String",
  ]

  static func type(_ name: String) -> AttributeType? {
    types.first { $0.name == name }?.type
  }

  static func name(of type: AttributeType) -> String? {
    types.first { $0.type == type }?.name
  }
}

/// The words of options and flags in a model's text.
enum ModelTextWords {
  static let attributeOptions: [(word: String, option: Attribute.Options)] = [
    ("external", .allowsExternalStorage), ("preserved", .preservesValueOnDeletion),
    ("indexed", .isIndexed), ("spotlight", .isIndexedBySpotlight),
    ("truthfile", .isStoredInTruthFile), ("cloudencrypted", .allowsCloudEncryption),
  ]

  static let deleteRules: [(word: String, rule: Relationship.DeleteRule)] = [
    ("nullify", .nullify), ("cascade", .cascade), ("deny", .deny), ("none", .noAction),
  ]

  static let results: [(word: String, type: FetchRequestTemplate.ResultType)] = [
    ("objects", .objects), ("identifiers", .identifiers), ("dictionaries", .dictionaries),
    ("count", .count),
  ]

  /// The flags of fetch requests that are usually set. The text says so if a flag is not set.
  static let usualFlags: [(word: String, flag: FetchRequestTemplate.Flags)] = [
    ("subentities", .includesSubentities), ("values", .includesPropertyValues),
    ("changes", .includesPendingChanges), ("faults", .returnsObjectsAsFaults),
  ]

  /// The usual name of the request of a fetched property.
  static let requestName = "fetchedPropertyFetchRequest"
}
