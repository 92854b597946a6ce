import CommandInterface
import Comparison
import DurableFiles
import Foundation
import Interchange
import StoreInterface

/// Opens the files that a command imports.
///
/// A command reads its files more than once, so pipes and standard input are copied to temporary files.
struct ImportInputs {
  private let invocation: Invocation
  private let disk: any Disk
  private let place: String
  private var hasReadInput = false

  /// - Parameter place: The path beside which the copies of pipes are made.
  init(_ invocation: Invocation, _ disk: any Disk, beside place: String) {
    self.invocation = invocation
    self.disk = disk
    self.place = place
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
    return try json.write { try scratchFile($0) }
  }

  /// Opens a document or a store as tables, one for each entity with objects. A line of a table is an object.
  mutating func tables(ofStore path: String, in places: StorePlaces) throws -> [ImportFile] {
    let place = try ComparedPlace(path, in: places)
    defer { place.close() }
    return try place.stores.flatMap { store in
      let snapshot = try store.store.snapshot()
      for note in try snapshot.metadata.modelNotes {
        try invocation.console.messages.writeLine("note: \(oneLine(note))")
      }
      let export = try ObjectExport(of: snapshot, as: .jsonl)
      return try export.entities.filter { try export.count(of: $0) > 0 }.map { entity in
        let file = try scratchFile(path)
        try export.write(entity) { bytes in try file.append(bytes) }
        var table = ImportFile(file, name: "\(path): \(entity)", format: .jsonl)
        table.table = entity
        return table
      }
    }
  }

  /// Opens a file or a pipe; `-` is standard input.
  mutating func open(
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
    do {
      guard try disk.status(of: path).kind == .special else {
        return file(try disk.open(path, for: .read), path)
      }
    } catch {
      throw CommandError(.inputOutput, error.message)
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

  /// Returns whether a path means standard input and can't be opened as a file of its own.
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
