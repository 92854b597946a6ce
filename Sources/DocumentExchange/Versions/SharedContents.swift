import Comparison
import Documents
import Migration
import ObjectModel
import StoreInterface

/// The models of the versions of a graph, and the rows of versions that no way of one model leads to.
///
/// Rows are put together from a version of the document, the changes in packs, and inferred migrations. That reads all objects, so it
/// is only done where versions of different models meet.
final class SharedContents {
  private let document: Document
  private let graph: SharedGraph
  /// The numbers of own versions whose identities are known, by their identities.
  private var numbers: [String: Int64] = [:]
  /// The models of the document, by their names.
  private var models: [String: SharedModel] = [:]
  private var rows: [String: VersionRows] = [:]
  private var hasEarlier = false

  init(_ document: Document, _ graph: SharedGraph) {
    (self.document, self.graph) = (document, graph)
  }

  func add(_ known: Remotes.Known) { numbers[known.identity] = known.number }

  // MARK: - Models

  /// Whether a version has the model of the open head.
  func isOfOwnModel(_ identity: String) throws -> Bool {
    if graph.edges.isEmpty { return true }
    return try model(of: identity) == ownModel
  }

  /// The model of the open head.
  var ownModel: SharedModel { get throws { try model(named: document.manifest.model) } }

  private func model(named name: String) throws -> SharedModel {
    if let found = models[name] { return found }
    for (name, model) in try document.modelVersions { models[name] = try SharedModel(model) }
    guard let found = models[name] else { return try SharedModel(document.model) }
    return found
  }

  /// Returns the model of a version; `nil` if it is not known here.
  func model(of identity: String) throws -> SharedModel? {
    let connected = graph.connected(to: identity)
    if let edge = graph.edges.first(where: { connected.contains($0.node) }) { return edge.model }
    guard let number = connected.lazy.compactMap({ self.numbers[$0] }).first,
      let version = document.versions.first(where: { $0.number == number })
    else { return nil }
    return try model(named: version.model)
  }

  /// A name for the model of a version, which a version of an unknown model has too.
  private func label(of identity: String) throws -> String {
    try model(of: identity)?.digest ?? graph.connected(to: identity).min() ?? identity
  }

  /// Returns the shortest way from the model of a version to a model, over the migrations of the graph, or `nil`.
  ///
  /// Devices that have left out different versions of a model are on no such way. Then the newer model is the one that has a
  /// place for everything in the older one.
  func models(from identity: String, to model: SharedModel) throws -> [SharedModel]? {
    let edges = try graph.edges.map { (from: try label(of: $0.from), model: $0.model) }
      .sorted { ($0.from, $0.model.digest) < ($1.from, $1.model.digest) }
    var ways: [(end: String, way: [SharedModel])] = [(try label(of: identity), [])]
    var seen: Set<String> = [ways[0].end]
    var index = 0
    while index < ways.count {
      let (end, way) = ways[index]
      if end == model.digest { return way }
      for edge in edges where edge.from == end && seen.insert(edge.model.digest).inserted {
        ways.append((edge.model.digest, way + [edge.model]))
      }
      index += 1
    }
    guard let start = try self.model(of: identity), loses(start, model) == false,
      loses(model, start) != false
    else { return nil }
    return [model]
  }

  /// Whether the inferred migration between two models loses something; `nil` if none can be inferred.
  private func loses(_ start: SharedModel, _ end: SharedModel) -> Bool? {
    (try? InferredMapping(from: start.model, to: end.model)).map { !$0.losses.isEmpty }
  }

  // MARK: - Rows

  /// Returns the difference of two versions in a model; `nil` if a pack between them is missing, or a migration can't be inferred.
  ///
  /// - Parameter model: The model; `nil` for the model of the open head.
  func difference(
    from start: String, to end: String, in model: SharedModel? = nil
  ) throws -> ChangeBook? {
    if graph.edges.isEmpty { return try graph.changes(from: start, to: end) }
    let model = try model ?? ownModel
    for one in try nodes(of: start, in: model) {
      for other in try nodes(of: end, in: model) {
        if let changes = try graph.changes(from: one, to: other) { return changes }
      }
    }
    guard let one = try rows(of: start, in: model), let other = try rows(of: end, in: model) else {
      return nil
    }
    return try book(from: one, to: other)
  }

