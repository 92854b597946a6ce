import Deflate
import Foundation
import ModelNotations
import ObjectModel
import PropertyLists
import RelationalStore
import Rows
import SQLiteFiles
import StoreInterface

extension SQLiteFileCheck {
  /// The metadata, model and schema of a database, as far as they can be read.
  struct Description {
    var metadata: StoreMetadata?
    var model: Model?
    var schema: Schema?
    /// Whether the model and the schema come from the tables of this format (`QUIRE_STORE`).
    var isOwn = false
  }

  /// Checks the metadata and models of the database (spec §10.2, §10.5.1).
  func describe(
    _ connection: SQLiteConnection, _ tables: DatabaseTables
  ) throws(SQLiteError) -> Description {
    var description = Description()
    description.metadata = try metadata(connection)
    let hashes = description.metadata.flatMap(hashes)
    let cached = try cachedModel(connection, tables)
    let own = try OwnTablesCheck(check: self, connection: connection, tables: tables).run()
    if result.outcome == .newerFormat { return description }
    if let cached, let hashes, !fits(cached, hashes) {
      findings.add(.modelHashes, Place("Z_MODELCACHE"), "\(cached.differences(from: hashes))")
    }
    if let own, let hashes, !fits(own.model, hashes) {
      findings.add(
        .sqliteOwnModel, Place("QUIRE_STORE"),
        "Another program has changed the model since: \(own.model.differences(from: hashes))")
    } else if let own {
      description.model = own.model
      description.schema = own.schema
      description.isOwn = true
    }
    if let givenModel, let hashes {
      let differences = givenModel.differences(from: hashes)
      if !differences.isEmpty { findings.add(.givenModel, Place("Z_METADATA"), "\(differences)") }
    }
    if description.model == nil {
      description.model = cached ?? givenModel
      result.needsModel = cached == nil && givenModel != nil
      description.schema = description.model.flatMap { try? Schema($0) }
    }
    if let model = description.model, !result.needsModel {
      findings.addOddities(
        of: model, Place(description.isOwn ? "QUIRE_STORE" : "Z_MODELCACHE"))
    }
    if description.model == nil {
      if findings.errorCount == 0, own == nil {
        findings.add(
          .sqliteNoModel, Place(),
          "The store does not contain its model, as stores of older systems do not, and no model was given."
        )
      }
      result.unchecked.append(
        "The tables and objects were not checked, since no model is available.")
    }
    return description
  }

  private func fits(_ model: Model, _ hashes: [String: VersionHash]) -> Bool {
    (model.description.configurations.map { Optional($0.name) } + [nil]).contains {
      model.isCompatible(with: hashes, configuration: $0)
    }
  }

  // MARK: - Metadata

  private func metadata(_ connection: SQLiteConnection) throws(SQLiteError) -> StoreMetadata? {
    let place = Place("Z_METADATA")
    let statement = try connection.prepare(
      "SELECT Z_UUID, Z_PLIST FROM Z_METADATA LIMIT 2", isKept: false)
    guard try statement.step() else {
      findings.add(.sqliteMetadataRow, place, "The table has no row.")
      return nil
    }
    let uuid = statement.text(0).flatMap(UUID.init(spelled:))
    if uuid == nil {
      findings.add(
        .sqliteMetadataRow, place, "Z_UUID is not a UUID, but \(statement.value(0).words).")
    }
    var values: [String: PropertyList]? = [:]
    switch statement.kind(1) {
    case .null: break
    case .blob where statement.byteCount(1) <= StoreContents.maximumModelByteCount:
      values = list(statement.bytes(1), place)
    default:
      values = nil
      findings.add(
        .sqliteMetadata, place, "Z_PLIST is not a property list, but \(statement.value(1).words).")
    }
    if try statement.step() {
      findings.add(.sqliteMetadataRow, place, "The table has more than one row.")
    }
    guard var values, let uuid else { return nil }
    values[StoreMetadata.Key.uuid] = .string(uuid.uuidString)
    return StoreMetadata(values: values)
  }

  private func list(_ bytes: [UInt8], _ place: Place) -> [String: PropertyList]? {
    do {
      if case .dictionary(let values) = try BinaryPropertyList.read(bytes) { return values }
      findings.add(.sqliteMetadata, place, "Z_PLIST is not a dictionary.")
    } catch {
      findings.add(.sqliteMetadata, place, "Z_PLIST: \(error)")
    }
    return nil
  }

  /// Returns the version hashes in metadata; `nil` if they are missing.
  private func hashes(_ metadata: StoreMetadata) -> [String: VersionHash]? {
    let place = Place("Z_METADATA")
    if let type = metadata.values[StoreMetadata.Key.type],
      type.string != StoreType.sqlite.rawValue
    {
      findings.add(
        .metadataType, place, "'NSStoreType' is \(type.string.map { "'\($0)'" } ?? "not a text").")
    }
    guard metadata.values[StoreMetadata.Key.versionHashes] != nil else { return nil }
    guard let hashes = metadata.versionHashes else {
      findings.add(
        .hashForm, place, "The hashes are not a dictionary of entities with 32 bytes each.")
      return nil
    }
    if let digest = metadata.values[StoreMetadata.Key.versionHashesDigest],
      digest.string != Model.versionHashesDigest(of: hashes)
    {
      findings.add(.hashDigest, place, "The digest differs from the digest of the hashes.")
    }
    return hashes
  }

  // MARK: - The model cache

  private func cachedModel(
    _ connection: SQLiteConnection, _ tables: DatabaseTables
  ) throws(SQLiteError) -> Model? {
    guard tables.has("Z_MODELCACHE", "Z_CONTENT") else { return nil }
    let statement = try connection.prepare(
      "SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1", isKept: false)
    guard try statement.step(), statement.kind(0) != .null else { return nil }
    let place = Place("Z_MODELCACHE")
    guard statement.kind(0) == .blob else {
      findings.add(
        .sqliteCache, place, "The column Z_CONTENT contains \(statement.value(0).words).")
      return nil
    }
    do {
      let archive = try statement.withBytes(0) {
        try Deflate.expandRaw($0, upTo: StoreContents.maximumModelByteCount)
      }
      return try CompiledModel.readModel(archive, path: "Z_MODELCACHE")
    } catch {
      findings.add(.sqliteCache, place, "\(error)")
      return nil
    }
  }
}
