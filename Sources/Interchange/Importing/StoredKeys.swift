import ObjectModel
import Rows

/// Finds stored objects by values of a unique attribute.
enum StoredKeys {
  /// Returns the object of each value, without the values that no object has.
  ///
  /// The search reads the attribute of all objects of the entity, and keeps only the given values in memory.
  static func objects(
    _ key: TableColumns.Key, values: Set<String>, _ model: Model, _ schema: Schema, _ view: View
  ) throws -> [String: ObjectKey] {
    guard case .attribute(let attribute) = model.property(key.attribute, of: key.entity) else {
      return [:]
    }
    // Several texts may have the same value, such as 1.5 and 1.50.
    var wanted: [String: [String]] = [:]
    for text in values {
      let value = try? FieldText.value(.cell(text), of: attribute.type)
      if let value { wanted[ValueText.exchange.text(value), default: []].append(text) }
    }
    var found: [String: ObjectKey] = [:]
    for member in model.family(of: key.entity) {
      guard let layout = schema[member.name], let index = layout.index(of: key.attribute) else {
        continue
      }
      for batch in try view.batches(of: layout) {
        guard let column = try batch.block.column(layout.columns[index]) else { continue }
        let keys = try batch.block.keys
        for row in 0..<batch.block.rowCount where !(batch.hidden?.contains(row) ?? false) {
          let value = column.value(at: row)
          guard !value.isNull, let texts = wanted[ValueText.exchange.text(value)] else { continue }
          let object = ObjectKey(
            entity: layout.entityNumber, number: UInt64(bitPattern: keys.integer(at: row)))
          for text in texts { found[text] = object }
        }
      }
    }
    return found
  }
}
