/// Something that a store, a context or a document has done, with its time.
public struct TraceEvent: Sendable {
  /// A kind of event.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Objects, identifiers, values or snapshots were fetched or counted.
    case fetch
    /// A context saved. The parts are the steps of the save.
    case save
    /// A context took in the saves of other contexts.
    case merge
    /// A file was made durable.
    case sync
    /// A store was migrated to another model.
    case migration
    /// A function of a plug-in was called.
    case plugin
  }

  /// A step of the work.
  public struct Part: Sendable, Hashable {
    /// The name of the step, such as `validation`.
    public let name: String
    /// The time of the step.
    public let duration: Duration

    package init(_ name: String, _ duration: Duration) {
      (self.name, self.duration) = (name, duration)
    }
  }

  public let kind: Kind
  /// The path of the store or the file; `nil` if the work concerns several files, or does not concern one.
  public let place: String?
  /// The work in words: the request of a fetch, the name of a function.
  public let detail: String
  public package(set) var duration: Duration
  /// The steps of the work, in their order; empty if the work is not divided.
  public package(set) var parts: [Part] = []
  /// The number of results or changes; `nil` if nothing is counted.
  public package(set) var count: Int?
  /// The error, if the work has failed.
  public package(set) var failure: String?

  package init(_ kind: Kind, at place: String?, _ detail: String, _ duration: Duration) {
    (self.kind, self.place, self.detail, self.duration) = (kind, place, detail, duration)
  }
}

extension TraceEvent: CustomStringConvertible {
  /// The event as one line: its time, kind, work, result and steps.
  public var description: String {
    var words = ["\(duration.inMilliseconds) \(kind.rawValue)"]
    if !detail.isEmpty { words.append(detail) }
    if let place { words.append("in \(place)") }
    if let count { words.append("-> \(count)") }
    if let failure { words.append("failed: \(failure)") }
    let steps = parts.map { "\($0.name) \($0.duration.inMilliseconds)" }
    if !steps.isEmpty { words.append("(\(steps.joined(separator: ", ")))") }
    return words.joined(separator: " ")
  }
}
