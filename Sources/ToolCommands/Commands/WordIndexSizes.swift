import CommandInterface
import JSONText
import Rows
import StoreInterface

/// The indexes of words that a store keeps, and their sizes.
struct WordIndexSizes {
  private struct Size {
    /// The entity and the property.
    let name: String
    var entryCount = 0
    var byteCount = 0
  }

  private var sizes: [Size] = []

  /// Adds the indexes of a store.
  mutating func add(_ snapshot: any StoreSnapshot) throws {
    for index in snapshot.schema.indexes where index.isOfWords {
      let entity = snapshot.schema[index.entityNumber]?.entity ?? ""
      var size = Size(name: "\(entity).\(index.columns[0].name)")
      for run in try snapshot.tables.compactMap({ try $0.entries(of: index) }) {
        size.entryCount += run.count
        size.byteCount += run.blocks.reduce(0) { $0 + $1.byteCount }
      }
      sizes.append(size)
    }
  }

  /// The lines for people; empty without an index of words.
  var text: String {
    if sizes.isEmpty { return "" }
    var table = Table()
    for size in sizes {
      table.add(
        "words of \(size.name)",
        "\(size.entryCount == 1 ? "1 entry" : "\(size.entryCount) entries"), \(Wording.count(size.byteCount, "byte"))"
      )
    }
    return "\n" + table.text()
  }

  var json: JSON? {
    if sizes.isEmpty { return nil }
    return .array(
      sizes.map {
        .object([
          "property": .string($0.name), "entryCount": .number($0.entryCount),
          "byteCount": .number($0.byteCount),
        ])
      })
  }
}
