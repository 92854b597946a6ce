package import ObjectModel
package import ObjectQuery
package import PostgreSQLConnection
package import Rows
import SQLTranslation
import StoreInterface

/// The readers of a store, with answers that come from no server. For the fuzzer and for tests.
package struct AnswerReading {
  private let model: Model
  private let schema: Schema
  private let map: TableMap
  private let source: any RowSource

  /// Creates the readers for the tables of a model.
  package init(_ model: Model, from source: any RowSource) throws {
    (self.model, self.source) = (model, source)
    schema = try Schema(model)
    map = try TableMap(postgreSQL: model, schema)
  }

  /// The numbers of entities and links.
  package var numbers: [UInt16] { (Array(map.entities.keys) + map.links.keys).sorted() }

  /// Reads the rows of an entity, or links.
  ///
  /// - Parameter keys: The keys of the rows; `nil` for all rows.
  package func blocks(_ number: UInt16, of keys: [UInt64]? = nil) throws -> [Block] {
    if let entity = map.entities[number] {
      var rows = RowReader(entity, map, path: "answers")
      guard let keys else { return try rows.blocks(nil, from: source) }
      return try rows.blocks(of: keys, from: source)
    }
    guard let link = map.links[number] else { return [] }
    let links = LinkReader(link, map, path: "answers")
    return try keys.map { try links.blocks(of: $0, from: source) } ?? links.blocks(from: source)
  }

  /// Reads the description of a store: its newest commit, metadata and model.
  package func description() throws -> Model {
    try StoreContents(source, path: "answers").model
  }

  /// Reads the list of commits, and the rows before each.
  package func history() throws -> [Block] {
    try BeforeTable.openable(source).flatMap {
      try BeforeTable.read($0.number, schema, source, "answers").blocks
    }
  }

  /// Reads the keys, the number and the values that answer a request.
  package func answers(
    _ request: QueryRequest
  ) throws -> (keys: [ObjectKey]?, count: Int?, table: ResultTable?) {
    let answers = PostgreSQLAnswers(
      source, SQLTranslation(map, PostgreSQLDialect(), model: model, schema: schema))
    return (
      try answers.keys(request), try answers.count(request), try answers.table(request)
    )
  }
}
