import CommandInterface
import Documents
import Foundation
import JSONText
import ObjectModel
import ObjectQuery
import Rows
import StoreInterface

/// The command `quire info`.
enum InfoCommand {
  /// Returns the command. It opens stores through `reader`.
  static func command(
    _ reader: StoreReader, _ models: ModelReader = .files
  ) -> Command {
    Command(
      "info",
      "shows the type, identity, size and object counts of a document or a store",
      discussion: """
        The count of an entity excludes the objects of its subentities, so the sum of the counts is the \
        number of objects. Bytes after the last save are the remains of an interrupted save. A store with a \
        damaged last save is refused with exit code 4, unless --damaged is given. An index of words is listed with \
        the size that it has in the file.
        """,
      arguments: [.store], options: [.version, .storeName, .storeModel, .damaged, .format],
      examples: [Example("quire info Trips.store", "Shows the type, UUID, size and entities.")]
    ) { invocation in
      let path = invocation[.store]
      if try reader.isDocument(path), !invocation.has(.storeName) {
        return try show(reader.document(path, toRead: invocation), invocation)
      }
      return try show(reader.open(path, invocation, models), invocation)
    }
  }

  /// Prints the description of an open store.
  static func show(_ store: any Store, _ invocation: Invocation) throws -> ExitCode {
    let snapshot = try store.snapshot()
    let description = try store.describe()
    let metadata = try snapshot.metadata
    let counts = try EntityCounts.all(in: store)
    var words = WordIndexSizes()
    try words.add(snapshot)
    let output = invocation.console.output
    switch invocation.format {
    case .text:
      var table = Table()
      for fact in facts(of: store, snapshot.commit, metadata, description) {
        table.add(fact.name, fact.text)
      }
      try output.write(table.text())
      var entities = Table()
      for (name, count) in counts { entities.add(name, Wording.count(count, "object")) }
      try output.write("\n" + entities.text() + words.text)
    case .json:
      let object = JSON.object([
        "type": .string(store.type.rawValue),
        "formatVersion": description.formatVersion.map { .string($0) },
        "features": Manifest.json(description.features),
        "uuid": metadata.uuid.map { .string($0.uuidString) },
        "saves": .number(Int(snapshot.commit)),
        "lane": json(metadata.lanes),
        "lastSave": description.savedAt.map { ValueText.exchange.json(.date($0)) },
        "byteCount": .number(description.byteCount),
        "liveByteCount": .number(description.liveByteCount),
        "strayByteCount": .number(description.strayByteCount),
        "entities": .members(
          counts.map { JSON.Member(name: $0.name, value: .number($0.count)) }),
        "words": words.json,
      ])
      try output.writeLine(object)
    }
    return .done
  }

  /// Returns the line of features that this version of Quire does not know; `nil` if there are none.
  static func fact(_ features: [FormatFeature]) -> InfoFact? {
    if features.isEmpty { return nil }
    let texts = features.map { "\($0.name) (\($0.class.rawValue))" }
    return InfoFact("unknown features", texts.joined(separator: ", "))
  }

  /// Returns the line about the lanes of object numbers; `nil` for a store that was never copied and knows no copy.
  static func fact(_ lanes: StoreLanes) -> InfoFact? {
    if lanes.isEmpty { return nil }
    let known = Wording.count(lanes.replicas.count, "lane")
    return InfoFact("numbers", "counts in \(lane(lanes)), and knows \(known) of copies")
  }

  /// Returns the words for the lane in which a store counts.
  static func lane(_ lanes: StoreLanes) -> String {
    guard let current = lanes.current else { return "no lane" }
    return current == 0 ? "the first lane" : "the lane from \(current)"
  }

  /// Returns the start of the lane in which a store counts; `nil` for a store that was never copied and knows no copy.
  static func json(_ lanes: StoreLanes) -> JSON? {
    lanes.isEmpty ? nil : lanes.current.map { .number("\($0)") }
  }

  /// Returns the type, the identity, the date and the size of a store.
  static func facts(
    of store: any Store, _ commit: Int64, _ metadata: StoreMetadata,
    _ description: StoreSummary
  ) -> [InfoFact] {
    let version = description.formatVersion.map { ", format \($0)" } ?? ""
    var facts = [
      InfoFact("type", store.type.rawValue + version),
      InfoFact("UUID", metadata.uuid?.uuidString ?? "none"), InfoFact("saves", "\(commit)"),
    ]
    if let features = fact(description.features) { facts.append(features) }
    if let lanes = fact(metadata.lanes) { facts.append(lanes) }
    if let date = description.savedAt { facts.append(InfoFact("last save", date)) }
    facts.append(
      InfoFact(
        "size",
        "\(Wording.count(description.byteCount, "byte")), \(description.liveByteCount) in use"))
    if description.strayByteCount > 0 {
      facts.append(
        InfoFact("after the last save", Wording.count(description.strayByteCount, "byte")))
    }
    return facts
  }
}

/// A line of the description of a document or a store: a name, and a text or a moment.
struct InfoFact {
  let name: String
  let text: String
  /// The moment that the text describes, if any.
  let moment: Date?

  init(_ name: String, _ text: String) {
    self.name = name
    self.text = text
    moment = nil
  }

  init(_ name: String, _ moment: Date) {
    self.name = name
    text = Wording.text(.date(moment))
    self.moment = moment
  }
}

/// The numbers of objects of the entities of a model.
enum EntityCounts {
  /// Returns the number of objects of each entity, without subentities, by the entity's name.
  ///
  /// - Parameter count: Counts the objects of a request.
  static func all(
    of model: Model, _ count: (QueryRequest) throws -> Int
  ) throws -> [(name: String, count: Int)] {
    try model.entities.filter { !$0.isAbstract }.map(\.name).sorted().map { name in
      var request = QueryRequest(name)
      request.includesSubentities = false
      return (name, try count(request))
    }
  }

  /// Returns the number of objects of each entity of a store, without subentities, by the entity's name.
  static func all(in store: any Store) throws -> [(name: String, count: Int)] {
    let snapshot = try store.snapshot()
    return try all(of: snapshot.model) { try store.count($0, in: snapshot) }
  }

  /// Prints the entities, each with the number of its objects.
  static func show(_ counts: [(name: String, count: Int)], _ invocation: Invocation) throws {
    let output = invocation.console.output
    if ["json", "jsonl"].contains(invocation.value(of: FetchCommand.form)) {
      return try output.writeLine(
        JSON.members(counts.map { JSON.Member(name: $0.name, value: .number($0.count)) }))
    }
    var table = Table()
    for (name, count) in counts { table.add(name, Wording.count(count, "object")) }
    try output.write(table.text())
  }
}
