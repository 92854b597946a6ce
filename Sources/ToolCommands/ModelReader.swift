import ObjectModel

/// Where commands get their models from: files, or in a test whatever it hands out.
struct ModelReader: Sendable {
  /// The models that a path leads to.
  let read: @Sendable (_ path: String) throws -> ModelVersions

  /// Reads model files.
  static let files = ModelReader { path in try ModelVersions.read(path) }

  /// The one model that a path leads to: the named version, or the current one.
  func model(at path: String, version: String? = nil) throws -> ModelVersions.Version {
    let versions = try read(path)
    let wanted = version ?? versions.currentName
    guard let chosen = versions.versions.first(where: { $0.name == wanted }) else {
      let names = versions.versions.map(\.name)
      throw CommandError.unknown(
        "version", wanted, in: "of '\(path)'", known: names,
        otherwise: "It has \(names.map { "'\($0)'" }.joined(separator: ", ")).")
    }
    return chosen
  }
}
