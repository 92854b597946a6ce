import AppleFixtures
import DurableFiles
import Foundation
import ObjectModel
import ObjectQuery
import Rows
import SQLiteStore
import StoreInterface
import Testing

@Suite(
  "Requests to databases that Core Data wrote",
  .enabled(if: AppleFixtures.areHere, "\(AppleFixtures.absence)"))
struct QueryingFixtureTests {
  @Test(
    "SQL compares, sorts, groups and follows every property as a search of the rows does",
    arguments: AppleFixtures.databases)
  func answers(_ path: String) throws {
    let opened = try SQLiteStoreBackend().open(path, on: RealDisk(), StoreOpening(readOnly: true))
    let store = try #require(opened.features.querying)
    let snapshot = try store.snapshot()
    let model = try snapshot.model
    let source = ViewSource(
      snapshot.view, model: model, schema: snapshot.schema, store: store.tag)
    var answered = 0
    func check(_ request: QueryRequest) throws {
      guard
        let plan = try? QueryPlan(
          request, model: model, schema: snapshot.schema, store: store.tag)
      else { return }
      if request.resultType == .dictionaries {
        guard let table = try store.table(answering: request, in: snapshot) else { return }
        #expect(try table == plan.table(in: source), "\(request.words)")
      } else {
        guard let keys = try store.keys(answering: request, in: snapshot) else { return }
        #expect(try keys == plan.keys(in: source), "\(request.words)")
        #expect(
          try store.count(answering: request, in: snapshot) == keys.count, "\(request.words)")
      }
      answered += 1
    }
    for entity in model.entities {
      for property in model.properties(of: entity.name) {
        for request in try requests(about: property, of: entity.name, model, source) {
          try check(request)
        }
      }
    }
    #expect(answered > 0)
  }

  /// Returns requests that use the property in every possible way.
  private func requests(
    about property: Property, of entity: String, _ model: Model, _ source: ViewSource
  ) throws -> [QueryRequest] {
    let path = QueryExpression.keyPath(of: .evaluatedObject, [property.name])
    func request(
      _ left: QueryExpression, _ operation: QueryPredicate.Operator, _ right: QueryExpression,
      _ modifier: QueryPredicate.Modifier = .direct
    ) -> QueryRequest {
      QueryRequest(
        entity, where: .comparison(.init(left, operation, right, modifier: modifier)))
    }
    switch property {
    case .attribute:
      var grouped = QueryRequest(entity)
      grouped.resultType = .dictionaries
      grouped.propertiesToGroupBy = [property.name]
      grouped.propertiesToFetch = [
        FetchedValue(property.name), FetchedValue("count", .function(.count, [.evaluatedObject])),
      ]
      var values = QueryRequest(entity)
      values.resultType = .dictionaries
      values.propertiesToFetch = [FetchedValue(property.name)]
      var all = [
        QueryRequest(entity, sortedBy: [SortKey(property.name, ascending: false)], limit: 20),
        QueryRequest(entity, sortedBy: [SortKey(property.name)]), request(path, .notEqual, .null),
        grouped, values,
      ]
      for function in [QueryExpression.Function.min, .max, .sum, .average] {
        var aggregate = QueryRequest(entity)
        aggregate.resultType = .dictionaries
        aggregate.propertiesToFetch = [FetchedValue("it", .function(function, [path]))]
        all.append(aggregate)
      }
      guard
        let plan = try? QueryPlan(
          QueryRequest(entity, where: all[2].predicate, limit: 3), model: model,
          schema: source.schema),
        let layout = source.schema[entity], let index = layout.index(of: property.name)
      else { return all }
      for key in try plan.keys(in: source) {
        guard let value = try source.row(of: key)?.value(layout.columns[index]) else { continue }
        for operation in [QueryPredicate.Operator.equal, .notEqual, .lessThan, .greaterThanOrEqual]
        {
          all.append(request(path, operation, .constant(value)))
        }
      }
      return all
    case .relationship(let relationship) where relationship.isToMany:
      let count = QueryExpression.keyPath(of: .evaluatedObject, [property.name, "@count"])
      return [
        request(count, .greaterThan, .constant(.integer(0))),
        request(count, .lessThan, .constant(.integer(2))),
        QueryRequest(entity, sortedBy: [SortKey("\(property.name).@count")]),
        request(path, .notEqual, .evaluatedObject, .any), request(.evaluatedObject, .in, path),
      ]
    case .relationship(let relationship):
      return [request(path, .equal, .null), request(path, .notEqual, .evaluatedObject)]
        + model.properties(of: relationship.destination).map { other in
          request(
            .keyPath(of: .evaluatedObject, [property.name, other.name]), .notEqual, .null)
        }
    case .fetched: return []
    }
  }
}
