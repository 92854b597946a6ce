// SAFETY: Texts are lent for the length of the call; incoming keys are copied while they are valid.

import CStorePlugin
import ObjectModel
import ObjectQuery
import PluginExchange
import Rows
import StoreInterface

extension PluginStore: QueryingStore {
  /// Returns the keys of the objects that a request finds; `nil` if a search of all rows is better. The host completes
  /// the parts of the request that the plug-in leaves open, from the found objects.
  func keys(
    answering request: QueryRequest, in snapshot: any StoreSnapshot
  ) throws -> [ObjectKey]? {
    let keys = try found(by: request, in: snapshot)
    // The caller reads the found objects next.
    if let keys { try (snapshot as? PluginSnapshot)?.readAhead(keys) }
    return keys
  }

  private func found(
    by request: QueryRequest, in snapshot: any StoreSnapshot
  ) throws -> [ObjectKey]? {
    // The relevance depends on the texts of all objects, and a plug-in returns only those found.
    guard let snapshot = snapshot as? PluginSnapshot,
      request.sortKeys.allSatisfy({ $0.expression == nil }),
      try !request.sortsByRelevance(in: snapshot.model),
      let answer = try ask(for: request, in: snapshot)
    else { return nil }
    let rest = answer.rest(of: request)
    if rest.isNothing { return answer.isOrdered ? answer.keys : answer.keys.sorted() }
    guard rest.readsOnlyFoundObjects, answer.keys.count < PluginStore.manyKeys else {
      return nil
    }
    let model = try snapshot.model
    let all = ViewSource(snapshot.view, model: model, schema: snapshot.schema, store: tag)
    guard Set(answer.keys).count == answer.keys.count else {
      throw handle.functions.failure("finds an object twice in one request.", at: path)
    }
    try snapshot.readAhead(answer.keys)
    return try QueryPlan(rest.request, model: model, schema: all.schema, store: tag)
      .keys(in: NarrowedSource(all, entity: request.entity, to: answer.keys))
  }

  /// Asks the plug-in for the objects of a request; `nil` if the plug-in answers no part of it.
  private func ask(
    for request: QueryRequest, in snapshot: PluginSnapshot
  ) throws -> PluginAnswer? {
    guard let query = unsafe handle.table.query,
      let outgoing = try OutgoingQuery(request, in: snapshot, store: tag)
    else { return nil }
    // The plug-in writes the flags while the sink adds keys, so they are two variables.
    var (keys, flags): ([ObjectKey], UInt32) = ([], 0)
    let sink = unsafe Sink { found, count in
      let count = Int(bitPattern: count)
      guard (0...Int.max / MemoryLayout<QuireFound>.stride).contains(count) else {
        throw snapshot.handle.store.functions.failure(
          "returns \(UInt(bitPattern: count)) keys at once.", at: self.path)
      }
      let all = unsafe UnsafeRawBufferPointer(
        start: found, count: count * MemoryLayout<QuireFound>.stride)
      for index in 0..<count {
        let one = unsafe all.load(
          fromByteOffset: index * MemoryLayout<QuireFound>.stride, as: QuireFound.self)
        guard one.key >= 1, one.key <= ObjectKey.highestNumber, one.entity >= 1 else {
          throw snapshot.handle.store.functions.failure(
            "returns key \(one.key) of entity \(one.entity), which is not a valid key.",
            at: self.path)
        }
        keys.append(ObjectKey(entity: one.entity, number: one.key))
      }
    }
    do {
      unsafe try snapshot.handle.store.reading("query", sink) { _, error in
        unsafe outgoing.withQuery { asked in
          unsafe query(
            snapshot.handle.snapshot, asked, &flags,
            { context, found, count in
              // No objects may come without an address.
              if count == 0 { return Int32(QUIRE_OK) }
              return unsafe Sink.take(
                context, UnsafeRawPointer(found),
                UnsafeMutableRawPointer(bitPattern: Int(clamping: count)))
            }, sink.context, error)
        }
      }
    } catch let error as StoreError where error.code == .notSupported {
      return nil
    }
    let answer = PluginAnswer(keys: keys, flags: flags)
    return answer.isUsable ? answer : nil
  }

  /// The least number of found objects for which a scan of all rows is faster.
  private static let manyKeys = 20_000

  /// Returns the result table of a request. The plug-in finds the objects that meet the predicate; their values come
  /// from their rows.
  func table(
    answering request: QueryRequest, in snapshot: any StoreSnapshot
  ) throws -> ResultTable? {
    guard request.predicate != nil || request.fetchLimit > 0,
      request.sortKeys.allSatisfy({ $0.expression == nil }),
      try !request.sortsByRelevance(in: snapshot.model)
    else { return nil }
    let all = ViewSource(
      snapshot.view, model: try snapshot.model, schema: snapshot.schema, store: tag)
    let plan = try QueryPlan(request, model: all.model, schema: all.schema, store: tag)
    // A nested fetch scans its objects itself, so this method leaves requests with a nested fetch to the caller.
    let others = request.propertiesToFetch.map { "\($0.expression)" }
    guard
      !(others + [request.havingPredicate.map { "\($0)" } ?? ""]).contains(where: {
        $0.contains("FETCH")
      })
    else { return nil }
    var search = QueryRequest(request.entity, where: request.predicate)
    search.includesSubentities = request.includesSubentities
    // The plug-in's objects meet the predicate already.
    var rest = request
    rest.predicate = nil
    if !plan.isGrouped, !request.returnsDistinctResults {
      // Each object is one row of the result table, so the plug-in applies the page, and it must not be applied twice.
      search.sortKeys = request.sortKeys
      (search.fetchOffset, search.fetchLimit) = (request.fetchOffset, request.fetchLimit)
      (rest.fetchOffset, rest.fetchLimit) = (0, 0)
    } else if request.predicate == nil {
      return nil
    }
    guard let keys = try keys(answering: search, in: snapshot),
      keys.count < PluginStore.manyKeys
    else { return nil }
    return try QueryPlan(rest, model: all.model, schema: all.schema, store: tag)
      .table(in: NarrowedSource(all, entity: request.entity, to: keys))
  }

  /// Returns the number of objects that a request finds; `nil` if the plug-in answers only a part of the request.
  func count(
    answering request: QueryRequest, in snapshot: any StoreSnapshot
  ) throws -> Int? { try found(by: request, in: snapshot)?.count }
}
