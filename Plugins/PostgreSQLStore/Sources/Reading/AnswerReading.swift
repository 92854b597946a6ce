package import ObjectModel
package import ObjectQuery
package import PostgreSQLConnection
import RelationalStore
package import Rows
import SQLTranslation
import StoreInterface

/// The readers of a store, with answers that come from no server. For the fuzzer and for tests.
package struct AnswerReading {
  private let model: Model
  private let schema: Schema
  private let map: TableMap
  private let source: MadeUpAnswers

  /// Creates the readers for the tables of a model.
  package init(_ model: Model, from source: MadeUpAnswers) throws {
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
      return try database.rows(keys.map { .keys($0) } ?? .all, of: entity, in: map, basis: 0)
    }
    return try map.links[number].map { try database.links(keys, of: $0, in: map, basis: 0) } ?? []
  }

  private var database: PostgreSQLDatabase<MadeUpAnswers> {
    PostgreSQLDatabase(source, path: "answers")
  }

  /// Reads the description of a store: its newest commit, metadata and model.
  package func description() throws -> Model {
    try StoreContents(source, path: "answers").model
  }

  /// Reads the list of commits, and the rows before each.
  package func history() throws -> [Block] {
    try database.openableCommits().flatMap { commit in
      try database.rowsBefore([commit.number], schema).values.flatMap(\.blocks)
    }
  }

  /// Reads the keys, the number and the values that answer a request.
  package func answers(
    _ request: QueryRequest
  ) throws -> (keys: [ObjectKey]?, count: Int?, table: ResultTable?) {
    let answers = SQLAnswers(
      database, SQLTranslation(map, PostgreSQLDialect(), model: model, schema: schema))
    return (
      try answers.keys(request), try answers.count(request), try answers.table(request)
    )
  }
}
