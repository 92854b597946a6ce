/// Names that generated code must leave to others.
enum ReservedNames {
  /// What managed objects have themselves. A property of such a name gets another in Swift.
  static let members: Set<String> = [
    "context", "debugDescription", "description", "entity", "entityDeclaration", "entityName",
    "entityProperties", "hash", "hashValue", "managedObjectContext", "objectID", "propertyNames",
    "setInitialValues",
    "changedValues", "changedValuesForCurrentEvent", "faultingState", "hasChanges",
    "hasPersistentChangedValues", "isDeleted", "isFault", "isInserted", "isUpdated",
    "awakeFromFetch", "awakeFromInsert", "didSave", "didTurnIntoFault", "prepareForDeletion",
    "validateForDelete", "validateForInsert", "validateForUpdate", "validatedKeys", "willSave",
    "willTurnIntoFault",
    // What generated code calls.
    "fetchedObjects", "queryExpression", "setTransformed", "transformed",
  ]

  /// Modules whose types the code names in full where the model has one of the same name.
  private static let modules: Set<String> = ["Foundation", "Quire", "Swift"]

  /// Types that would be taken for something else by code that names types of modules in full, or by the type that has
  /// the model, whose members these are.
  static let types = modules.union([
    "CompositePart", "CompositeParts", "EntityDeclaration", "EntityProperty", "classes", "model",
    "read", "source", "versions",
  ])

  /// What functions for templates use themselves.
  static func inTemplates(modelName: String) -> Set<String> {
    modules.union(["FetchRequest", "all", "where", modelName])
  }
}
