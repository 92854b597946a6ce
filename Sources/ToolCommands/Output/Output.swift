import CommandInterface
import Documents
import DurableFiles
import Foundation
import StoreInterface

/// A path that a command writes to. Commands write files and folders only through this type.
///
/// An output throws an error if it is one of the command's inputs, under any name. It also throws if the path exists, unless
/// the command line contains `--force`. The new file or folder takes its place when it is complete. After a failure, the old
/// one is unchanged.
struct Output: Sendable {
  /// The path, as the command line names it.
  let path: String
  /// Whether the new file may replace an old one.
  let overwrites: Bool
  private let inputs: [String]
  private let disk: any Disk
  /// The hint of the error about a path that exists; `nil` if the command never replaces a file.
  private let hintToReplace: String?
  private let outcome: Outcome
  /// Standard output, if the output goes there and not to the path.
  private let standard: Console.Stream?
  /// Whether the output goes to standard output.
  var isStandard: Bool { standard != nil }

  fileprivate init(
    _ path: String, _ role: PathRole, _ invocation: Invocation, on disk: any Disk
  ) throws {
    self.path = path
    self.disk = disk
    outcome = invocation.console.outcome
    inputs = invocation.inputs
    overwrites = invocation.overwrites
    let canOverwrite = invocation.command.options.contains { $0.name == Option.forceName }
    hintToReplace = canOverwrite ? Output.forceHint : nil
    standard = path == StandardFiles.word ? invocation.console.file : nil
    guard standard == nil else {
      guard role == .file else {
        throw CommandError.wrongUsage(
          "'quire \(invocation.command.name)' can't write this output to standard output.",
          hint: "Give a path.")
      }
      return
    }
    try refuseInputs(path, isFilled: role.isFolder)
  }

  /// Creates the output of a command of a session, in place of the session's output.
  ///
  /// - Throws: ``CommandError`` if the output is one of the inputs.
  init(
    _ path: String, overwrites: Bool, inputs: [String], on disk: any Disk, _ console: Console
  ) throws {
    self.path = path
    self.overwrites = overwrites
    self.inputs = inputs
    self.disk = disk
    outcome = console.outcome
    hintToReplace = "'>|' replaces a file, and '>>' appends to it."
    standard = nil
    try refuseInputs(path, isFilled: false)
  }

  private func refuseInputs(_ path: String, isFilled: Bool) throws {
    for input in inputs {
      let overlap = try reporting { try disk.overlap(ofOutput: path, withInput: input) }
      guard let overlap, !(isFilled && overlap == .around) else { continue }
      let (output, input) = (oneLine(path), oneLine(input))
      let message =
        switch overlap {
        case .same where output == input:
          "'\(output)' is the input of the command, so the command does not write to it."
        case .same:
          "'\(output)' is the same file as '\(input)', which the command reads, so the command does not write to it."
        case .inside:
          "'\(output)' is a part of '\(input)', which the command reads, so the command does not write to it."
        case .around:
          "'\(input)', which the command reads, is a part of '\(output)', so the command does not replace it."
        case .companion:
          "'\(output)' and '\(input)', which the command reads, belong together, like a database and its log."
        }
      throw CommandError.wrongUsage(message, hint: "Give another path for the result.")
    }
  }

  /// Throws an error if there is a file or a folder at the path, unless the output may replace it.
  ///
  /// - Parameter acceptsEmptyFolder: Whether an empty folder counts as nothing.
  func checkFree(acceptsEmptyFolder: Bool = false) throws {
    guard !overwrites, standard == nil else { return }
    try reporting {
      guard try disk.exists(path) else { return }
      if acceptsEmptyFolder, (try? disk.list(path).isEmpty) == true { return }
      disk.removeLeftovers(of: path)
      throw isThere(path)
    }
  }

  /// Returns the output of a file in this folder. Throws an error if the file is an input of the command.
  func file(_ name: String) throws -> Output {
    var file = self
    file = Output(copying: self, path.appendingPathComponent(name))
    try file.refuseInputs(file.path, isFilled: false)
    return file
  }

  private init(copying other: Output, _ path: String) {
    self.path = path
    (overwrites, inputs, disk, hintToReplace, outcome, standard) = (
      other.overwrites, other.inputs, other.disk, other.hintToReplace, other.outcome, nil
    )
  }

  // MARK: - Making the output

