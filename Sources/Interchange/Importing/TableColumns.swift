import ModelNotations
package import ObjectModel

/// Finds the meaning of the columns of comma-separated values in a model.
///
/// A column has the name of a property, or a name that becomes the property's name: `Start Date` for `startDate`. A
/// column `trip_id` refers to the relationship `trip`. If no file has a column `@id`, a to-one relationship may contain
/// a unique value of the other object in place of its identifier; a column such as `trip.name` always does.
struct TableColumns {
  /// A unique attribute by which files refer to objects.
  struct Key: Hashable {
    /// The entity that declares the uniqueness constraint.
    let entity: String
    let attribute: String

    /// The text before each value, so that values of different attributes are different identifiers.
    var prefix: String { "\(entity).\(attribute) = " }
  }

  private let model: Model
  /// The keys that columns refer to.
  private(set) var keys: Set<Key> = []
  /// The names that files have for others in the model, as far as they have occurred.
  private(set) var usedNames: Set<String> = []

  init(_ model: Model) { self.model = model }

  /// Returns the files with the meaning of their columns. Files that name the entity of each object are unchanged.
  mutating func reading(_ files: [ImportFile]) throws -> [ImportFile] {
    var names: [Int: [String]] = [:]
    var definesIdentifiers = false
    for (index, file) in files.enumerated() {
      if let key = file.names.key(ofTable: file.tableName) { usedNames.insert(key) }
      guard file.format == .csv, file.columns == nil else {
        definesIdentifiers = true
        continue
      }
      let record = RecordReader(file, number: index)
      // The first pass over the file reports problems.
      do { _ = try record.next() } catch is ImportProblem {}
      if record.definesIdentifiers { definesIdentifiers = true }
      if let entity = file.entity, model[entity] != nil {
        names[index] = record.columnNames
        usedNames.formUnion(record.usedNames)
      }
    }
    var read = files
    for (index, names) in names {
      read[index].columns = columns(names, of: files[index].entity!, usesKeys: !definesIdentifiers)
    }
    if !definesIdentifiers { addKeys(&read) }
    return read
  }

  private mutating func columns(
    _ names: [String], of entity: String, usesKeys: Bool
  ) -> [ImportColumn] {
    let properties = model.properties(of: entity)
    var taken = Set(names.filter { name in properties.contains { $0.name == name } })
    return names.map { name in
      var column = ImportColumn(property: name)
      guard name != FieldName.none else { return column }
      if let (relationship, key) = keyed(name, properties), !taken.contains(relationship) {
        keys.insert(key)
        taken.insert(relationship)
        return ImportColumn(property: relationship, prefix: key.prefix)
      }
      if !taken.contains(name) {
        let words = InferredNames.reference(name).words.joined(separator: " ")
        let found = [InferredNames.property(of: name), InferredNames.property(of: words)].first {
          property in properties.contains { $0.name == property }
        }
        if let found, taken.insert(found).inserted { column.property = found }
      }
      guard usesKeys,
        case .relationship(let relationship) = properties.first(where: {
          $0.name == column.property
        }), !relationship.isToMany,
        let key = uniqueAttributes(of: relationship.destination).first
      else { return column }
      keys.insert(key)
      column.prefix = key.prefix
      column.mayBeIdentifier = true
      return column
    }
  }

  /// Returns the relationship and the unique attribute of a column such as `trip.name`.
  private func keyed(_ name: String, _ properties: [Property]) -> (String, Key)? {
    guard let dot = name.firstIndex(of: "."),
      case .relationship(let relationship) = properties.first(where: { $0.name == name[..<dot] }),
      !relationship.isToMany,
      let key = uniqueAttributes(of: relationship.destination).first(where: {
        $0.attribute == name[name.index(after: dot)...]
      })
    else { return nil }
    return (relationship.name, key)
  }

  /// Returns the attributes that are unique on their own among the objects of an entity.
  private func uniqueAttributes(of entity: String) -> [Key] {
    model.uniqueAttributes(of: entity).map { Key(entity: $0.entity, attribute: $0.name) }
  }

  /// Makes unique columns the identifiers of their objects, if columns refer to them.
  private func addKeys(_ files: inout [ImportFile]) {
    for index in files.indices {
      guard let entity = files[index].entity, files[index].columns != nil else { continue }
      let own = uniqueAttributes(of: entity).filter(keys.contains)
      // An object has one identifier in the files. The store contains the objects of other keys.
      guard let key = own.first,
        let column = files[index].columns!.firstIndex(where: { $0.property == key.attribute })
      else { continue }
      files[index].columns![column].keyPrefix = key.prefix
    }
  }
}

extension ImportFile {
  /// Returns the format of a file, and the entity of its objects. The entity is `nil` if each object must name its own.
  ///
  /// - Parameters:
  ///   - format: The given format. If it is `nil`, the ending of the path gives it.
  ///   - entity: The given entity. If it is `nil`, the name of a file of comma-separated values gives it.
  ///   - names: The names of the model for names of files.
  package static func kind(
    ofFileAt path: String, format: ExchangeFormat?, entity: String?, in model: Model,
    names: ImportNames = ImportNames()
  ) -> (format: ExchangeFormat, entity: String?) {
    let format = format ?? ExchangeFormat(path: path) ?? .jsonl
    guard format == .csv, entity == nil else { return (format, entity) }
    let table = InferredNames.stem(of: path)
    return (format, names.entity(ofTable: table) ?? self.entity(forFileAt: path, in: model))
  }

  /// Gives a table of a file or of a store its entity: the one that the names give, or that of its name.
  package mutating func setEntity(in model: Model) {
    entity =
      names.entity(ofTable: tableName)
      ?? ImportFile.entity(forFileAt: tableName, in: model)
      // The survey reports an entity that does not exist, with this name.
      ?? InferredNames.entity(ofTable: tableName)
  }

  /// Returns the entity for the objects of a file by the file's name: `Trip` for `Trip.csv` and `trips.csv`; `nil` if
  /// the model has no such entity.
  package static func entity(forFileAt path: String, in model: Model) -> String? {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let stem = name.lowercased().hasSuffix(".csv") ? String(name.dropLast(4)) : name
    return [stem, InferredNames.entity(of: name)].first { model[$0] != nil }
  }
}
