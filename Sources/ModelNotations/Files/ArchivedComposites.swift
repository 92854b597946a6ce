import ObjectModel
import PropertyLists

/// The composite types of an archived model without names for them. In such an archive, a composite attribute
/// contains the attributes of its type, and nothing more. The field is the one that Core Data's class uses; no file
/// at hand has it.
///
/// A type gets the name of the entity and the attribute where it was first found, such as `Trip_home`.
struct ArchivedComposites {
  /// The types that were found, each with the list of its attributes.
  private(set) var types: [(name: String, elements: [ArchivedObject])] = []
  /// The name of the type, by the index of its list of attributes.
  private var names: [Int: String] = [:]
  private var taken: Set<String> = []

  /// Adds the type of an attribute, if it is composite, and the types of nested attributes.
  ///
  /// Takes time in proportion to the size of the archive, because each list is visited once.
  mutating func add(_ attribute: ArchivedObject, of owner: String) {
    var waiting = [(attribute, owner)]
    while let (attribute, owner) = waiting.popLast() {
      guard let list = attribute["NSCompositeElements"], let index = list.index,
        names[index] == nil, let elements = list.array
      else { continue }
      let base = "\(owner)_\(attribute["NSPropertyName"]?.string ?? "")"
      var name = base
      var number = 1
      while !taken.insert(name).inserted {
        number += 1
        name = "\(base)_\(number)"
      }
      names[index] = name
      types.append((name, elements))
      waiting += elements.reversed().map { ($0, name) }
    }
  }

  /// Returns the name of the type of a composite attribute.
  func name(of attribute: ArchivedObject) -> String? {
    attribute["NSCompositeElements"]?.index.flatMap { names[$0] }
  }
}
