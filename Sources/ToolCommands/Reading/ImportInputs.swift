import CommandInterface
import Comparison
import DurableFiles
import Foundation
import Interchange
import StoreInterface

extension Option {
  /// The encoding of imported text.
  static let encoding = Option(
    "encoding", value: "NAME", choices: TextEncoding.allCases.map(\.rawValue),
    "The encoding of the files, if it is not UTF-8.")
  /// The sign between the cells of imported tables.
  static let delimiter = Option(
    "delimiter", value: "SIGN", choices: ImportFile.delimiters.map(\.key),
    "The sign between the cells of a table. The default is the one that the first line contains most often."
  )
  /// The decimal sign of imported tables.
  static let decimal = Option(
    "decimal", value: "SIGN", choices: [".", ","],
    "The sign before the decimal places of the numbers in a table: a point, which is the default, or a comma as in 1.234,50."
  )
  /// The names of the model for names in imported files.
  static let names = Option(
    "map", value: "NAMES",
    "The names of the model for names in the files: Start=start,guides=Guide,stops.city=place, for tables, columns, "
      + "and columns of one table. A column without a name, such as legacy=, is left out.")
}

/// Opens the files that a command imports.
///
/// A command reads its files more than once, so pipes and standard input are copied to temporary files.
struct ImportInputs {
  private let invocation: Invocation
  private let disk: any Disk
  private let place: String
  /// The names of the model for names in the files.
  let names: ImportNames
  private var hasReadInput = false

  /// - Parameter place: The path beside which the copies of pipes are made.
  /// - Throws: ``CommandError`` if the command line contains names that are not pairs.
  init(_ invocation: Invocation, _ disk: any Disk, beside place: String) throws {
    self.invocation = invocation
    self.disk = disk
    self.place = place
    guard let text = invocation.value(of: .names) else {
      names = ImportNames()
      return
    }
    do { names = try ImportNames(text) } catch {
      throw CommandError.wrongUsage(
        "'\(oneLine(error.part))' is not a pair of names.",
        hint: "Write --map 'NAME IN THE FILE=NAME', and several with commas between.")
    }
  }

  /// The endings of the files of a folder that are read.
  private static let endings = [".csv", ".json", ".jsonl", ".ndjson"]

  /// Opens a file or a pipe as the tables in it, or a folder as the tables of its files.
  mutating func tables(_ path: String) throws -> [ImportFile] {
    if path != "-", (try? disk.status(of: path).kind) == .directory {
      let names = try disk.list(path).map(\.name).filter { name in
        ImportInputs.endings.contains { name.lowercased().hasSuffix($0) }
      }
      guard !names.isEmpty else {
        throw CommandError(
          .unreadable,
          "The folder '\(oneLine(path))' contains no file that ends in \(ImportInputs.endings.joined(separator: ", "))."
        )
      }
      return try names.sorted().flatMap { try tables(path.appendingPathComponent($0)) }
    }
    let file = try open(path, .csv, entity: nil)
    return try JSONTables.isJSON(file) ? tables(in: file) : [file]
  }

  /// Splits a file of JSON into tables.
  func tables(in file: ImportFile) throws -> [ImportFile] {
    var json = try JSONTables(file)
    return try json.write { try scratchFile($0) }.map(named)
  }

  /// Opens a document or a store as tables, one for each entity with objects. A line of a table is an object.
  mutating func tables(ofStore path: String, in places: StorePlaces) throws -> [ImportFile] {
    let place = try ComparedPlace(path, in: places)
    defer { place.close() }
    return try place.stores.flatMap { store in
      let snapshot = try store.store.snapshot()
      for text in try snapshot.metadata.modelNotes { try note(oneLine(text)) }
      let export = try ObjectExport(of: snapshot, as: .jsonl)
      return try export.entities.filter { try export.count(of: $0) > 0 }.map { entity in
        let file = try scratchFile(path)
        try export.write(entity) { bytes in try file.append(bytes) }
        var table = ImportFile(file, name: "\(path): \(entity)", format: .jsonl)
        table.table = entity
        return named(table)
      }
    }
  }

