import Foundation
import ModelNotations
import ObjectModel
import PropertyLists
import Rows
import StoreInterface

/// The check of a document's metadata (spec §5.5).
struct XMLMetadataCheck {
  private let values: [String: PropertyList]
  private let place: Place
  private let findings: Findings

  init(_ values: [String: PropertyList], _ place: Place, _ findings: Findings) {
    self.values = values
    self.place = place
    self.findings = findings
  }

  /// Whether the metadata contain a model.
  var hasModel: Bool { values["QuireModel"] != nil }

  /// Returns the model of the objects: the document's own, or else the given one; `nil` if both are missing, or
  /// the document's model can't be read.
  func model(_ given: Model?) -> Model? {
    checkParts()
    let hashes = checkHashes()
    var own: Model?
    if let text = values["QuireModel"] {
      guard let text = text.string else {
        findings.add(.xmlMetadataParts, place, "'QuireModel' is not a text.")
        return nil
      }
      do { own = try Model(ModelSource.read(Array(text.utf8), path: "the model")) } catch let error
        as ModelError
      {
        for fault in error.faults { findings.add(.modelFaults, place, "\(fault)") }
        return nil
      } catch {
        findings.add(.modelForm, place, "\(error)")
        return nil
      }
    }
    if let own { findings.addOddities(of: own, place) }
    if let hashes, let own {
      let configurations = own.description.configurations.map { Optional($0.name) }
      if !(configurations + [nil]).contains(where: {
        own.isCompatible(with: hashes, configuration: $0)
      }) {
        findings.add(.modelHashes, place, "\(own.differences(from: hashes))")
      }
    }
    if let hashes, let given {
      let differences = given.differences(from: hashes)
      if !differences.isEmpty { findings.add(.givenModel, place, "\(differences)") }
    }
    return own ?? given
  }

  private func checkHashes() -> [String: VersionHash]? {
    let metadata = StoreMetadata(values: values)
    guard values[StoreMetadata.Key.versionHashes] != nil else { return nil }
    guard let hashes = metadata.versionHashes else {
      findings.add(
        .hashForm, place, "The hashes are not a dictionary of entities with 32 bytes each.")
      return nil
    }
    if let digest = values[StoreMetadata.Key.versionHashesDigest],
      digest.string != Model.versionHashesDigest(of: hashes)
    {
      findings.add(.hashDigest, place, "The digest differs from the digest of the hashes.")
    }
    return hashes
  }

  private func checkParts() {
    if let fault = StoreMetadata(values: values).faultOfLanes {
      findings.add(.lanes, place, fault)
    }
    if let exact = values["QuireValues"] {
      if let bytes = exact.data, case .dictionary? = try? BinaryPropertyList.read(Array(bytes)) {
      } else {
        findings.add(
          .xmlMetadataParts, place, "'QuireValues' is not a binary property list of a dictionary.")
      }
    }
  }

  /// Returns the schema of the model, with the entity numbers of the document (spec §5.5.4).
  func schema(_ model: Model) -> Schema? {
    guard let numbers = values["QuireEntityNumbers"] else { return try? Schema(model) }
    do {
      let layouts = try (numbers.dictionary ?? [:]).map { name, value in
        guard let number = value.integer.flatMap({ UInt16(exactly: $0) }), number > 0 else {
          throw SchemaFault(description: "The number of '\(name.prefix(60))' is not valid.")
        }
        return Layout(entity: name, entityNumber: number, columns: [])
      }
      let highest = values["QuireHighestEntityNumber"]?.integer.flatMap { UInt16(exactly: $0) }
      return try Schema(
        model,
        evolving: Schema(
          layouts: layouts, highestEntityNumber: highest ?? 0, highestPropertyNumbers: [:]),
        of: model)
    } catch {
      findings.add(.xmlMetadataParts, place, "'QuireEntityNumbers': \(error)")
      return nil
    }
  }

  private struct SchemaFault: Error, CustomStringConvertible {
    let description: String
  }
}
