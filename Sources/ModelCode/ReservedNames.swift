/// Names that generated code must leave to others.
enum ReservedNames {
  /// What managed objects have themselves. A property of such a name gets another in Swift.
  static let members: Set<String> = [
    "context", "debugDescription", "description", "entity", "entityName", "hash", "hashValue",
    "managedObjectContext", "objectID",
    "changedValues", "changedValuesForCurrentEvent", "faultingState", "hasChanges",
    "hasPersistentChangedValues", "isDeleted", "isFault", "isInserted", "isUpdated",
    "awakeFromFetch", "awakeFromInsert", "didSave", "didTurnIntoFault", "prepareForDeletion",
    "validateForDelete", "validateForInsert", "validateForUpdate", "validatedKeys", "willSave",
    "willTurnIntoFault",
    // What generated code calls.
    "add", "fetched", "insert", "move", "queryExpression", "remove", "replace", "setTransformed",
    "transformed",
    // What generated classes have.
    "Keys",
  ]

  /// What the class of keys uses itself.
  static let keys: Set<String> = [
    "AttributeName", "FetchedName", "Keys", "ToManyName", "ToOneName",
  ]

  /// Types that would be taken for something else by code that names types of modules in full.
  static let types: Set<String> = ["Foundation", "Keys", "Quire", "Swift"]
}
