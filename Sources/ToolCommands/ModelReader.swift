import ObjectModel

/// Where commands get their models from: files, or in a test whatever it hands out.
struct ModelReader: Sendable {
  /// The models that a path leads to.
  let read: @Sendable (_ path: String) throws -> ModelVersionList

  /// The one model that a path leads to: the named version, or the current one.
  func model(at path: String, version: String? = nil) throws -> NamedModel {
    let list = try read(path)
    guard let version else { return list.versions[list.current] }
    guard let chosen = list.versions.first(where: { $0.name == version }) else {
      let names = list.versions.map(\.name)
      throw CommandError.unknown(
        "version", version, in: "of '\(path)'", known: names,
        otherwise: "It has \(names.map { "'\($0)'" }.joined(separator: ", ")).")
    }
    return chosen
  }
}

/// The versions of a model that a path leads to.
struct ModelVersionList: Sendable {
  /// The versions in the order of their names; never empty.
  let versions: [NamedModel]
  /// The position of the version that is used unless another is named.
  let current: Int
}

/// One version of a model and what it is called.
struct NamedModel: Sendable {
  let name: String
  let model: Model
}
