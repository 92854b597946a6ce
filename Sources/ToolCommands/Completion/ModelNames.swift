import CommandInterface
import ObjectModel
import ObjectQuery

/// The names of a model that a value on the command line may consist of.
struct ModelNames {
  private let model: Model
  private let line: PartialLine

  init(_ model: Model, _ line: PartialLine) {
    self.model = model
    self.line = line
  }

  /// Returns the completions of a value.
  func suggestions(
    of kind: ValueKind, for value: String, after stem: String
  ) -> SuggestedWords {
    switch kind {
    case .entity:
      // After a template, a line needs no entity, and the word may be the value of a variable.
      let others = template == nil ? [] : openVariables
      return SuggestedWords(entities + others, for: value, after: stem)
    case .entities:
      let (before, last) = lastPart(of: value)
      return SuggestedWords(entities, for: last, after: stem + before)
    case .keyPaths:
      let (before, last) = lastPart(of: value)
      return keyPaths(for: last, after: stem + before)
    case .sortKeys:
      var (before, last) = lastPart(of: value)
      if last.hasPrefix("-") { before.append(last.removeFirst()) }
      return keyPaths(for: last, after: stem + before)
    case .aggregates: return aggregates(for: value, after: stem)
    case .predicate: return predicate(for: value, after: stem)
    case .assignments: return assignment(for: value, after: stem)
    case .variables: return SuggestedWords(openVariables, for: value, after: stem)
    case .template:
      let templates = model.description.fetchRequestTemplates
      return SuggestedWords(
        templates.map { Candidate($0.name, "objects of \($0.entity)") }, for: value, after: stem)
    default: return .none
    }
  }

  private var entities: [Candidate] {
    model.entities.map { entity in
      let kind = entity.superentity.map { "a kind of \($0)" }
      return Candidate(
        entity.name,
        [entity.isAbstract ? "abstract" : nil, kind].compactMap(\.self)
          .joined(separator: ", "))
    }
  }

  /// The entity of the line's objects: the entity that the line names, or the entity of its template.
  private var entity: String? { line.entity ?? template?.entity }

  private var template: FetchRequestTemplate? {
    line.option(.template).flatMap { name in
      model.description.fetchRequestTemplates.first { $0.name == name }
    }
  }

  /// The variables in the line's predicate that have no value yet.
  private var openVariables: [Candidate] {
    guard let text = template?.predicate ?? line.option(.predicate) else { return [] }
    let names = (try? QueryPredicate(text))?.variables ?? []
    let known = Set(line.values.map { String($0.prefix { $0 != "=" }) })
    return names.subtracting(known).map { Candidate($0 + "=", "a variable", isOpen: true) }
  }

  /// Returns the text up to the last comma and the spaces after it, and the rest.
  private func lastPart(of list: String) -> (before: String, last: String) {
    let (before, last) = list.splitAtLast(",")
    let rest = last.drop { $0 == " " }
    return (before + last.dropLast(rest.count), String(rest))
  }

  // MARK: - Key paths

  /// The things that the last part of a key path may name.
  private enum Place {
    case entity(String)
    case composite(CompositeType)
  }

  /// Returns the place to which the relationships and composite attributes of a key path lead, and whether the last of
  /// them leads to several objects.
  private func place(of path: some StringProtocol) -> (place: Place, isToMany: Bool)? {
    guard let entity else { return nil }
    var (place, isToMany) = (Place.entity(entity), false)
    if path.isEmpty { return (place, isToMany) }
    for name in path.split(separator: ".", omittingEmptySubsequences: false) {
      switch place {
      case .entity(let entity):
        switch model.property(String(name), of: entity) {
        case .relationship(let relationship):
          (place, isToMany) = (.entity(relationship.destination), relationship.isToMany)
        case .attribute(let attribute):
          guard let composite = model.composite(of: attribute) else { return nil }
          (place, isToMany) = (.composite(composite), false)
        default: return nil
        }
      case .composite(let composite):
        let attribute = composite.attributes.first { $0.name == name }
        guard let inner = attribute.flatMap(model.composite(of:)) else { return nil }
        place = .composite(inner)
      }
    }
    return (place, isToMany)
  }

  /// Returns the names that may follow `path` in a key path. The path is empty, or ends with a full stop.
  private func names(
    behind path: some StringProtocol, where isSuitable: (Property) -> Bool = { _ in true }
  ) -> [Candidate] {
    guard let (place, isToMany) = place(of: path.dropLast()) else { return [] }
    switch place {
    case .composite(let composite):
      return composite.attributes.map { candidate(.attribute($0)) }
    case .entity(let entity):
      let properties = model.properties(of: entity).filter { !$0.isTransient && isSuitable($0) }
      return properties.map(candidate)
        + (isToMany ? [Candidate("@count", "the number of objects", isOpen: true)] : [])
    }
  }

  private func candidate(_ property: Property) -> Candidate {
    var isComposite = false
    if case .attribute(let attribute) = property { isComposite = attribute.type == .composite }
    return Candidate(
      property.name + (isComposite ? "." : ""), Wording.type(of: property), isOpen: true)
  }

