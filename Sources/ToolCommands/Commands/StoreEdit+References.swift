import CommandInterface
import DurableFiles
import ObjectGraph
import ObjectModel
import ObjectQuery
import Rows

extension StoreEdit {
  /// Returns the object that a word stands for: its identifier, the value of a unique attribute, or a predicate in braces.
  ///
  /// - Parameter relationship: The relationship to the object.
  func target(_ text: String, of relationship: Relationship) throws -> ManagedObject {
    let entity = relationship.destination
    if text.hasPrefix("{"), text.hasSuffix("}") {
      return try target(matching: String(text.dropFirst().dropLast()), entity)
    }
    do { _ = try ObjectKey(word: text) } catch {
      if let found = try target(withUnique: text, entity) { return found }
      throw noTarget(text, of: relationship)
    }
    return try object(text, of: entity)
  }

  private func target(matching condition: String, _ entity: String) throws -> ManagedObject {
    do {
      let found = try context.fetch(
        FetchRequest<ManagedObject>(entity, where: try QueryPredicate(condition), limit: 2))
      if found.count == 1 { return found[0] }
      throw CommandError(
        .no,
        "\(found.isEmpty ? "No object" : "More than one object") of '\(entity)' matches '\(condition)', "
          + "but exactly one must match.")
    } catch let error as QueryError {
      throw error.located(in: condition)
    }
  }

  /// Returns the object with a unique attribute of this value, or `nil`.
  private func target(withUnique text: String, _ entity: String) throws -> ManagedObject? {
    for attribute in uniqueAttributes(of: entity) {
      guard let value = ValueText.exchange.value(text, of: attribute.type) else { continue }
      let predicate = try QueryPredicate("%K == %@", attribute.name, value)
      let found = try context.fetch(FetchRequest<ManagedObject>(entity, where: predicate, limit: 1))
      if let first = found.first { return first }
    }
    return nil
  }

  private func uniqueAttributes(of entity: String) -> [Attribute] {
    let model = context.coordinator.model
    return model.uniqueAttributes(of: entity).compactMap { unique in
      guard case .attribute(let attribute) = model.property(unique.name, of: entity) else {
        return nil
      }
      return attribute
    }
  }

  /// Returns the error for a word that stands for no object.
  private func noTarget(_ text: String, of relationship: Relationship) -> CommandError {
    let entity = relationship.destination
    let names = uniqueAttributes(of: entity).map(\.name)
    let shown = oneLine(text)
    let word = shown.inQuotationMarks { _ in nil }
    let key =
      context.coordinator.model.properties(of: entity).lazy.compactMap { property in
        if case .attribute(let attribute) = property, attribute.type == .string {
          return attribute.name
        }
        return nil
      }.first
    let others =
      names.isEmpty
      ? "." : ", and no object of '\(entity)' has it as \(names.joined(separator: " or "))."
    return .wrongUsage(
      "'\(shown)' is not an identifier" + others,
      hint: "Write an identifier as 'quire fetch' prints it (2/p17)"
        + (key.map { ", or a predicate: \("\(relationship.name)={\($0) == \(word)}".shellWord)." }
          ?? "."))
  }
}
