import ObjectGraph
import ObjectModel
import ObjectQuery
import Rows

extension Connection {
  /// Finds the objects of a request.
  func results(_ reading: RequestReading) throws -> ResultStream.Source {
    var query = reading.query
    switch try ResultColumns(reading, self) {
    case .fields(let fields):
      var records = FoundRecords()
      if let keys = reading.namedKeys, !fields.contains(where: \.isRelated) {
        let rows = try context.rows(of: keys, in: query.entity)
        for row in rows[query.window(of: rows.count)] {
          records.append(row.block, entity: row.entity, rows: CollectionOfOne(row.row))
        }
        return .records(records, fields)
      }
      if reading.keys != nil {
        // The limit counts objects in the order of the identifiers.
        (query.fetchLimit, query.fetchOffset) = (0, 0)
      }
      if reading.keys?.isEmpty ?? false { return .records(records, fields) }
      let readsOthers = fields.contains(where: \.isRelated)
      try context.forEachRun(of: query) { run, source in
        if readsOthers { records.relate(in: source.view, source.schema) }
        records.append(run.block, entity: run.entityNumber, rows: run)
      }
      if let keys = reading.keys {
        try records.order(
          by: keys, from: reading.query.fetchOffset, limit: reading.query.fetchLimit)
      }
      return .records(records, fields)
    case .values(let values):
      query.propertiesToFetch = values
      query.resultType = .dictionaries
      let table = try context.fetchTable(FetchRequest<ManagedObject>(query))
      return .values(try RecordValues(table.names, table.rows))
    }
  }

  /// Returns the objects of a request, in its order.
  func objects(_ reading: RequestReading) throws -> [ManagedObject] {
    if reading.keys?.isEmpty ?? false { return [] }
    return try context.fetch(FetchRequest<ManagedObject>(reading.query))
  }
}

extension Connection {
  /// Returns the number of objects of an entity, without its subentities.
  func count(of entity: String) throws -> Int {
    var query = QueryRequest(entity)
    query.includesSubentities = false
    return try context.count(for: FetchRequest<ManagedObject>(query))
  }

  /// Returns the number of results of a request.
  func count(_ reading: RequestReading) throws -> Int {
    if reading.keys?.isEmpty ?? false { return 0 }
    if let keys = reading.namedKeys {
      let rows = try context.rows(of: keys, in: reading.query.entity)
      return reading.query.window(of: rows.count).count
    }
    guard reading.isTable || reading.columns != nil else {
      return try context.count(for: FetchRequest<ManagedObject>(reading.query))
    }
    switch try results(reading) {
    case .records(let records, _): return records.count
    case .values(let values): return values.count
    }
  }
}
