import Foundation

/// The versions of a remote, and the ways through their changes (spec §16.3).
final class SharedGraph {
  /// The versions, by their identities.
  private(set) var versions: [String: SharedVersion] = [:]
  /// The files that turned out to be damaged when their changes were needed.
  private(set) var skipped: [ExchangeReport.SkippedFile] = []
  private var parents: [String: Set<String>] = [:]
  /// The versions of each head. One version may be of several heads.
  private var byHead: [String: Set<String>] = [:]
  private var steps: [String: [Step]] = [:]
  /// The versions with another model than the version before them.
  private(set) var edges: [MigrationEdge] = []
  /// The versions that packs contain as whole documents, and that derive from earlier versions.
  private(set) var whole: Set<String> = []
  private var sources: [any ChangeSource] = []
  /// The path of the remote.
  private let path: String

  /// The changes between two versions, in one of the two directions.
  private struct Step {
    let target: String
    let isForward: Bool
    let source: any ChangeSource
    let version: PackedVersion
  }

  init(_ sources: [any ChangeSource], at path: String) {
    self.path = path
    for source in sources { add(source) }
  }

  /// Adds the versions of a source.
  func add(_ source: any ChangeSource) {
    sources.append(source)
    for one in source.versions {
      let identity = one.version.identity
      // Two devices that make one version of the same parents may both send it.
      versions[identity] = versions[identity] ?? one.version
      parents[identity, default: []].formUnion(one.version.parents)
      byHead[one.version.head, default: []].insert(identity)
      guard let from = one.from else {
        if !one.version.parents.isEmpty { whole.insert(identity) }
        continue
      }
      do {
        let edge = try source.model(of: one).map {
          MigrationEdge(from: from, target: identity, model: $0)
        }
        if let edge { edges.append(edge) }
        let start = edge?.node ?? from
        steps[start, default: []].append(
          Step(target: identity, isForward: true, source: source, version: one))
        steps[identity, default: []].append(
          Step(target: start, isForward: false, source: source, version: one))
      } catch {
        let fault = error as? PackFault ?? PackFault("can't be read: \(error)")
        return leaveOut(source, fault)
      }
    }
  }

  /// Returns the versions of one model to which a way leads from a version, with the nodes of edges.
  func connected(to start: String) -> Set<String> {
    var found: Set<String> = [start]
    var next = [start]
    while let one = next.popLast() {
      for step in steps[one] ?? [] where found.insert(step.target).inserted {
        next.append(step.target)
      }
    }
    return found
  }

  /// Whether the graph has a version, or a version that derives from it.
  func knows(_ identity: String) -> Bool {
    versions[identity] != nil || parents.values.contains { $0.contains(identity) }
  }

  /// Returns versions and all versions from which they derive, as far as they are known.
  func ancestors(_ identities: some Sequence<String>) -> Set<String> {
    var found = Set(identities)
    var next = Array(found)
    while let one = next.popLast() {
      for parent in parents[one] ?? [] where found.insert(parent).inserted { next.append(parent) }
    }
    return found
  }

  /// Returns the newest versions of a head, in an order on which all replicas agree.
  func tips(of head: String) -> [SharedVersion] {
    let own = byHead[head] ?? []
    let passed = ancestors(own.flatMap { parents[$0] ?? [] })
    return own.subtracting(passed).compactMap { versions[$0] }.sorted(by: SharedVersion.precedes)
  }

  /// Returns the common versions from which no further common version derives, in the order of all replicas.
  ///
  /// - Parameter known: The versions from which a replica derives.
  private func bases(of version: SharedVersion, _ known: Set<String>) -> [SharedVersion] {
    let common = ancestors([version.identity]).intersection(known)
    let passed = ancestors(common.flatMap { parents[$0] ?? [] })
    let newest = common.subtracting(passed).compactMap { versions[$0] }
    return newest.sorted(by: SharedVersion.precedes)
  }