  /// Opens a file or a pipe as text in UTF-8; `-` is standard input.
  mutating func open(
    _ path: String, _ format: ExchangeFormat, entity: String?
  ) throws -> ImportFile {
    let file = try openBytes(path, format, entity: entity)
    let mark = try file.file.read(byteCount: min(2, file.byteCount), at: 0)
    let chosen = invocation.value(of: .encoding).flatMap(TextEncoding.init(rawValue:))
    var text = named(file)
    if let encoding = chosen ?? TextEncoding(mark: mark) {
      let copy = try scratchFile(path)
      guard try encoding.convert(file.file, to: copy) else {
        throw CommandError(
          .unreadable, "'\(oneLine(path))' is not text in \(encoding.rawValue).",
          hint:
            "The encodings are utf-8, which needs no option, \(TextEncoding.allCases.map(\.rawValue).joined(separator: ", "))."
        )
      }
      text = named(ImportFile(copy, name: file.name, format: format, entity: entity))
      if chosen == nil { try note("'\(oneLine(file.name))' is text in \(encoding.rawValue).") }
    }
    guard format == .csv, try !JSONTables.isJSON(text) else { return text }
    text.hasDecimalCommas = invocation.value(of: .decimal) == ","
    if let sign = invocation.value(of: .delimiter) {
      text.delimiter = ImportFile.delimiters.first { $0.key == sign }!.value
      return text
    }
    try text.findDelimiter()
    if let sign = ImportFile.delimiters.first(where: { $0.value == text.delimiter })?.key,
      sign != ","
    {
      try note(
        "'\(oneLine(file.name))' has \(sign.count == 1 ? "'\(sign)'" : "a \(sign)") between its cells. Another sign is given with --delimiter."
      )
    }
    return text
  }

  private func named(_ file: ImportFile) -> ImportFile {
    var file = file
    file.names = names
    return file
  }

  private func note(_ text: String) throws { try invocation.write(notes: [text]) }

  private mutating func openBytes(
    _ path: String, _ format: ExchangeFormat, entity: String?
  ) throws -> ImportFile {
    func file(_ file: DurableFile, _ name: String) -> ImportFile {
      ImportFile(file, name: name, format: format, entity: entity)
    }
    if isStandardInput(path) {
      guard !hasReadInput else {
        throw CommandError.wrongUsage("Standard input can be read only once.")
      }
      hasReadInput = true
      let name = path == "-" ? "standard input" : path
      let input = invocation.console.input
      return file(try copied(name) { try input.read(upTo: $0) }, name)
    }
    guard try disk.statusIfThere(path)?.kind == .special else {
      return file(try disk.open(path, for: .read), path)
    }
    let pipe: FileHandle
    do { pipe = try FileHandle(forReadingFrom: URL(filePath: path)) } catch {
      throw CommandError(
        .inputOutput, "Can't read '\(oneLine(path))': \(Console.reason(of: error)).")
    }
    defer { try? pipe.close() }
    return file(
      try copied(path) { most in
        do { return Array(try pipe.read(upToCount: most) ?? Data()) } catch {
          throw CommandError(
            .inputOutput, "Can't read '\(oneLine(path))': \(Console.reason(of: error)).")
        }
      }, path)
  }

  /// Returns whether a path means standard input and can't be opened as a separate file.
  private func isStandardInput(_ path: String) -> Bool {
    if path == "-" { return true }
    guard ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains(path) else { return false }
    return (try? disk.status(of: path).kind) != .file
  }

  /// Copies the bytes of a pipe into a file without a name, which the system removes when the process ends.
  private func copied(_ name: String, _ read: (Int) throws -> [UInt8]) throws -> DurableFile {
    let file = try scratchFile(name)
    while true {
      let bytes = try read(1 << 18)
      if bytes.isEmpty { return file }
      do { try file.append(bytes) } catch {
        throw CommandError(
          .inputOutput, "'\(oneLine(name))' can't be copied to a temporary file. \(error.message)",
          hint: "Write the objects to a file, and give the path of the file.")
      }
    }
  }

  /// Creates a file beside the command's store, or else in the system's temporary folder, and removes its name at once.
  private func scratchFile(_ name: String) throws -> DurableFile {
    let system = FileManager.default.temporaryDirectory.path(percentEncoded: false)
    var failure: DiskError?
    for place in [place.trimmingSlashes, system.appendingPathComponent("quire-import")] {
      let path = disk.temporaryPath(for: place)
      do throws(DiskError) {
        let file = try disk.open(
          path, for: .create, permissions: FilePermissions(rawValue: 0o600))
        try disk.remove(path)
        return file
      } catch {
        failure = failure ?? error
        try? disk.remove(path)
      }
    }
    throw CommandError(
      .inputOutput,
      "'\(oneLine(name))' can't be copied to a temporary file. \(failure?.message ?? "")",
      hint: "Write the objects to a file, and give the path of the file.")
  }
}
