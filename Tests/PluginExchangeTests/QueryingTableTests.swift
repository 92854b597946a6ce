import DurableFiles
import Foundation
import InstalledPlugins
import ObjectModel
import ObjectQuery
import Rows
import StoreConformance
import StoreInterface
import Testing

@Suite("Result tables of a plug-in")
struct QueryingTableTests {
  private static func requests() throws -> [QueryRequest] {
    func request(_ text: String?, _ values: [FetchedValue]) throws -> QueryRequest {
      var request = QueryRequest("Thing", where: try text.map { try QueryPredicate($0) })
      request.resultType = .dictionaries
      request.propertiesToFetch = values
      return request
    }
    let plain = [
      FetchedValue("id", .evaluatedObject), FetchedValue("name"), FetchedValue("large"),
      FetchedValue("owner", .path("owner.name")),
      FetchedValue("twins", try QueryExpression("twins.@count")),
    ]
    let sum = FetchedValue("sum", .function(.sum, [.path("large")]))
    let among = FetchedValue(
      "all", try QueryExpression("FETCH('Thing', TRUEPREDICATE, YES)"))
    var requests = [
      try request("large > 950", plain + [among]), try request("large > 950", plain),
      try request("large > 950 AND name LIKE[cd] 'ThIng*'", plain),
      try request("owner.name == 'owner 3'", plain), try request("large < 0", plain),
      try request(nil, plain),
    ]
    for (offset, limit) in [(0, 7), (5, 7), (990, 20)] {
      var page = try request(offset == 5 ? "modulus:by:(large, 2) == 0" : nil, plain)
      page.sortKeys = [SortKey("large", ascending: false)]
      (page.fetchOffset, page.fetchLimit) = (offset, limit)
      requests.append(page)
    }
    var distinct = try request("large > 900", [FetchedValue("small")])
    distinct.returnsDistinctResults = true
    distinct.sortKeys = [SortKey("small")]
    distinct.fetchLimit = 3
    requests.append(distinct)
    var groups = try request("large > 500", [FetchedValue("small"), sum])
    groups.propertiesToGroupBy = ["small"]
    groups.sortKeys = [SortKey("small")]
    (groups.fetchOffset, groups.fetchLimit) = (1, 3)
    requests.append(groups)
    requests.append(try request("large > 990", [sum]))
    return requests
  }

  @Test(
    "The plug-in's table equals that of a search of the rows, for objects, pages, groups and sums")
  func tables() throws {
    let backend = try InstalledPlugins.backend("SQLite")
    let folder = FileManager.default.temporaryDirectory.appending(path: "tables-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try backend.create(
      at: folder.appending(path: "a.sqlite").path, model: StoreConformance.model, on: RealDisk(),
      StoreCreation())
    let base = try store.snapshot()
    let builder = LayerBuilder(base.schema)
    func key(_ entity: String, _ number: UInt64) -> ObjectKey {
      ObjectKey(entity: base.schema[entity]!.entityNumber, number: number)
    }
    for number in 1...9 as ClosedRange<UInt64> {
      builder.insert(key("Owner", number))
      builder.set(.string("owner \(number)"), "name", of: key("Owner", number), base.schema)
    }
    for number in 1...1000 as ClosedRange<UInt64> {
      let key = key(number % 10 == 0 ? "SpecialThing" : "Thing", number)
      builder.insert(key)
      builder.set(.integer(Int64(number)), "large", of: key, base.schema)
      builder.set(.integer(Int64(number % 5)), "small", of: key, base.schema)
      builder.set(.string("thing \(number)"), "name", of: key, base.schema)
      builder.set(
        .object(ObjectKey(entity: base.schema["Owner"]!.entityNumber, number: number % 9 + 1)),
        "owner", of: key, base.schema)
    }
    try store.commit(CommitRequest(builder.freeze(), basedOn: base))
    for request in try Self.requests() {
      // A new snapshot for each request, so that nothing of the snapshot has been read yet.
      let snapshot = try store.snapshot()
      let found = try store.table(request, in: snapshot)
      let plan = try QueryPlan(
        request, model: snapshot.model, schema: snapshot.schema, store: store.tag)
      let expected = try plan.table(
        in: ViewSource(
          snapshot.view, model: snapshot.model, schema: snapshot.schema, store: store.tag))
      #expect(found == expected, "\(request)")
      #expect(!expected.rows.isEmpty || "\(request)".contains("large < 0"))
    }
    try store.close()
  }
}
