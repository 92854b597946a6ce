import Migration
import ModelNotations
import ObjectModel
import ObjectQuery
import PropertyLists
import QueryWorld
import Rows
import SeededRandom

/// The bodies of the fuzzers, by the fuzzers' names. Tests run the inputs of `Fuzz/` through the bodies too.
///
/// A body traps to report a failure. An input passes if the body returns.
public enum HostileInputs {
  /// The bodies, by the names of the fuzzers.
  public static let all: [String: @Sendable ([UInt8]) -> Void] = [
    "ArchiveFuzz": archive, "BlockFuzz": block, "CallFuzz": calls, "DeclarationFuzz": declaration,
    "IdentifierFuzz": identifier,
    "ManifestFuzz": manifest, "MetadataFuzz": metadata,
    "MappingFuzz": mapping, "ModelArchiveFuzz": modelArchive, "ModelSourceFuzz": modelSource,
    "PluginBatchFuzz": pluginBatch, "PluginManifestFuzz": pluginManifest,
    "PostgreSQLResultFuzz": postgreSQLResult,
    "PredicateFuzz": predicate,
    "PropertyListFuzz": propertyList, "QueryFuzz": query,
    "SQLiteSchemaFuzz": sqliteSchema, "StoreFuzz": store,
    "ValidationFuzz": validation, "XMLStoreFuzz": xmlStore,
  ]

  /// Opens any bytes as a block: an error is allowed. A block that opens must be readable to its end.
  public static func block(_ bytes: [UInt8]) {
    guard let block = try? FuzzedBlock(bytes).block() else { return }
    for number in block.columnNumbers {
      guard let column = try? block.column(number) else { continue }
      for row in 0..<block.rowCount { _ = column.value(at: row) }
      let layout = LayoutColumn(number: number, name: "", kind: column.kind)
      _ = try? block.value(layout, row: block.rowCount - 1)
      _ = try? block.presence(of: layout)
    }
    _ = try? block.bytes(movingValues: { $0 &+ 8 })
    _ = try? block.row(of: block.minimumKey)
  }

  /// Checks that any 64 bits are a key, which can be split into its parts and combined again.
  public static func identifier(_ bytes: [UInt8]) {
    guard bytes.count >= 8 else { return }
    let key = ObjectKey(rawValue: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    precondition(ObjectKey(entity: key.entity, number: key.number) == key)
  }

  /// Reads any bytes as a compiled model: an error is allowed, a trap is not.
  public static func modelArchive(_ bytes: [UInt8]) {
    guard let description = try? CompiledModel.read(bytes, path: "fuzz"),
      let model = try? Model(description)
    else { return }
    _ = model.versionHashes
  }

  /// Reads any bytes as a model's source, in XML, in the text form or in JSON: an error is allowed. A model that is
  /// written must be readable again.
  public static func modelSource(_ bytes: [UInt8]) {
    if let description = try? ModelText.read(bytes) {
      let formatted = try? ModelText.formatted(bytes)
      let again = formatted.flatMap { try? ModelText.read(Array($0.utf8)) }
      precondition(again == description, "The layout does not change the model.")
    }
    if let model = try? Model(ModelJSON.read(bytes)) {
      // The written texts are compared, because "not a number" does not equal itself.
      let written = ModelJSON.write(model)
      let again = try? Model(ModelJSON.read(Array(written.utf8)))
      precondition(again.map { ModelJSON.write($0) } == written, "What is written is read.")
    }
    guard let model = try? Model(ModelSource.read(bytes)),
      let written = try? ModelSource.write(model)
    else { return }
    let again = try? ModelSource.read(written)
    precondition(again != nil, "What is written is read.")
    precondition(
      (try? ModelText.read(Array(ModelText.write(model).utf8))) != nil, "What is written is read.")
  }

  /// Reads any bytes as a mapping: an error is allowed. A mapping must print as text that reads back as the same
  /// mapping. A check against a model must not trap.
  public static func mapping(_ bytes: [UInt8]) {
    guard let mapping = try? WrittenMapping(bytes, path: "mapping") else { return }
    let printed = mapping.description
    if let read = try? WrittenMapping(printed) {
      // The printed text is compared, because "not a number" does not equal itself.
      precondition(read.description == printed, printed)
    }
    let model = worlds[.ordinary]![0].source.model
    _ = try? MappingModel(from: model, to: model, mapping.entityMappings)
  }

  /// Reads any text as a predicate: an error is allowed. A predicate must print as text that reads back as an equal
  /// tree.
  public static func predicate(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let predicate = try? QueryPredicate(text) else {
      _ = try? QueryExpression(text)
      return
    }
    let printed = predicate.description
    do throws(QueryError) {
      let read = try QueryPredicate(printed)
      // Trees that contain "not a number" are compared by their printed text, because the value does not equal itself.
      precondition(read == predicate || read.description == printed, printed)
    } catch {
      // The printed predicate may be nested deeper than the text only at the limit itself.
      precondition(error.code == .tooLarge, "\(error)")
    }
  }

  /// The same objects with one layer and with several layers, for each pattern of values.
  private static let worlds: [ValuePattern: [World]] = Dictionary(
    uniqueKeysWithValues: ValuePattern.allCases.map { pattern in
      (pattern, [false, true].map { try! World(layered: $0, pattern: pattern) })
    })

  /// Evaluates any predicate. If it can be bound, the result from columns must equal the result from single objects,
  /// with one layer and with several layers.
  ///
  /// The objects have ordinary values, and then values of the pattern that the length of the input chooses.
  public static func query(_ bytes: [UInt8]) {
    let text = String(decoding: bytes.prefix(400), as: UTF8.self)
    let capitals = text.uppercased()
    // Regular expressions may run without end, and random numbers differ in each evaluation.
    guard !capitals.contains("MATCHES"), !capitals.contains("RANDOM") else { return }
    guard let predicate = try? QueryPredicate(text) else { return }
    let chosen = ValuePattern.allCases[bytes.count % ValuePattern.allCases.count]
    for pattern in Set([.ordinary, chosen]) {
      for entity in ["Sample", "Person", "City"] {
        var answers: [[UInt64]] = []
        for world in worlds[pattern]! {
          guard let scanned = try? world.scan(predicate, entity) else { continue }
          answers.append(scanned)
          if let asked = try? world.ask(predicate, entity) { answers.append(asked) }
        }
        precondition(
          answers.allSatisfy { $0 == answers[0] }, "\(entity), \(pattern): \(text): \(answers)")
      }
    }
  }
}

/// A block with outside values of zeros, as long as their references state. A value beyond one megabyte is missing.
private final class FuzzedBlock: BlockSource, OutsideValues {
  private let memory: BlockMemory

  init(_ bytes: [UInt8]) { memory = BlockMemory(bytes) }

  struct NotThere: Error {}

  var outsideValues: (any OutsideValues)? { self }

  func bytes(_ range: Range<Int>) throws -> BlockSlice { try memory.bytes(range) }

  func check(_ references: [OutsideReference]) throws {
    guard references.allSatisfy({ $0.byteCount <= 1 << 20 }) else { throw NotThere() }
  }

  func read(_ reference: OutsideReference, into memory: inout MutableRawSpan) throws {
    guard memory.byteCount == reference.byteCount else { throw NotThere() }
    for offset in 0..<memory.byteCount {
      memory.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
    }
  }

  func block() throws -> Block { try Block(self, byteCount: memory.byteCount) }
}