  /// Makes a store.
  ///
  /// - Parameters:
  ///   - type: The type of the new store.
  ///   - contents: Makes the store at the given temporary path, and closes it.
  func makeStore<R>(
    _ type: StoreType, in places: StorePlaces, _ contents: (_ temporary: String) throws -> R
  ) throws -> R {
    if let standard { return try write(to: standard, contents) }
    if places.isAddress(path) { return try makeStoreAtAddress(in: places, contents) }
    // SQLite would read an old log next to the path into a new database of the same name.
    let hasLog =
      try reporting { try places.isDatabase(path) }
      || !ConvertCommand.types.contains { $0.value == type }
    let endings = hasLog ? StorePlaces.companionEndings : []
    if !overwrites {
      for ending in endings where try reporting({ try disk.exists(path + ending) }) {
        throw CommandError(
          .inputOutput,
          "'\(oneLine(path + ending))' exists: it is the log of a former database at '\(oneLine(path))'.",
          hint: hintToReplace != nil
            ? "Give --force to remove it." : "Move it away, or give another path.")
      }
    } else if try reporting({ try places.isDatabase(path) }) {
      do { try places.settleDatabase(path) } catch let error as StoreError
        where error.code != .locked
      {
        // A database that can't be opened is replaced, together with its log.
      }
    }
    return try making {
      try disk.make(
        path, overwriting: overwrites, companionEndings: endings, contents: contents)
    }
  }

  /// Makes a store at an address, such as the URL of a database. After a failure, the new store is removed.
  private func makeStoreAtAddress<R>(
    in places: StorePlaces, _ contents: (_ path: String) throws -> R
  ) throws -> R {
    var old: UUID?
    var isOldKnown = true
    if overwrites {
      do { old = try places.metadata(at: path).uuid } catch {
        isOldKnown = (error as? StoreError)?.code == .notFound
      }
    } else {
      try reporting { if try places.exists(path) { throw isThere(path) } }
    }
    return try making {
      do { return try contents(path) } catch {
        // If the new store could not be made, the store at the address is the old one, such as a part of a document.
        if isOldKnown, let left = try? places.metadata(at: path).uuid, left != old,
          (error as? StoreError)?.code != .exists
        {
          try? places.destroy(path)
          if old != nil { try outcome.didChange("The store that was at this address is removed.") }
        }
        throw error
      }
    }
  }

  /// Makes a file or a folder. `contents` writes it at a temporary path.
  func make<R>(_ contents: (_ temporary: String) throws -> R) throws -> R {
    if let standard { return try write(to: standard, contents) }
    return try making { try disk.make(path, overwriting: overwrites, contents: contents) }
  }

  /// Writes a file.
  func writeFile<R>(_ contents: (inout FileWriter) throws -> R) throws -> R {
    if isStandard {
      return try make { temporary in
        let file = try disk.open(temporary, for: .create)
        defer { try? file.close() }
        return try file.append(contents: contents)
      }
    }
    return try making { try disk.makeFile(path, overwriting: overwrites, contents: contents) }
  }

  /// Makes a file in the folder for temporary files, and writes its bytes to standard output.
  private func write<R>(
    to standard: Console.Stream, _ contents: (_ temporary: String) throws -> R
  ) throws -> R {
    guard !standard.isTerminal else {
      throw CommandError.wrongUsage(
        "The bytes of a file are not written to a terminal.",
        hint: "Give a path, or send the output to a program or a file.")
    }
    let temporary = disk.temporaryPath(for: StandardFiles.target)
    defer { try? disk.removeTree(temporary) }
    let result = try contents(temporary)
    guard try disk.status(of: temporary).kind == .file else {
      throw CommandError.wrongUsage(
        "The output is a folder, which can't be written to standard output.",
        hint: "'quire pack' writes a document as one file.")
    }
    let file = try disk.open(temporary, for: .read)
    defer { try? file.close() }
    var offset = 0
    let count = try file.byteCount()
    while offset < count {
      let bytes = try file.read(byteCount: min(1 << 20, count - offset), at: offset)
      try standard.write(bytes: bytes)
      offset += bytes.count
    }
    return result
  }

