import JSONText

extension JSON {
  /// Returns an object with further members. Those that are `nil` are left out.
  func adding(_ members: KeyValuePairs<String, JSON?>) -> JSON { adding(JSON.object(members)) }

  /// Returns an object with the members of another one behind its own.
  func adding(_ other: JSON?) -> JSON {
    guard case .members(let own) = self, case .members(let more)? = other else { return self }
    return .members(own + more)
  }
}
