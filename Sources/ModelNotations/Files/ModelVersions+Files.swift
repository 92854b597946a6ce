import Foundation
import ObjectModel
import XMLEvents

extension ModelVersions {
  /// Reads the models in a file: `.model`, `.json`, `.xcdatamodeld`, `.xcdatamodel`, a plain `contents` file, `.momd`
  /// or `.mom`.
  ///
  /// - Throws: ``ModelFileError`` that names the file, the place and the reason.
  public static func read(_ path: String) throws(ModelFileError) -> ModelVersions {
    let url = URL(fileURLWithPath: path)
    guard
      let kind = try? FileManager.default.attributesOfItem(
        atPath: url.resolvingSymlinksInPath().path)[.type]
    else { throw ModelFileError(.notFound, path: path, message: "The file does not exist.") }
    let isFolder = kind as? FileAttributeType == .typeDirectory
    switch url.pathExtension.lowercased() {
    case "xcdatamodeld" where isFolder: return try readVersions(url)
    case "xcdatamodel" where isFolder:
      guard !isInOldFormat(url) else {
        throw ModelFileError(
          .oldFormat, path: url.relativePath,
          message: "The model \(oldFormatWords) Save it with a later Xcode.")
      }
      return single(url, try readSource(url.appendingPathComponent("contents")))
    case "momd" where isFolder: return try CompiledModel.readVersions(url)
    case _ where isFolder:
      throw ModelFileError(
        .unknownFormat, path: path,
        message: "The name of a model folder must end in .xcdatamodeld, .xcdatamodel or .momd.")
    default: return try readFile(url)
    }
  }

  private static func single(_ url: URL, _ model: Model) -> ModelVersions {
    let name = url.deletingPathExtension().lastPathComponent
    return ModelVersions([Version(name, model: model)], currentName: name)
  }

  /// Returns whether a version's folder contains the file of Apple's editor before Xcode 4, and not the later file.
  private static func isInOldFormat(_ folder: URL) -> Bool {
    func has(_ name: String) -> Bool {
      FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path)
    }
    return has("elements") && !has("contents")
  }

  /// The end of a sentence about a version in the old format.
  private static let oldFormatWords =
    "has the unsupported format of Xcode before version 4: a file 'elements' instead of 'contents'."

  /// Reads a single file with any name, and determines the format from the content.
  private static func readFile(_ url: URL) throws(ModelFileError) -> ModelVersions {
    let bytes = try ModelFile.bytes(url)
    if bytes.starts(with: Array("bplist".utf8)) {
      return single(url, try CompiledModel.readModel(bytes, path: url.relativePath))
    }
    let first = bytes.first { !" \t\r\n\u{FEFF}".utf8.contains($0) }
    if first == UInt8(ascii: "{") || url.pathExtension.lowercased() == ModelJSON.pathExtension {
      let (version, model) = try ModelJSON.model(bytes, path: url.relativePath)
      return version.map { ModelVersions([Version($0, model: model)], currentName: $0) }
        ?? single(url, model)
    }
    guard first == UInt8(ascii: "<") else {
      guard url.pathExtension.lowercased() == ModelText.pathExtension || ModelText.mayBegin(bytes)
      else {
        throw ModelFileError(
          .unknownFormat, path: url.relativePath,
          message:
            "The file is neither the text, the JSON nor the XML source of a model, nor a compiled model."
        )
      }
      return single(url, try ModelText.model(bytes, path: url.relativePath))
    }
    if beginsWithPropertyList(bytes) {
      return single(url, try CompiledModel.readModel(bytes, path: url.relativePath))
    }
    return single(
      url,
      try ModelFile.checked(
        try ModelSource.read(bytes, path: url.relativePath), path: url.relativePath))
  }

  /// Returns whether the first element of XML is a property list. Some tools write compiled models in this form.
  private static func beginsWithPropertyList(_ bytes: [UInt8]) -> Bool {
    let start = String(decoding: bytes.prefix(4096), as: UTF8.self)
    let end = start.range(of: "<plist")?.lowerBound
    let other = start.range(of: "<model")?.lowerBound
    return end.map { end in other.map { end < $0 } ?? true } ?? false
  }

  private static func readSource(_ url: URL) throws(ModelFileError) -> Model {
    let description = try ModelSource.read(ModelFile.bytes(url), path: url.relativePath)
    return try ModelFile.checked(description, path: url.relativePath)
  }

  private static func readVersions(_ url: URL) throws(ModelFileError) -> ModelVersions {
    let names = try ModelFile.names(in: url, withExtension: "xcdatamodel")
    guard !names.isEmpty else {
      throw ModelFileError(
        .damaged, path: url.relativePath, message: "The folder contains no .xcdatamodel.")
    }
    var versions: [Version] = []
    var oldVersions: [OldVersion] = []
    for name in names {
      let folder = url.appendingPathComponent(name + ".xcdatamodel")
      if isInOldFormat(folder) {
        oldVersions.append(OldVersion(name, path: folder.path))
        continue
      }
      let model = try readSource(folder.appendingPathComponent("contents"))
      versions.append(Version(name, model: model))
    }
    let own = url.deletingPathExtension().lastPathComponent
    let named = try currentName(in: url)
    if let named, !names.contains(named) {
      throw ModelFileError(
        .unknownVersion, path: url.appendingPathComponent(".xccurrentversion").relativePath,
        message: "The current version is '\(named)', but the folder contains "
          + names.map { "'\($0)'" }.joined(separator: ", ") + ".")
    }
    let current = named ?? (names.contains(own) ? own : names[names.count - 1])
    guard !oldVersions.contains(where: { $0.name == current }) else {
      let others = versions.map { "'\($0.name)'" }.joined(separator: ", ")
      throw ModelFileError(
        .oldFormat, path: url.relativePath,
        message: """
          The current version '\(current)' \(oldFormatWords) Save it with a later Xcode\
          \(others.isEmpty ? "." : ", or give the path of another version (\(others)).")
          """)
    }
    var all = ModelVersions(versions, currentName: current)
    all.oldVersions = oldVersions
    return all
  }

  /// Returns the version that `.xccurrentversion` names; `nil` when the file does not exist.
  private static func currentName(in url: URL) throws(ModelFileError) -> String? {
    let file = url.appendingPathComponent(".xccurrentversion")
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    let root = try XMLTree.read(ModelFile.bytes(file), path: file.relativePath)
    let entries = root.children.first { $0.name == "dict" }?.children ?? []
    for (key, value) in zip(entries, entries.dropFirst())
    where key.name == "key" && key.text == "_XCCurrentVersionName" && value.name == "string" {
      let suffix = ".xcdatamodel"
      return value.text.hasSuffix(suffix)
        ? String(value.text.dropLast(suffix.count)) : value.text
    }
    return nil
  }
}

