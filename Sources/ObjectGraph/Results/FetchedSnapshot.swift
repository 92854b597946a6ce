import Foundation
public import ObjectModel

/// A list of results at one moment: identifiers in order, and the sections they make.
public struct FetchedSnapshot: Sendable, Hashable {
  /// The identifiers of all objects, in order.
  public internal(set) var identifiers: [ObjectID] = []
  /// The sections, in order; one without a name when nothing is said of sections, and none when there
  /// are no objects.
  public internal(set) var sections: [FetchedSection] = []

  /// Where the object at an index is.
  public func place(at index: Int) -> FetchedPlace {
    var (low, high) = (0, sections.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if sections[middle].range.lowerBound <= index { low = middle } else { high = middle }
    }
    let start = sections.isEmpty ? 0 : sections[low].range.lowerBound
    return FetchedPlace(index: index, section: low, item: index - start)
  }

  /// The identifiers of one section.
  public func identifiers(inSection section: Int) -> ArraySlice<ObjectID> {
    identifiers[sections[section].range]
  }
}

/// Consecutive results that belong together.
public struct FetchedSection: Sendable, Hashable {
  /// What the section is called.
  public let name: String
  /// Which results are in it.
  public let range: Range<Int>

  /// How many results are in it.
  public var count: Int { range.count }
  /// What stands for the section in an index at the side of the list: the first letter of its name.
  public var indexTitle: String { name.prefix(1).uppercased() }
}

/// Where a result is: its index among all, and its section and place in that.
public struct FetchedPlace: Sendable, Hashable {
  /// The index among all results.
  public let index: Int
  /// The section's index.
  public let section: Int
  /// The index within the section.
  public let item: Int

  /// A place among all, and in a section.
  public init(index: Int, section: Int, item: Int) {
    self.index = index
    self.section = section
    self.item = item
  }
}

/// How results are put into sections.
///
///     FetchedSections("name") { String($0.plainText.prefix(1)) }
///     FetchedSections(of: Trip.self) { $0.monthTitle }
///
/// Results that follow one another and have the same section name make a section. So the first thing
/// that results are sorted by is what the sections are made of; where sections are made of a stored value and
/// the request says otherwise, that is put before its sort keys.
public struct FetchedSections: Sendable {
  /// Where the names of sections come from.
  enum Naming: Sendable {
    /// From the value that stores have at the end of a path.
    case values(path: String, name: @Sendable (Value) -> String)
    /// From what an object says.
    case objects(@Sendable (ManagedObject) -> String)
  }

  let naming: Naming

  private init(_ naming: Naming) { self.naming = naming }

  /// The path to the value that sections are made of; `nil` where objects are asked what their section is called.
  public var path: String? { if case .values(let path, _) = naming { path } else { nil } }

  /// Sections by the value at the end of a path, or by that of a transient attribute.
  ///
  /// No list can be sorted by a transient attribute, so the request says by what; the values are the objects' own,
  /// and cost what ``init(of:name:)`` does.
  ///
  /// - Parameter name: What the section of a value is called: its text unless said otherwise. Values that
  ///   follow one another in the order of the results must have names that do, so that no name comes
  ///   twice.
  public init(_ path: String, name: @escaping @Sendable (Value) -> String = { $0.plainText }) {
    self.init(.values(path: path, name: name))
  }

  /// Sections by what objects say, such as a computed property.
  ///
  /// Each object of the list is made to be asked, and asked again when it was changed. What it says is to follow
  /// from its own values: of changes of others the list does not know that they matter.
  ///
  /// - Parameter name: What an object's section is called. Called in the context's turn, and may only read. Objects
  ///   that follow one another in the order of the results must have names that do.
  public init<Object: ManagedObject>(
    of type: Object.Type, name: @escaping @Sendable (Object) -> String
  ) {
    self.init(.objects { name($0.typed()) })
  }

  /// The same sections, by the value that objects have for the path's attribute, which no store holds.
  func askingObjects() -> FetchedSections {
    guard case .values(let path, let name) = naming else { return self }
    return FetchedSections(.objects { name($0[path]) })
  }

  /// Whether objects are asked.
  var asksObjects: Bool { path == nil }
}

extension ManagedObject {
  /// The object as an object of a class, which it must be of.
  func typed<Object: ManagedObject>() -> Object {
    guard let typed = self as? Object else { source.entity.refuseClass(Object.self) }
    return typed
  }
}

extension Value {
  /// The value in words, as the name of a section: nothing for no value.
  public var plainText: String {
    switch self {
    case .null: ""
    case .string(let text), .uri(let text): text
    case .date(let date): date.isoText()
    default: natural.map { "\($0)" } ?? ""
    }
  }
}
