import Foundation
import PackagePlugin

/// Makes typed classes of each model in a target while the target is built.
///
///     .target(
///       name: "Trips",
///       dependencies: [.product(name: "Quire", package: "quire")],
///       plugins: [.plugin(name: "GenerateModel", package: "quire")])
///
/// A model is a `.xcdatamodeld` or `.xcdatamodel` anywhere in the target's folder. Its classes are in one
/// file, since the names of files must be known before the model is read. A `GenerateModel.json` in the
/// target's folder chooses what the models do not say; docs/typed-classes.md describes it.
@main
struct GenerateModel: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) async throws -> [Command] {
    let folder = target.directoryURL
    let settings = try Settings(in: folder)
    let tool = try context.tool(named: "quire-classes").url
    var commands: [Command] = []
    var models: [String: URL] = [:]
    for model in try Self.models(in: folder) {
      let name = model.deletingPathExtension().lastPathComponent
      if let other = models.updateValue(model, forKey: name.lowercased()) {
        throw PluginError(
          "\(other.path) and \(model.path) have the same name, and would make the same file.")
      }
      let output = context.pluginWorkDirectoryURL.appending(path: "\(name)+Classes.swift")
      commands.append(
        .buildCommand(
          displayName: "Making classes of \(model.lastPathComponent)", executable: tool,
          arguments: [
            model.path, output.path, settings.access ?? "public",
            settings.unmarkedEntities ?? "class",
          ] + (target.sourceModule.map { [$0.moduleName] } ?? []),
          inputFiles: try Self.inputs(of: model) + settings.files, outputFiles: [output]))
    }
    if commands.isEmpty {
      Diagnostics.warning("The target '\(target.name)' has no .xcdatamodeld and no .xcdatamodel.")
    }
    return commands
  }

  /// The models in a folder, in the order of their paths.
  private static func models(in folder: URL) throws -> [URL] {
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    var models: [URL] = []
    while let file = files?.nextObject() as? URL {
      if ["xcdatamodeld", "xcdatamodel"].contains(file.pathExtension) {
        models.append(file)
        files?.skipDescendants()
      }
    }
    return models.sorted { $0.path < $1.path }
  }

  /// What the classes depend on: the files of all versions, and the folder itself, so that SwiftPM knows
  /// that somebody takes care of it.
  private static func inputs(of model: URL) throws -> [URL] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: model.path).sorted()
    let names: Set = ["contents", ".xccurrentversion"]
    return [model]
      + paths.map { model.appending(path: $0) }.filter { names.contains($0.lastPathComponent) }
  }
}

/// What `GenerateModel.json` says: `{"access": "internal", "unmarkedEntities": "none"}`.
private struct Settings {
  var access: String?
  var unmarkedEntities: String?
  /// The file itself, where there is one.
  var files: [URL] = []

  init(in folder: URL) throws {
    let file = folder.appending(path: "GenerateModel.json")
    guard let bytes = FileManager.default.contents(atPath: file.path) else { return }
    let values: [String: String]
    do { values = try JSONDecoder().decode([String: String].self, from: bytes) } catch {
      throw PluginError("\(file.path) is no JSON object of texts: \(error)")
    }
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      switch key {
      case "access": access = try Self.one(of: ["public", "package", "internal"], value, key, file)
      case "unmarkedEntities":
        unmarkedEntities = try Self.one(of: ["class", "category", "none"], value, key, file)
      default:
        throw PluginError(
          "\(file.path) has a '\(key)'; there are only 'access' and 'unmarkedEntities'.")
      }
    }
    files = [file]
  }

  private static func one(
    of choices: [String], _ value: String, _ key: String, _ file: URL
  ) throws -> String {
    guard choices.contains(value) else {
      throw PluginError(
        "\(file.path) has '\(value)' for '\(key)'; there are \(choices.joined(separator: ", ")).")
    }
    return value
  }
}

/// Why no command could be made.
private struct PluginError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
