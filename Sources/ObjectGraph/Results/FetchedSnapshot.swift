import Foundation
public import ObjectModel

/// The state of a list of results: identifiers in order, and their sections.
public struct FetchedSnapshot: Sendable, Hashable {
  /// The identifiers of all objects, in order.
  public internal(set) var identifiers: [ObjectID] = []
  /// The sections, in order.
  ///
  /// A list that is not divided into sections has one section without a name, also if it is empty. A list that is
  /// divided has no section if it is empty, and every list has none before its first fetch.
  public internal(set) var sections: [FetchedSection] = []

  /// The names of the sections, in order: with ``identifiers(inSection:)``, the contents of a table.
  public var sectionIdentifiers: [String] { sections.map(\.name) }

  /// Returns the place of the object at an index.
  public func place(at index: Int) -> FetchedPlace {
    var (low, high) = (0, sections.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if sections[middle].range.lowerBound <= index { low = middle } else { high = middle }
    }
    let start = sections.isEmpty ? 0 : sections[low].range.lowerBound
    return FetchedPlace(index: index, section: low, item: index - start)
  }

  /// Returns the identifiers of one section.
  public func identifiers(inSection section: Int) -> ArraySlice<ObjectID> {
    identifiers[sections[section].range]
  }
}

/// A section of a list: consecutive results with the same section name.
public struct FetchedSection: Sendable, Hashable {
  /// The name of the section.
  public let name: String
  /// The indexes of the section's results in the list.
  public let range: Range<Int>

  /// The number of results in the section.
  public var count: Int { range.count }
  /// The section's title in an index beside the list: the first letter of its name.
  public var indexTitle: String { name.prefix(1).uppercased() }
}

/// The place of a result: its index in the list, its section, and its index in the section.
public struct FetchedPlace: Sendable, Hashable {
  /// The index among all results.
  public let index: Int
  public let section: Int
  /// The index within the section.
  public let item: Int

  /// Creates a place from the index in the list, the section, and the index in the section.
  public init(index: Int, section: Int, item: Int) {
    self.index = index
    self.section = section
    self.item = item
  }
}

/// The rule that divides results into sections.
///
///     FetchedSections("name") { String($0.plainText.prefix(1)) }
///     FetchedSections(of: Trip.self) { $0.monthTitle }
///
/// Consecutive results with the same section name are one section, so the results must be sorted by the value behind
/// the section names first. If that value is stored and the first sort key is another one, a sort key for the value is
/// inserted first.
public struct FetchedSections: Sendable {
  /// The source of the section names.
  enum Naming: Sendable {
    /// The stored value at the end of a path.
    case values(path: String, name: @Sendable (Value) -> String)
    /// The name that a function returns for each object.
    case objects(@Sendable (ManagedObject) -> String)
  }

  let naming: Naming

  private init(_ naming: Naming) { self.naming = naming }

  /// The path to the value that names the sections; `nil` if objects name their sections.
  public var path: String? { if case .values(let path, _) = naming { path } else { nil } }

  /// Creates sections by the value at the end of a path, or by the value of a transient attribute.
  ///
  /// No list can be sorted by a transient attribute, so the request must have a sort key that orders the sections. The
  /// values are then read from the objects, at the cost of ``init(of:name:)``.
  ///
  /// - Parameter name: Returns the name of the section of a value; by default the value's text. Consecutive values in
  ///   the order of the results must have consecutive names, so that no name comes twice.
  public init(_ path: String, name: @escaping @Sendable (Value) -> String = { $0.plainText }) {
    self.init(.values(path: path, name: name))
  }

  /// Creates sections by a value that objects compute, such as a computed property.
  ///
  /// The list creates each object to read its section name, and reads the name again after the object has changed. The
  /// name must depend on the object's own values, because the list does not react to a change of a related object.
  ///
  /// - Parameter name: Returns the section name of an object. Called in the context's turn, and may only read.
  ///   Consecutive objects in the order of the results must have consecutive names.
  public init<Object: ManagedObject>(
    of type: Object.Type, name: @escaping @Sendable (Object) -> String
  ) {
    self.init(.objects { name($0.typed()) })
  }

  /// Returns the same sections, but with names that are read from the objects. Used if the path leads to a transient
  /// attribute.
  func askingObjects() -> FetchedSections {
    guard case .values(let path, let name) = naming else { return self }
    return FetchedSections(.objects { name($0[path]) })
  }

  /// Whether the section names come from the objects.
  var asksObjects: Bool { path == nil }
}

extension ManagedObject {
  /// Returns the object as an object of a class. It must be of that class.
  func typed<Object: ManagedObject>() -> Object {
    guard let typed = self as? Object else { source.entity.refuseClass(Object.self) }
    return typed
  }
}

extension Value {
  /// The value as plain text for a section name; empty for a null value.
  public var plainText: String {
    switch self {
    case .null: ""
    case .string(let text), .uri(let text): text
    case .date(let date): date.isoText()
    default: natural().map { "\($0)" } ?? ""
    }
  }
}
