import ObjectModel
import PropertyLists

// Fetch requests and fetch indexes.

extension ArchiveWriter {
  /// Returns an archived fetch request.
  ///
  /// - Parameter property: The fetched property that the request belongs to, if any.
  mutating func fetchRequest(
    _ request: FetchRequestTemplate, of property: String? = nil
  ) -> PropertyList {
    var notes: [String: String] = [:]
    notes["predicate"] = request.predicate
    if let property, request.name != ArchiveReader.requestName(of: property) {
      notes["name"] = request.name
    }
    let flags = ArchiveReader.bits(request.flags, of: request.resultType)
    if ArchiveReader.flags(flags, of: request.resultType) != request.flags {
      notes["flags"] = String(request.flags.rawValue)
    }
    var fields: [String: PropertyList] = [:]
    for name in [
      "NSSortDescriptors", "NSValuesToFetch", "NSValuesToGroupBy", "NSHavingPredicate",
      "NSRelationshipKeyPathsForPrefetching",
    ] { fields[name] = KeyedArchiveWriter.nothing }
    fields["NSEntity"] = entity(request.entity)
    fields["NSPredicate"] = predicate(request.predicate)
    fields["NSFetchLimit"] = .integer(Int64(request.fetchLimit))
    fields["NSFetchOffset"] = .integer(Int64(request.fetchOffset))
    fields["NSBatchSize"] = .integer(Int64(request.fetchBatchSize))
    fields["NSResultType"] = .integer(Int64(request.resultType.rawValue))
    fields["NSAllocationType"] = .integer(0)
    fields["NSHasFetchRequestFlags"] = .boolean(true)
    fields["NSFetchRequestFlags"] = .integer(flags)
    if !request.sortKeys.isEmpty {
      fields["NSSortDescriptors"] = archive.array(request.sortKeys.map { sortDescriptor($0) })
    }
    if !notes.isEmpty { fields[Self.notesField] = archive.dictionary(notes) }
    return archive.add(.fetchRequest, fields)
  }

  private mutating func sortDescriptor(_ key: FetchRequestTemplate.SortKey) -> PropertyList {
    archive.add(
      .sortDescriptor,
      [
        "NSKey": archive.text(key.keyPath), "NSAscending": .boolean(key.isAscending),
        "NSSelector": archive.text(key.selector ?? "compare:"),
        "NSReverseNullOrder": .boolean(false),
      ])
  }

  /// Returns an archived fetch index of an entity.
  mutating func fetchIndex(_ index: FetchIndex, of entity: PropertyList) -> PropertyList {
    let reference = archive.reserve()
    let elements = index.elements.map { element in
      var fields: [String: PropertyList] = [
        "NSPropertyName": archive.text(element.property),
        "NSFetchIndexElementType": .integer(Int64(element.kind.rawValue)),
        "NSAscending": .boolean(element.isAscending), "NSFetchIndexDescription": reference,
      ]
      if let expression = element.expression {
        fields[Self.notesField] = archive.dictionary(["expression": expression])
      }
      return archive.add(.fetchIndexElementDescription, fields)
    }
    var fields: [String: PropertyList] = [
      "NSIndexName": archive.text(index.name), "NSEntity": entity,
      "NSIndexElements": archive.array(elements),
      "NSPartialIndexPredicate": predicate(index.partialPredicate),
    ]
    if let predicate = index.partialPredicate {
      fields[Self.notesField] = archive.dictionary(["predicate": predicate])
    }
    archive.fill(reference, .fetchIndexDescription, fields)
    return reference
  }
}
