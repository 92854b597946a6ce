import Foundation

// This file contains the decisions of the plug-in and uses nothing of SwiftPM, so tests can compile and run it
// separately.

/// The models in a target's folder, and the settings for their classes.
struct TargetModels {
  private let models: [URL]
  private let settings: Settings

  /// Finds the models and reads the settings.
  ///
  /// - Throws: `PluginError` if the settings are invalid, or if the classes of two models would be in the same file.
  init(in folder: URL) throws {
    settings = try Settings(in: folder)
    models = Self.models(in: folder)
    var known: [String: URL] = [:]
    for model in models {
      // Some disks ignore the case of letters in file names.
      if let other = known.updateValue(model, forKey: Self.name(of: model).lowercased()) {
        throw PluginError(
          "\(other.path) and \(model.path) have the same name, so the plug-in would write the same file twice."
        )
      }
    }
  }

  /// Whether the folder contains no model.
  var isEmpty: Bool { models.isEmpty }

  /// One call of `quire-classes`.
  struct Making {
    let model: URL
    let arguments: [String]
    /// The files on which the output depends.
    let inputs: [URL]
    let output: URL
  }

  /// Returns the calls that generate the classes of each model, for a module.
  func makings(into folder: URL, module: String?) -> [Making] {
    models.map { model in
      let output = folder.appending(path: "\(Self.name(of: model))+Classes.swift")
      let words = [
        model.path, output.path, settings.access ?? "public", settings.unmarkedEntities ?? "class",
      ]
      return Making(
        model: model, arguments: words + (module.map { [$0] } ?? []),
        inputs: Self.inputs(of: model) + settings.files, output: output)
    }
  }

  private static func name(of model: URL) -> String {
    model.deletingPathExtension().lastPathComponent
  }

  /// Returns the models in a folder, in the order of their paths.
  private static func models(in folder: URL) -> [URL] {
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

  /// Returns the inputs of a model's classes: the files of all versions, and the model's folder itself. SwiftPM
  /// needs the folder to see that the plug-in handles the model.
  private static func inputs(of model: URL) -> [URL] {
    let paths = (try? FileManager.default.subpathsOfDirectory(atPath: model.path)) ?? []
    let names: Set = ["contents", ".xccurrentversion"]
    return [model]
      + paths.sorted().map { model.appending(path: $0) }
      .filter { names.contains($0.lastPathComponent) }
  }
}

/// The contents of `GenerateModel.json`: `{"access": "internal", "unmarkedEntities": "none"}`.
private struct Settings {
  var access: String?
  var unmarkedEntities: String?
  /// The settings file; empty if it does not exist.
  var files: [URL] = []

  init(in folder: URL) throws {
    let file = folder.appending(path: "GenerateModel.json")
    guard FileManager.default.fileExists(atPath: file.path) else { return }
    guard let bytes = FileManager.default.contents(atPath: file.path) else {
      throw PluginError("\(file.path) can't be read.")
    }
    let values: [String: String]
    do { values = try JSONDecoder().decode([String: String].self, from: bytes) } catch {
      throw PluginError("\(file.path) is not a JSON object of texts: \(error)")
    }
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      switch key {
      case "access": access = try Self.one(of: ["public", "package", "internal"], value, key, file)
      case "unmarkedEntities":
        unmarkedEntities = try Self.one(of: ["class", "category", "none"], value, key, file)
      default:
        throw PluginError(
          "\(file.path) has the unknown key '\(key)'. The known keys are 'access' and 'unmarkedEntities'."
        )
      }
    }
    files = [file]
  }

  private static func one(
    of choices: [String], _ value: String, _ key: String, _ file: URL
  ) throws -> String {
    guard choices.contains(value) else {
      throw PluginError(
        "\(file.path) has '\(value)' for '\(key)'. The possible values are \(choices.joined(separator: ", "))."
      )
    }
    return value
  }
}

/// The reason why no command could be created.
private struct PluginError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
