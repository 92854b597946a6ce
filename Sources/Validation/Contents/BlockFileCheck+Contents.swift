import BlockFileFormat
import ObjectModel
import PropertyLists
import Rows
import StoreInterface

extension BlockFileCheck {
  /// Checks the metadata, the model and the schema of the newest commit against each other.
  func checkContents(_ contents: Contents, _ record: CommitRecord) {
    let place = Place("metadata", at: record.metadata.offset, commit: record.number)
    if let model = contents.model, let metadata = contents.metadata {
      checkHashes(metadata, model, place)
    }
    if let model = contents.model {
      findings.addOddities(
        of: model, Place("model", at: record.model.offset, commit: record.number))
    }
    if let model = contents.model, let schema = contents.schema {
      let place = Place("schema", at: record.schema.offset, commit: record.number)
      SchemaCheck(schema, model, place, findings).run()
    }
    if let givenModel, let hashes = contents.metadata?.versionHashes {
      let differences = givenModel.differences(from: hashes)
      if !differences.isEmpty { findings.add(.givenModel, place, "\(differences)") }
    }
  }

  /// Checks the schemas of earlier commits against their models, because earlier rows are read with these schemas.
  func checkEarlierSchemas(_ contents: Contents) {
    var seen: Set<[UInt64]> = []
    var checkedByteCount = 0
    for commit in commits.dropFirst() {
      guard let record = commit.record, record.schema != commits[0].record?.schema,
        seen.insert([record.model.offset, record.schema.offset]).inserted,
        let model = contents.models[record.model.offset],
        let schema = contents.schemas[record.schema.offset]
      else { continue }
      // One large model may occur with many schemas of different commits.
      checkedByteCount += Int(record.model.byteCount) + Int(record.schema.byteCount)
      guard checkedByteCount <= BlockFileCheck.leastSchemaLimit + 8 * byteCount else {
        unchecked.append("The schemas of commits up to \(record.number) were not checked.")
        return
      }
      let place = Place("schema", at: record.schema.offset, commit: record.number)
      SchemaCheck(schema, model, place, findings).run()
    }
  }

  /// The number of bytes of models and schemas that are checked in any file, however small.
  private static let leastSchemaLimit = 1 << 20

  private func checkHashes(_ metadata: StoreMetadata, _ model: Model, _ place: Place) {
    if let stored = metadata.versionHashes {
      let computed = model.versionHashes
      for name in Set(stored.keys).union(computed.keys).sorted()
      where stored[name] != computed[name] {
        var place = place
        place.entity = name
        let words =
          switch (stored[name], computed[name]) {
          case (nil, _): "The metadata have no hash of the entity."
          case (_, nil):
            "The metadata have a hash of the entity, but the model does not have the entity."
          case (let stored?, let computed?):
            "The stored hash \(stored) differs from the computed \(computed)."
          }
        findings.add(.modelHashes, place, words)
      }
    }
    let identifiers = metadata.values[StoreMetadata.Key.versionIdentifiers]?.array?
      .map(\.string)
    if identifiers != model.description.versionIdentifiers.map(Optional.some) {
      findings.add(
        .versionIdentifiers, place,
        "The version identifiers are \(metadata.versionIdentifiers), but the model's are "
          + "\(model.description.versionIdentifiers).")
    }
  }

  /// Checks that a block uses only entity and property numbers that were given, and readable kinds (spec §3.2.1,
  /// §3.6).
  func check(
    _ columns: [ColumnEntry], of entry: BlockEntry, _ place: Place, _ contents: Contents
  ) {
    guard let schema = contents.schema else { return }
    guard entry.entity <= schema.highestEntityNumber else {
      findings.add(
        .givenNumbers, place,
        "The rows have the entity number \(entry.entity), but the highest number in use is "
          + "\(schema.highestEntityNumber).")
      return
    }
    if let index = schema.indexes.first(where: { $0.number == entry.entity }) {
      check(columns, of: index, place)
      return
    }
    guard !indexNumbers.contains(entry.entity), let layout = schema[entry.entity] else { return }
    let root = contents.model?.root(of: layout.entity).flatMap { schema[$0.name]?.entityNumber }
    for column in columns where column.number <= LayoutColumn.Number.highestProperty {
      var place = place
      place.column = column.number
      place.entity = layout.entity
      if let root, column.number > schema.highestPropertyNumbers[root] ?? 0 {
        findings.add(
          .givenNumbers, place,
          "The column's number is above \(schema.highestPropertyNumbers[root] ?? 0), the highest number in the family."
        )
      }
      if let known = layout.index(ofNumber: column.number).map({ layout.columns[$0] }),
        !column.kind.widens(to: known.kind)
      {
        findings.add(
          .columnKinds, place,
          "The column has the kind \(column.kind), but '\(known.name)' has the kind \(known.kind).")
      }
    }
  }

  /// Checks that entries of an index have the columns of the index and a column of objects (spec §4.5.6).
  private func check(_ columns: [ColumnEntry], of index: IndexLayout, _ place: Place) {
    let kinds = Dictionary(columns.map { ($0.number, $0.kind) }) { one, _ in one }
    if kinds[LayoutColumn.Number.object] == nil {
      findings.add(
        .indexColumns, place, "Entries of index \(index.number) do not refer to objects.")
    }
    for column in index.columns where kinds[column.number] != column.kind {
      findings.add(
        .indexColumns, place,
        "Entries of index \(index.number) lack the column \(column.number), '\(column.name)'.")
    }
  }
}
