public import ObjectModel
import TextMatching

extension QueryRequest {
  /// Creates the request that a model stores under a name.
  ///
  ///     let request = try QueryRequest(
  ///       template: "tripsTo", in: model, variables: ["PLACE": "Lisbon"])
  ///
  /// - Parameter variables: The values of the variables in its predicate. If it is empty, the variables stay in the
  ///   request and get their values when the request runs.
  /// - Throws: ``QueryError`` if the template is not in the model, its predicate can't be read, or a variable
  ///   is missing from `variables`.
  public init(
    template name: String, in model: Model, variables: [String: (any QueryArgument)?] = [:]
  ) throws(QueryError) {
    let templates = model.description.fetchRequestTemplates
    guard let template = templates.first(where: { $0.name == name }) else {
      var suggestion = NameSuggestion()
      throw QueryError(
        .unknownTemplate,
        "The model has no fetch request template \"\(name)\"."
          + suggestion.sentence(for: name, among: templates.lazy.map(\.name)),
        name: name)
    }
    try self.init(template, variables: variables)
  }

  /// Creates the request that a template, or a fetched property, describes.
  ///
  /// - Parameter variables: The values of the variables in its predicate. If it is empty, the variables stay in the
  ///   request and get their values when the request runs.
  /// - Throws: ``QueryError`` if its predicate can't be read, it sorts by an unknown comparison, or a variable is
  ///   missing from `variables`.
  public init(
    _ template: FetchRequestTemplate, variables: [String: (any QueryArgument)?] = [:]
  ) throws(QueryError) {
    self.init(template.entity)
    if let text = template.predicate {
      let predicate = try QueryPredicate(text)
      self.predicate = variables.isEmpty ? predicate : try predicate.substituting(variables)
    }
    for key in template.sortKeys {
      sortKeys.append(
        SortKey(
          key.keyPath, ascending: key.isAscending,
          options: try QueryRequest.options(of: key.selector, template.name)))
    }
    resultType = template.resultType
    fetchLimit = template.fetchLimit
    fetchOffset = template.fetchOffset
    fetchBatchSize = template.fetchBatchSize
    includesSubentities = template.flags.contains(.includesSubentities)
    includesPropertyValues = template.flags.contains(.includesPropertyValues)
    includesPendingChanges = template.flags.contains(.includesPendingChanges)
    returnsObjectsAsFaults = template.flags.contains(.returnsObjectsAsFaults)
    returnsDistinctResults = template.flags.contains(.returnsDistinctResults)
  }

  /// Returns the text options for a comparison of a sort key, by Apple's name for it.
  private static func options(
    of selector: String?, _ template: String
  ) throws(QueryError) -> TextOptions {
    switch selector {
    case nil, "compare:": return []
    case "caseInsensitiveCompare:": return .caseInsensitive
    case "localizedCompare:": return .localeSensitive
    case "localizedCaseInsensitiveCompare:", "localizedStandardCompare:":
      return .localizedStandard
    case let other?:
      throw QueryError(
        .notSupported,
        "The template \"\(template)\" sorts by \"\(other)\", which is an unknown comparison.",
        name: other)
    }
  }
}

extension FetchRequestTemplate.SortKey {
  /// Creates a template's sort key, with Apple's name for the comparison; `nil` if Apple does not name it.
  package init?(_ key: SortKey) {
    guard key.expression == nil else { return nil }
    let selector: String?
    switch key.options {
    case []: selector = nil
    case .caseInsensitive: selector = "caseInsensitiveCompare:"
    case .localeSensitive: selector = "localizedCompare:"
    case .localizedStandard: selector = "localizedStandardCompare:"
    default: return nil
    }
    self.init(key.path, isAscending: key.isAscending, selector: selector)
  }
}
