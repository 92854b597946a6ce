package import ObjectModel

/// An error in the numbers of a schema.
package struct NumberingFault: Hashable {
  package enum Kind { case given, highest }
  package let kind: Kind
  package let entity: String
  package let property: String?
  /// A sentence that says what is wrong.
  package let text: String
}

extension Schema {
  /// Returns the errors in the numbers of properties, if the schema belongs to the given model (spec §3.2.1,
  /// §4.6.3).
  package func numberingFaults(of model: Model) -> [NumberingFault] {
    let faults = layouts.flatMap { givenFaults($0, model) }
    // Wrong numbers make the highest number wrong too.
    return faults.isEmpty ? highestFaults(model) : faults
  }

  /// Returns the properties of an entity, each with its number.
  private func numbers(of layout: Layout) -> [(name: String, number: UInt16)] {
    layout.columns.map { ($0.name, $0.number) }
      + (relationshipNumbers[layout.entity] ?? [:]).map { ($0.key, $0.value) }
  }

  private func givenFaults(_ layout: Layout, _ model: Model) -> [NumberingFault] {
    var faults: [NumberingFault] = []
    func add(_ property: String, _ text: String) {
      faults.append(
        NumberingFault(kind: .given, entity: layout.entity, property: property, text: text))
    }
    let own = numbers(of: layout)
    var names: [UInt16: String] = [:]
    for (name, number) in own {
      if let other = names.updateValue(name, forKey: number), other != name {
        add(name, "The property has the same number as '\(other)', \(number).")
      }
    }
    guard let parent = model[layout.entity]?.superentity, let above = self[parent] else {
      return faults
    }
    let byName = Dictionary(own.map { ($0.name, $0.number) }) { one, _ in one }
    for (name, number) in numbers(of: above) {
      if let here = byName[name], here != number {
        add(
          name,
          "The property has the number \(here), but the number \(number) in the superentity '\(parent)'."
        )
      }
    }
    return faults
  }

  private func highestFaults(_ model: Model) -> [NumberingFault] {
    var highest: [UInt16: UInt16] = [:]
    for layout in layouts {
      guard let root = model.root(of: layout.entity).flatMap({ self[$0.name] }) else { continue }
      let most = numbers(of: layout).map(\.number).max() ?? 0
      highest[root.entityNumber] = max(highest[root.entityNumber] ?? 0, most)
    }
    return highest.sorted { $0.key < $1.key }.compactMap { root, most in
      let said = highestPropertyNumbers[root] ?? 0
      guard most > said else { return nil }
      return NumberingFault(
        kind: .highest, entity: self[root]?.entity ?? "\(root)", property: nil,
        text:
          "The schema gives \(said) as the highest number of the family, but a property has the number \(most)."
      )
    }
  }
}
