import BlockFileFormat
import Foundation
import ModelNotations
import ObjectModel
import PropertyLists
import Rows
import StoreInterface

/// The readable metadata, models and schemas of a file.
struct Contents {
  var metadata: StoreMetadata?
  var model: Model?
  var schema: Schema?
  /// The models and schemas of all commits, by their offsets.
  var models: [UInt64: Model] = [:]
  var schemas: [UInt64: Schema] = [:]
}

extension BlockFileCheck {
  /// Checks metadata, models and schemas, each against its checksum and on its own.
  ///
  /// - Returns: The sections, with `metadata`, `model` and `schema` of the newest commit.
  func checkSections(_ header: FileHeader, _ newest: CommitRecord?) throws -> Contents {
    var contents = Contents()
    for part in parts.all where !part.checksums.isEmpty && !part.isShared && part.kind != .page {
      let bytes = try bytes(part.range)
      let wrong = part.checksums.filter { $0 != bytes.checksum }
      for stored in wrong {
        findings.add(
          .sectionChecksum, part.place,
          "The stored checksum \(hex(stored)) differs from the computed \(hex(bytes.checksum)).")
      }
      if !wrong.isEmpty { continue }
      switch part.kind {
      case .metadata:
        let metadata = metadata(bytes, part.place, header)
        if part.range.lowerBound == newest?.metadata.offset { contents.metadata = metadata }
      case .model:
        let model = model(bytes, part.place)
        contents.models[part.range.lowerBound] = model
        if part.range.lowerBound == newest?.model.offset { contents.model = model }
      default:
        let schema = schema(bytes, part)
        contents.schemas[part.range.lowerBound] = schema
        indexNumbers.formUnion(schema?.indexes.map(\.number) ?? [])
        if part.range.lowerBound == newest?.schema.offset { contents.schema = schema }
      }
    }
    return contents
  }

  // MARK: - Metadata

  /// Checks metadata on their own and against the header (spec §4.6.1, §4.6.5).
  private func metadata(
    _ bytes: [UInt8], _ place: Place, _ header: FileHeader
  ) -> StoreMetadata? {
    let metadata: StoreMetadata
    do {
      guard case .dictionary(let values) = try BinaryPropertyList.read(bytes) else {
        findings.add(.metadataForm, place, "The metadata are not a dictionary.")
        return nil
      }
      metadata = StoreMetadata(values: values)
    } catch {
      findings.add(.metadataForm, place, "\(error)")
      return nil
    }
    if let uuid = metadata.uuid {
      if uuid != header.uuid {
        findings.add(
          .headerUUID, place, "The UUID is \(uuid), but the header's UUID is \(header.uuid).")
      }
    } else {
      findings.add(.metadataUUID, place, "The metadata have no UUID under 'NSStoreUUID'.")
    }
    let expected: StoreType = header.isCompressed ? .compressed : .binary
    if let type = metadata.type {
      if type != expected {
        findings.add(
          .headerType, place,
          "The type is '\(type.rawValue)', but the header's flags give '\(expected.rawValue)'.")
      }
    } else {
      findings.add(.metadataType, place, "The metadata have no text under 'NSStoreType'.")
    }
    if let fault = metadata.faultOfLanes { findings.add(.lanes, place, fault) }
    guard let hashes = metadata.versionHashes else {
      findings.add(
        .hashForm, place,
        "'NSStoreModelVersionHashes' in the metadata is not a dictionary of entities with 32 bytes each."
      )
      return metadata
    }
    let digest = metadata.values[StoreMetadata.Key.versionHashesDigest]?.string
    if digest != Model.versionHashesDigest(of: hashes) {
      findings.add(
        .hashDigest, place,
        "The digest is \(digest.map { "'\($0.prefix(20))…'" } ?? "missing"), but the digest of the "
          + "hashes is '\(Model.versionHashesDigest(of: hashes).prefix(20))…'.")
    }
    return metadata
  }

  // MARK: - Model and schema

  private func model(_ bytes: [UInt8], _ place: Place) -> Model? {
    do {
      return try Model(ModelSource.read(bytes, path: "the model"))
    } catch let error as ModelError {
      for fault in error.faults { findings.add(.modelFaults, place, "\(fault)") }
    } catch {
      findings.add(.modelForm, place, "\(error)")
    }
    return nil
  }

  private func schema(_ bytes: [UInt8], _ part: FileParts.Part) -> Schema? {
    do {
      return try SchemaCoding.read(bytes, at: part.range.lowerBound)
    } catch {
      findings.add(.schemaForm, part.place, "\(error)")
      return nil
    }
  }
}