extension ModelVersions {
  /// Writes the models as source. The path's ending selects a `.xcdatamodeld` folder, or the current version alone in a
  /// `.xcdatamodel` folder, or in a `.model` or `.json` file.
  ///
  /// Versions with the same names are replaced; all other versions in the folder stay.
  ///
  /// - Throws: ``ModelFileError`` that names the file and the reason.
  public func write(to path: String) throws(ModelFileError) {
    let url = URL(fileURLWithPath: path)
    switch url.pathExtension.lowercased() {
    case ModelText.pathExtension: try ModelFile.write(Array(ModelText.write(current).utf8), to: url)
    case ModelJSON.pathExtension:
      try ModelFile.write(Array(ModelJSON.write(current, version: currentName).utf8), to: url)
    case "xcdatamodel": try write(current, to: url)
    case "xcdatamodeld":
      for version in versions {
        try write(version.model, to: url.appendingPathComponent(version.name + ".xcdatamodel"))
      }
      try ModelFile.write(currentVersionList, to: url.appendingPathComponent(".xccurrentversion"))
    default:
      throw ModelFileError(
        .unknownFormat, path: path,
        message:
          "The name of a written model must end in .model, .json, .xcdatamodeld or .xcdatamodel.")
    }
  }

  private func write(_ model: Model, to folder: URL) throws(ModelFileError) {
    let bytes: [UInt8]
    do { bytes = try ModelSource.write(model) } catch {
      throw ModelFileError(
        .invalidModel, path: folder.relativePath,
        message: "The model can't be written as XML: \(error)",
        cause: error)
    }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw ModelFileError(
        .unreadable, path: folder.relativePath, message: "The folder can't be created.",
        cause: error)
    }
    try ModelFile.write(bytes, to: folder.appendingPathComponent("contents"))
  }

  private var currentVersionList: [UInt8] {
    var escaped = ""
    for character in currentName {
      switch character {
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "&": escaped += "&amp;"
      default: escaped.append(character)
      }
    }
    return Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
      "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
      \t<key>_XCCurrentVersionName</key>
      \t<string>\(escaped).xcdatamodel</string>
      </dict>
      </plist>

      """.utf8)
  }
}

/// Functions for files and folders of models.
enum ModelFile {
  /// The greatest size of a model file. A larger file is not read into memory.
  static let maximumByteCount = 256 << 20

  static func bytes(_ url: URL) throws(ModelFileError) -> [UInt8] {
    do {
      let size = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int ?? 0
      guard size <= maximumByteCount else {
        throw ModelFileError(
          .damaged, path: url.relativePath,
          message: "The file has \(size) bytes, more than a model may have.")
      }
      // Foundation leaks a page for each empty file that it reads.
      return size == 0 ? [] : Array(try Data(contentsOf: url))
    } catch let error as ModelFileError {
      throw error
    } catch {
      let isMissing = !FileManager.default.fileExists(atPath: url.path)
      throw ModelFileError(
        isMissing ? .notFound : .unreadable, path: url.relativePath,
        message: isMissing ? "The file does not exist." : "The file can't be read.", cause: error)
    }
  }

  static func write(_ bytes: [UInt8], to url: URL) throws(ModelFileError) {
    do { try Data(bytes).write(to: url, options: .atomic) } catch {
      throw ModelFileError(
        .unreadable, path: url.relativePath, message: "The file can't be written.", cause: error)
    }
  }

  /// Returns the names of the entries with the given ending, without the ending: `V2` before `V10`.
  static func names(in url: URL, withExtension ending: String) throws(ModelFileError) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: url.path)
        .filter { $0.hasSuffix("." + ending) }
        .map { String($0.dropLast(ending.count + 1)) }
        .sorted { $0.compare($1, options: .numeric) == .orderedAscending }
    } catch {
      throw ModelFileError(
        .unreadable, path: url.relativePath, message: "The folder can't be read.", cause: error)
    }
  }

  /// Returns the model of a description, or throws an error that names the file.
  static func checked(
    _ description: Model.Description, path: String
  ) throws(ModelFileError) -> Model {
    do { return try Model(description) } catch {
      throw ModelFileError(
        .invalidModel, path: path, message: "The model has faults.\n\(error)", cause: error)
    }
  }
}