  /// Returns the changes from the inferred migration of a version to a version of the model; `nil` if they are not known here.
  func migration(
    from start: String, to end: String, in model: SharedModel
  ) throws -> ChangeBook? {
    guard let before = try rows(of: start), let one = try migrated(before, to: model),
      let other = try rows(of: end)
    else { return nil }
    return try book(from: one, to: other)
  }

  private func book(from one: VersionRows, to other: VersionRows) throws -> ChangeBook? {
    guard let changes = try one.changes(to: other) else { return nil }
    var files: [String: ChangeBook.File] = [:]
    for name in Set(one.files.keys).union(other.files.keys)
    where one.files[name] != other.files[name] {
      files[name] = ChangeBook.File(old: one.files[name], new: other.files[name])
    }
    return try ChangeBook(
      OwnVersions.patch(changes, document), files: files, path: document.path)
  }

  /// Returns the nodes of the graph that have the objects of a version in a model.
  private func nodes(of identity: String, in model: SharedModel) throws -> [String] {
    let edges = graph.edges.filter { $0.from == identity && $0.model == model }.map(\.node)
    let isOwn = try self.model(of: identity) == model
    return (isOwn ? [identity] : []) + Set(edges).sorted()
  }

  private func rows(of identity: String, in model: SharedModel) throws -> VersionRows? {
    let key = "\(identity)+\(model.digest)"
    if let found = rows[key] { return found }
    guard var found = try rows(of: identity),
      let way = try models(from: identity, to: model)
    else { return nil }
    for model in way {
      guard let next = try migrated(found, to: model) else { return nil }
      found = next
    }
    rows[key] = found
    return found
  }

  private func migrated(_ rows: VersionRows, to model: SharedModel) throws -> VersionRows? {
    do { return try rows.migrated(to: model, in: document.places) } catch let error
      as MigrationError
      where error.code == .notInferable
    { return nil }
  }

  /// Returns the rows of a version in its own model; `nil` if they can't be put together.
  func rows(of identity: String) throws -> VersionRows? {
    if graph.edges.isEmpty { return nil }
    try addEarlier()
    var visited: Set<String> = []
    return try rows(of: identity, &visited)
  }

  private func rows(of identity: String, _ visited: inout Set<String>) throws -> VersionRows? {
    if let found = rows[identity] { return found }
    guard visited.insert(identity).inserted else { return nil }
    let connected = graph.connected(to: identity)
    let anchors = numbers.filter { connected.contains($0.key) }.sorted { $0.value > $1.value }
    for (anchor, number) in anchors {
      if let changes = try graph.changes(from: anchor, to: identity) {
        return try keep(own(number), changes, identity)
      }
    }
    for edge in graph.edges where connected.contains(edge.node) {
      if let before = try rows(of: edge.from, &visited),
        let start = try migrated(before, to: edge.model),
        let changes = try graph.changes(from: edge.node, to: identity)
      {
        return try keep(start, changes, identity)
      }
    }
    return nil
  }

  private func keep(
    _ start: VersionRows, _ changes: ChangeBook, _ identity: String
  ) throws -> VersionRows? {
    do { rows[identity] = try start.applying(changes, named: "the packs") } catch let error
      as ComparisonError
      where error.code == .badPatch
    { return nil }
    return rows[identity]
  }

  private func own(_ number: Int64) throws -> VersionRows {
    let content = try document.content(ofVersion: number)
    let rows = try VersionRows(content, model(named: content.version.model))
    content.close()
    return rows
  }

  /// Finds the newest version of each earlier model of the document that the graph has.
  private func addEarlier() throws {
    if hasEarlier { return }
    hasEarlier = true
    let known = Set(numbers.values)
    var done = Set(document.versions.filter { known.contains($0.number) }.map(\.model))
    for version in document.versions.reversed() where !done.contains(version.model) {
      let content = try document.content(ofVersion: version.number)
      defer { content.close() }
      let identity = try content.identity(content.sums()).description
      guard graph.knows(identity) else { continue }
      numbers[identity] = version.number
      done.insert(version.model)
    }
  }
}
