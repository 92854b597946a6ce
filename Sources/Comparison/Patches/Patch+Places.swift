public import DurableFiles
import JSONText
public import ObjectModel
public import StoreInterface

extension Patch {
  /// Makes the patch that turns the objects of one document or store into the objects of another.
  ///
  /// - Parameters:
  ///   - old: A document or a store, or a version of one: `Trips.quire@3`.
  ///   - new: The document or store with the changes.
  ///   - places: The backends that open stores, and the disk.
  ///   - matching: The way in which objects of both sides match.
  ///   - model: The model of a store that does not contain its own.
  /// - Throws: ``ComparisonError``, such as ``ComparisonError/Code/differentModels``; the errors of opening and reading.
  public init(
    from old: String, to new: String, in places: StorePlaces,
    matching: MatchChoices = MatchChoices(), model: Model? = nil
  ) throws {
    let before = try ComparedPlace(old, in: places, model: model)
    defer { before.close() }
    let after = try ComparedPlace(new, in: places, model: model)
    defer { after.close() }
    let sources = try MergeSources(base: before, ours: before, theirs: after)
    let stores = before.stores.map { ($0.name, TrialStore($0.store) as any Store) }
    var lines: [JSON] = []
    _ = try PatchWriter { lines.append($0) }.write(try sources.parts(into: stores), matching)
    try self.init("patch", lines[0], Array(lines.dropFirst()))
  }

  /// Reads the patch in a file.
  ///
  /// - Throws: ``ComparisonError`` as for the bytes; `DiskError` if the file can't be read, or has more than 1 GiB.
  public init(contentsOf path: String, on disk: any Disk = RealDisk()) throws {
    try self.init(disk.read(path, byteLimit: 1 << 30), name: path)
  }

  /// The text of the patch: a line of JSON for its header, and for each change.
  public var text: String { json.map { $0.line + "\n" }.joined() }

  /// Writes the text of the patch to a file, in the place of an existing one. The file is complete, or unchanged.
  ///
  /// - Throws: `DiskError`.
  public func write(to path: String, on disk: any Disk = RealDisk()) throws {
    try disk.makeFile(path, overwriting: true) { writer in try writer.write(text) }
  }
}
