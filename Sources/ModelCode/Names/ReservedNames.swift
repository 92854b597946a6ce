/// Names that generated declarations must not use.
enum ReservedNames {
  /// The members of managed objects. A property with such a name gets another name in Swift.
  static let members: Set<String> = [
    "context", "debugDescription", "description", "entity", "entityDeclaration", "entityName",
    "entityProperties", "hash", "hashValue", "managedObjectContext", "objectID", "propertyNames",
    "setInitialValues",
    "changedValues", "changedValuesForCurrentEvent", "faultingState", "hasChanges",
    "hasPersistentChangedValues", "isDeleted", "isFault", "isInserted", "isUpdated",
    "awakeFromFetch", "awakeFromInsert", "didSave", "didTurnIntoFault", "prepareForDeletion",
    "validateForDelete", "validateForInsert", "validateForUpdate", "validatedKeys", "willSave",
    "willTurnIntoFault",
    // Members that generated code calls.
    "fetchedObjects", "queryExpression", "setTransformed", "transformed",
  ]

  /// The modules whose types are spelled in full if the model has a type of the same name.
  private static let modules: Set<String> = ["Foundation", "Quire", "Swift"]

  /// Type names that would change the meaning of generated code: modules, and members of the type that contains the
  /// model.
  static let types = modules.union([
    "CompositePart", "CompositeParts", "EntityDeclaration", "EntityProperty", "classes", "model",
    "read", "source", "versions",
  ])

  /// Returns the names that functions for templates use themselves.
  static func inTemplates(modelName: String) -> Set<String> {
    modules.union(["FetchRequest", "all", "where", modelName])
  }
}
