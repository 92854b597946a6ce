import PropertyLists

/// The composite types of an archived model that has no names for them: there each composite attribute
/// holds the attributes of its type, and no more. The field is the one that Core Data's class keeps
/// them in; no file at hand has it.
///
/// A type is called by the entity and the attribute that it was first found in, such as `Trip_home`.
struct ArchivedComposites {
  /// The types found, each with the list of its attributes.
  private(set) var types: [(name: String, elements: [ArchivedObject])] = []
  /// For each list of attributes the name of the type.
  private var names: [Int: String] = [:]
  private var taken: Set<String> = []

  /// Adds the type of an attribute, if it is composite, and those of the attributes within.
  ///
  /// Takes time in proportion to the archive, whatever it makes of its lists: each is looked at once.
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

  /// The name of the type of a composite attribute.
  func name(of attribute: ArchivedObject) -> String? {
    attribute["NSCompositeElements"]?.index.flatMap { names[$0] }
  }
}