  /// Returns the changes of a version since the versions that a replica has; `nil` if a pack is missing, or no version is
  /// common.
  ///
  /// Two replicas that have merged each other have several newest common versions. The changes begin at a merge of all of them:
  /// otherwise a change that both have taken in would count as a change of one of them.
  ///
  /// - Parameters:
  ///   - known: The versions from which the replica derives.
  ///   - difference: Returns the difference of two versions in the model of the replica.
  func changes(
    of version: SharedVersion, since known: Set<String>,
    _ difference: (_ start: String, _ end: String) throws -> ChangeBook?
  ) throws -> ChangeBook? {
    let bases = bases(of: version, known)
    guard let base = bases.last,
      let changes = try difference(base.identity, version.identity)
    else { return nil }
    var merge = ChangeBook()
    for other in bases.dropLast() {
      guard let root = self.bases(of: other, ancestors([base.identity])).last,
        var own = try difference(root.identity, base.identity),
        let others = try difference(root.identity, other.identity)
      else { continue }
      try own.append(merge, path: path)
      try merge.append(others.added(to: own), path: path)
    }
    var result = merge.turned
    try result.append(changes, path: path)
    return result
  }

  /// Returns the versions that lead from one version to another, each changing the one before it; `nil` if the way is not a line.
  func line(from start: String, to end: SharedVersion) -> [SharedVersion]? {
    var line: [SharedVersion] = []
    var one = end
    var seen: Set<String> = []
    while one.identity != start {
      guard seen.insert(one.identity).inserted,
        let step = steps[one.identity]?.first(where: {
          !$0.isForward && $0.target == one.parents.first
        })
      else { return nil }
      line.append(one)
      if step.target == start { break }
      guard let before = versions[step.target] else { return nil }
      one = before
    }
    return line.reversed()
  }

  /// Returns the difference of two versions; `nil` if a pack between them is missing.
  func changes(from start: String, to end: String) throws -> ChangeBook? {
    // A pack that turns out to be damaged is left out, and the next way is tried.
    while let way = way(from: start, to: end) {
      var book = ChangeBook()
      do {
        for step in way {
          let changes = try self.changes(step)
          try book.append(changes, path: step.source.path)
        }
        return book
      } catch is BrokenStep { continue }
    }
    return nil
  }

  private struct BrokenStep: Error {}

  private func changes(_ step: Step) throws -> ChangeBook {
    do {
      let book = try step.source.changes(of: step.version)
      return step.isForward ? book : book.turned
    } catch let fault as PackFault {
      leaveOut(step.source, fault)
      throw BrokenStep()
    }
  }

  /// Leaves out a source from now on.
  func leaveOut(_ source: any ChangeSource, _ fault: PackFault) {
    skipped.append(
      ExchangeReport.SkippedFile(name: source.path.lastPathComponent, reason: fault.reason))
    steps = steps.mapValues { $0.filter { $0.source !== source } }
    edges.removeAll { edge in
      !(steps[edge.node] ?? []).contains { $0.isForward && $0.target == edge.target }
    }
  }

  /// Returns the shortest way between two versions.
  private func way(from start: String, to end: String) -> [Step]? {
    var came: [String: (before: String, step: Step)] = [:]
    var next = [start]
    var seen: Set<String> = [start]
    while !next.isEmpty, !seen.contains(end) {
      var found: [String] = []
      for one in next {
        for step in steps[one] ?? [] where seen.insert(step.target).inserted {
          came[step.target] = (one, step)
          found.append(step.target)
        }
      }
      next = found
    }
    guard seen.contains(end) else { return nil }
    var way: [Step] = []
    var place = end
    while let (before, step) = came[place], place != start {
      way.append(step)
      place = before
    }
    return way.reversed()
  }

  /// Passes on the bytes of an attachment from a pack that has it whole.
  func read(attachment digest: String, _ write: ([UInt8]) throws -> Void) throws {
    for source in sources where source.contains(attachment: digest) {
      do {
        // The bytes are checked as a whole before the first of them is passed on.
        try source.verify()
        return try source.read(attachment: digest, write)
      } catch let fault as PackFault { leaveOut(source, fault) }
    }
    throw MissingAttachment()
  }

  /// An attachment whose bytes have not arrived.
  struct MissingAttachment: Error {}
}
