import ObjectModel

extension ManagedObject {
  /// Throws the failures that a save would find in this object.
  final func validateByModel() throws {
    try throwFailures { validator in
      try validator.workspace.sealAll()
      return validator.failures(of: self, asking: .values)
    }
  }

  /// Throws the failures that a save would find if the object were deleted.
  final func validateDeletionByModel() throws {
    try throwFailures { validator in
      validator.workspace.realize(self)
      return try DeniedDeletions(validator.workspace).failures(of: self)
    }
  }

  /// Throws the failure of a value for a property.
  final func validateByModel(_ value: Value, forKey key: String) throws {
    let graph = source.entity.graph
    guard let property = graph[key] else { graph.refuse(key, as: "a property") }
    try throwFailures { _ in try graph.constraints.failures(of: value, for: property, of: self) }
  }

  /// Throws the failures that a check finds. During a validation the validator itself makes the checks.
  private func throwFailures(
    _ check: (ObjectValidator) throws -> [ValidationFailure]
  ) throws {
    if state.contains(.loose) {
      throw ContextError(.notSupported, "\(self) can't be validated. Insert it first.")
    }
    guard !state.contains(.beingValidated), let workspace = source.entity.workspace else { return }
    workspace.checkPlace()
    let failures = try check(ObjectValidator(workspace))
    guard failures.isEmpty else { throw ContextError(refusing: failures, []) }
  }
}