  private func keyPaths(
    for path: String, after stem: String, where isSuitable: (Property) -> Bool = { _ in true }
  ) -> SuggestedWords {
    let (before, last) = path.splitAtLast(".")
    return SuggestedWords(names(behind: before, where: isSuitable), for: last, after: stem + before)
  }

  // MARK: - Aggregates, predicates and assignments

  private func aggregates(for value: String, after stem: String) -> SuggestedWords {
    let (before, last) = lastPart(of: value)
    if let bracket = last.lastIndex(of: "(") {
      return keyPaths(
        for: String(last[last.index(after: bracket)...]), after: stem + before + last[...bracket])
    }
    let functions = [
      Candidate("count", "the number of objects"),
      Candidate("sum(", "the sum of values", isOpen: true),
      Candidate("avg(", "the average of values", isOpen: true),
      Candidate("min(", "the least value", isOpen: true),
      Candidate("max(", "the greatest value", isOpen: true),
    ]
    return SuggestedWords(functions, for: last, after: stem + before)
  }

  /// Returns the words that may follow in a predicate: key paths, operators, and the values that a rule lists.
  private func predicate(for text: String, after stem: String) -> SuggestedWords {
    let words = PredicateWords(text)
    let before = stem + words.before
    switch words.place {
    case .value(let path):
      let mark =
        words.last.first.flatMap { "'\"".contains($0) ? $0 : nil }
        ?? (line.quote == "'" ? "\"" : "'")
      let values = SuggestedWords(
        (attribute(path).map(knownValues) ?? []).map { value in
          Candidate(value.isText ? "\(mark)\(value.text)\(mark)" : value.text, isOpen: true)
        }, for: words.last, after: before)
      return words.isQuoted ? values : values.joined(with: keyPaths(for: words.last, after: before))
    case _ where words.isQuoted: return .none
    case .comparison:
      return SuggestedWords(
        words.spelled(PredicateWords.comparisons), for: words.last, after: before)
    case .connection:
      return SuggestedWords(
        words.spelled(PredicateWords.connections), for: words.last, after: before)
    case .subject:
      let keywords = SuggestedWords(
        words.spelled(PredicateWords.beginnings), for: words.last, after: before)
      return keyPaths(for: words.last, after: before).joined(with: keywords)
    }
  }

  private func assignment(for word: String, after stem: String) -> SuggestedWords {
    guard let sign = word.firstIndex(of: "=") else {
      let assigned = Set(line.values(of: .assignments).map { $0.prefix { !"+-=".contains($0) } })
      let (before, last) = word.splitAtLast(".")
      // Only a part of a composite attribute can be set through a path.
      if !before.isEmpty {
        guard case .composite = place(of: before.dropLast())?.place else { return .none }
      }
      let names = names(behind: before) { property in
        guard case .attribute(let attribute) = property else { return true }
        return attribute.derivation == nil
      }
      let open = names.filter { !assigned.contains((before + $0.text)[...]) }
      return SuggestedWords(
        open.map { name in
          Candidate(
            name.text.hasSuffix(".") ? name.text : name.text + "=", name.meaning, isOpen: true)
        }, for: last, after: stem + before)
    }
    let value = word[word.index(after: sign)...]
    let key = word[..<sign].prefix { !"+-".contains($0) }
    let before = stem + word[...sign]
    guard let attribute = attribute(String(key)) else { return .none }
    let values = knownValues(of: attribute)
    guard values.isEmpty else {
      return SuggestedWords(values.map { Candidate($0.text) }, for: value, after: before)
    }
    switch attribute.type {
    case .date:
      let days = ["now", "today", "tomorrow", "yesterday"].map { Candidate($0) }
      return SuggestedWords(days, for: value, after: before)
    case .binary, .transformable:
      guard value.hasPrefix("@") else { return .none }
      return SuggestedWords(.files, for: value.dropFirst(), after: before + "@")
    default: return .none
    }
  }

  /// Returns the values that an attribute may have: both truth values, or the values that a rule lists. A text with
  /// quotes or backslashes is left out, because it has another form in a predicate.
  private func knownValues(of attribute: Attribute) -> [(text: String, isText: Bool)] {
    if attribute.type == .boolean { return [("false", false), ("true", false)] }
    return attribute.listedValues.compactMap { value in
      switch value {
      case .string(let text): text.contains { "'\"\\".contains($0) } ? nil : (text, true)
      case .integer(let number): (String(number), false)
      default: nil
      }
    }
  }

  /// Returns the attribute of the line's entity that a key of an assignment names.
  private func attribute(_ key: String) -> Attribute? {
    let (before, last) = key.splitAtLast(".")
    switch place(of: before.dropLast())?.place {
    case .entity(let entity):
      guard case .attribute(let attribute) = model.property(last, of: entity) else { return nil }
      return attribute
    case .composite(let composite): return composite.attributes.first { $0.name == last }
    case nil: return nil
    }
  }
}