  /// Writes several files into the folder: all of them, or none after an error.
  ///
  /// - Parameter beginning: The beginning of files that the command has written before. Such a file is replaced without
  ///   `--force`.
  func writeFiles(
    _ names: [String], replacingFilesThatBeginWith beginning: String? = nil,
    _ contents: (_ name: String, inout FileWriter) throws -> Void
  ) throws {
    func write(into folder: String) throws {
      for name in names {
        try disk.replace(folder.appendingPathComponent(name), overwriting: false) { writer in
          try contents(name, &writer)
        }
      }
    }
    guard try reporting({ try disk.exists(path) }) else {
      return try make { temporary in
        try disk.makeDirectory(temporary)
        try write(into: temporary)
        try disk.syncDirectory(temporary)
      }
    }
    let files = try names.map { try file($0) }
    let formerFiles = Set(files.map(\.path).filter { isFormerOutput($0, beginning) })
    for file in files where !formerFiles.contains(file.path) { try file.checkFree() }
    try making {
      guard try disk.status(of: path).kind == .directory else { throw isThere(path) }
      let staging = disk.temporaryPath(for: path.appendingPathComponent(names.first ?? "files"))
      try disk.makeDirectory(staging, permissions: FilePermissions(rawValue: 0o700))
      defer { try? disk.removeTree(staging) }
      try write(into: staging)
      // If a file can't take its place, the files before it are removed again.
      func place(_ rest: ArraySlice<Output>, _ names: ArraySlice<String>) throws {
        guard let file = rest.first, let name = names.first else { return }
        let replaces = overwrites || formerFiles.contains(file.path)
        try disk.make(file.path, overwriting: replaces) { temporary in
          try disk.rename(staging.appendingPathComponent(name), to: temporary)
        } check: { _ in
          try place(rest.dropFirst(), names.dropFirst())
        }
      }
      try place(files[...], names[...])
    }
  }

  /// Returns whether there is a file at a path that begins with the given text.
  private func isFormerOutput(_ path: String, _ beginning: String?) -> Bool {
    guard let beginning, (try? disk.status(of: path, followingLinks: false).kind) == .file,
      let file = try? disk.open(path, for: .read)
    else { return false }
    let count = beginning.utf8.count
    return (try? file.read(byteCount: count, at: 0)).map { $0.elementsEqual(beginning.utf8) }
      ?? false
  }

  /// Calls `body`, which makes the whole output, and records that the output is written.
  func making<R>(_ body: () throws -> R) throws -> R {
    let result = try reporting(body)
    try outcome.didChange("'\(oneLine(path))' is written.")
    return result
  }

  // MARK: - Messages

  /// Calls `body`, and explains errors of the disk, a document or a store about this path.
  func reporting<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch let error as DiskError {
      throw explained(error)
    } catch let error as DocumentError where error.code == .exists && error.path == path {
      throw isThere(path)
    } catch let error as DocumentError {
      if let cause = error.cause as? DiskError, cause.path.hasSuffix(".quire-lock") {
        throw explained(cause)
      }
      throw error
    }
  }

  private func explained(_ error: DiskError) -> CommandError {
    if error.code == .exists { return isThere(error.path) }
    if error.code == .locked, error.path.hasSuffix(".quire-lock") {
      let process = error.holder?.process.map { "process \($0.processID)" } ?? "another process"
      return CommandError(
        .inputOutput, "'\(oneLine(path))' is being written by \(process).",
        hint: "Wait until that command is done, or give another path.")
    }
    return CommandError(.inputOutput, error.message)
  }

  private func isThere(_ path: String) -> CommandError {
    CommandError(
      .inputOutput, "'\(oneLine(path))' exists already.",
      hint: hintToReplace ?? "Give another path.")
  }

  /// The hint of an error about a file that `--force` would replace.
  static let forceHint = "Give --force to replace it."
}

extension Invocation {
  /// Returns the output that an argument names; `nil` if the argument was left out.
  ///
  /// - Throws: ``CommandError`` if the output is also an input of the command.
  func output(_ argument: Argument, on disk: any Disk) throws -> Output? {
    try path(ofOutput: argument).map { try Output($0, argument.role, self, on: disk) }
  }

  /// Returns the output that an option names; `nil` if the option was left out.
  ///
  /// - Throws: ``CommandError`` if the output is also an input of the command.
  func output(_ option: Option, on disk: any Disk) throws -> Output? {
    try path(ofOutput: option).flatMap { path in
      // Without a path, the command prints.
      if case .printed = option.role, path == StandardFiles.word { return nil }
      return try Output(path, option.role, self, on: disk)
    }
  }

  /// Returns the output at a path that the command chooses because the command line names none.
  ///
  /// - Throws: ``CommandError`` if the output is also an input of the command.
  func output(at path: String, on disk: any Disk) throws -> Output {
    try Output(path, .output, self, on: disk)
  }
}
