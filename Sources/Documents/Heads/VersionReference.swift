public import Foundation
import ObjectModel
public import StoreInterface

/// The name of a version in a program, or behind the path of a document on a command line.
///
/// | text | version |
/// |---|---|
/// | `3` | version 3 of any head |
/// | `draft` | the newest version of the head `draft`; without such a head, the version with this name |
/// | `draft~2` | the version two before the newest of the head `draft` |
/// | `3~1` | the version before version 3, on the first head that has version 3 |
/// | `-1` | the version before the newest of the current head |
/// | `2026-11-28`, `2026-11-28T09:30Z` | the newest version of the current head on that day, or at that moment, or before it |
public struct VersionReference: Sendable, Hashable {
  /// The version that the steps begin at.
  public enum Start: Sendable, Hashable {
    /// The version with a number.
    case number(Int64)
    /// The newest version of a head.
    case head(String)
    /// The newest version of the current head.
    case current
    /// The newest version of the current head that was saved at the date or before it.
    case date(Date)
  }
  /// The version that the steps begin at.
  public var start: Start
  /// The number of steps from a version to the version before it.
  public var steps: Int

  /// The head that the reference names as a whole, for reading and for changes; `nil` for a certain version.
  package var head: String? {
    guard case .head(let name) = start, steps == 0 else { return nil }
    return name
  }

  /// Makes a reference to the version so many steps before another.
  public init(_ start: Start, steps: Int = 0) {
    self.start = start
    self.steps = steps
  }

  /// Returns the reference by its number if the document has a version and no head of its name; otherwise `nil`.
  package func naming(
    versionOf path: String, in places: StorePlaces, acceptsDamage: Bool = false
  ) throws -> VersionReference? {
    guard case .head(let name) = start else { return nil }
    let main = Container(
      path: path, disk: try places.inside(path).disk, backends: places.backends)
    let number = try main.version(named: name, acceptsDamage: acceptsDamage)
    return number.map { VersionReference(.number($0), steps: steps) }
  }

  /// Reads a reference; `nil` if the text is not one.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "~", omittingEmptySubsequences: false)
    guard let first = parts.first, parts.count <= 2 else { return nil }
    if parts.count == 2 {
      guard let steps = Int(parts[1]), steps >= 0, parts[1].utf8.first != UInt8(ascii: "+") else {
        return nil
      }
      self.steps = steps
    } else {
      steps = 0
    }
    let name = String(first)
    if parts.count == 1, name.utf8.first == UInt8(ascii: "-") {
      guard let steps = Int(name.dropFirst()), steps > 0 else { return nil }
      (start, self.steps) = (.current, steps)
    } else if let seconds = ISOMoment.seconds(name) {
      // A day lasts to its end.
      let isDay = !name.contains(":")
      start = .date(Date(timeIntervalSinceReferenceDate: seconds + (isDay ? 86_399.999 : 0)))
    } else if !name.isEmpty, name.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      guard let number = Int64(name) else { return nil }
      start = .number(number)
    } else {
      guard name == HeadName.main || HeadName.objection(to: name) == nil else { return nil }
      start = .head(name)
    }
  }
}

extension VersionReference: CustomStringConvertible {
  /// The text of the reference.
  public var description: String {
    let name: String
    switch start {
    case .number(let number): name = "\(number)"
    case .head(let head): name = head
    case .current: return "-\(steps)"
    case .date(let date): name = date.isoText(includingFractions: true)
    }
    return steps == 0 ? name : "\(name)~\(steps)"
  }
}

extension VersionReference {
  /// Finds the version in a document, which may be a folder or packed.
  ///
  /// - Parameter acceptsDamage: Whether a damaged end of a log is left out. Otherwise it is an error.
  /// - Throws: ``DocumentError`` with code ``DocumentError/Code/noHead`` or ``DocumentError/Code/noVersion``; the errors of
  ///   reading a document.
  public func find(
    inDocumentAt path: String, in places: StorePlaces, acceptsDamage: Bool = false
  ) throws -> FoundVersion {
    let main = Container(
      path: path, disk: try places.inside(path).disk, backends: places.backends)
    switch start {
    case .head(let name):
      let head = main.on(name)
      do { try head.checkIsHead() } catch let error as DocumentError where error.code == .noHead {
        guard let named = try naming(versionOf: path, in: places, acceptsDamage: acceptsDamage)
        else { throw error }
        return try named.find(inDocumentAt: path, in: places, acceptsDamage: acceptsDamage)
      }
      let versions = try head.manifest(acceptsDamage: acceptsDamage).manifest.versions
      return try found(versions.map { ($0.number, $0.saved) }, of: name, path)
    case .current, .date:
      let name = try main.currentHead
      let versions = try main.on(name).manifest(acceptsDamage: acceptsDamage).manifest.versions
      return try found(versions.map { ($0.number, $0.saved) }, of: name, path)
    case .number(let number):
      let manifest = try main.manifest(acceptsDamage: acceptsDamage).manifest
      for name in manifest.headNames {
        let versions =
          name == HeadName.main
          ? manifest.versions
          : try main.on(name).manifest(acceptsDamage: acceptsDamage).manifest.versions
        if versions.contains(where: { $0.number == number }) {
          return try found(versions.map { ($0.number, $0.saved) }, of: name, path)
        }
      }
      throw DocumentError.noVersion(number, path)
    }
  }

  private func found(
    _ versions: [(number: Int64, saved: Date)], of head: String, _ path: String
  ) throws -> FoundVersion {
    guard let first = start(in: versions) else {
      throw DocumentError(
        .noVersion,
        "The head \"\(head)\" has no version \(self): the oldest that is kept is version \(versions[0].number), saved at "
          + "\(versions[0].saved.isoText()).",
        path: path)
    }
    guard steps <= first else {
      throw DocumentError(
        .noVersion,
        "The head \"\(head)\" has no version \(self): only \(first) versions before version \(versions[first].number) are kept.",
        path: path)
    }
    return FoundVersion(head: head, number: versions[first - steps].number)
  }

  /// Returns the index of the version at which the steps begin, or `nil`.
  ///
  /// - Parameter versions: The versions of a head or of a store, the oldest first.
  private func start(in versions: [(number: Int64, saved: Date)]) -> Int? {
    switch start {
    case .number(let number): versions.firstIndex { $0.number == number }
    case .head, .current: versions.indices.last
    case .date(let date): versions.lastIndex { $0.saved <= date }
    }
  }

  /// Returns the number of the version among versions, the oldest first; `nil` if the version does not exist, and for a version
  /// that is named by a head.
  package func number(in versions: [(number: Int64, saved: Date)]) -> Int64? {
    if case .head = start { return nil }
    guard let first = start(in: versions), steps <= first else { return nil }
    return versions[first - steps].number
  }

  /// Returns the commit of a store on its own; `nil` if the store does not keep it.
  package func commit(of store: any Store) throws -> CommitSummary? {
    let commits = try store.commits()
    let number = number(in: commits.reversed().map { ($0.number, $0.time) })
    return commits.first { $0.number == number }
  }
}
