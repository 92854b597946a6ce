package import ObjectModel
import TextMatching

/// A failure to compare, to merge or to patch.
///
/// The code is for the program, and the message for its user. Files that can't be read throw the errors of their modules:
/// `StoreError`, `DocumentError`, `ArchiveError` or `DiskError`.
///
///     do {
///       try Merge(base: "Base.quire", ours: "Ours.quire", theirs: "Theirs.quire").save()
///     } catch let error as ComparisonError where error.code == .conflict {
///       print(error.message)
///     }
public struct ComparisonError: Error, Sendable {
  public let code: Code
  /// A sentence that names the attempt, the finding and the place.
  public let message: String
  /// The document, the store or the patch with the fault; `nil` if several take part.
  public let path: String?
  /// A sentence about a remedy, if any.
  public let hint: String?
  /// The facts behind the hint, for a caller that words its own.
  package let detail: Detail?

  init(
    _ code: Code, _ message: String, path: String? = nil, hint: String? = nil,
    _ detail: Detail? = nil
  ) {
    self.code = code
    self.message = message
    self.path = path
    self.hint = hint
    self.detail = detail
  }

  /// A kind of failure, for programs to branch on. New kinds may be added.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The stable name of the kind.
    public let rawValue: String
    /// Creates the kind with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The words after the @ of a place are not a version, or the version can't be changed.
    public static let badPlace = Code(rawValue: "badPlace")
    /// Objects can't be matched by the given properties, or a name is unknown.
    public static let badKey = Code(rawValue: "badKey")
    /// Several objects of one store have the same values of the properties that objects match by.
    public static let duplicateKeys = Code(rawValue: "duplicateKeys")
    /// Both sides have changed the same value, order, object or attachment.
    public static let conflict = Code(rawValue: "conflict")
    /// Both sides have given one identifier to different objects.
    public static let sameIdentifiers = Code(rawValue: "sameIdentifiers")
    /// The sides have different versions of the model.
    public static let differentModels = Code(rawValue: "differentModels")
    /// The sides have different stores, or none.
    public static let differentStores = Code(rawValue: "differentStores")
    /// The bytes are not a patch, or a line of the patch is wrong.
    public static let badPatch = Code(rawValue: "badPatch")
    /// The patch was written in a newer version of the format.
    public static let newerPatch = Code(rawValue: "newerPatch")
  }

  /// The facts of an error whose remedy depends on the way in which the caller asks for a comparison.
  package enum Detail: Sendable {
    /// A version after an @ that does not exist, and the document before the @.
    case version(of: String)
    /// A version that can't be changed.
    case unchangeable
    /// A document without stores, which has no objects to compare.
    case noStores
    /// The names of the stores of a document, of which the caller must choose one.
    case severalStores([String])
    /// Two documents have stores of different names.
    case unequalStores
    /// The models of three copies differ.
    case unequalModels
    /// A key with a to-many relationship.
    case toManyKey
    /// A key with a property of one side.
    case oneSidedKey
    /// A key of an entity that no side has, with the known entities.
    case unknownEntity(String, known: [String])
    /// Keys that contain references to each other.
    case cyclicKeys
    /// Objects with the same key.
    case duplicates(DuplicateKeys)
    /// Different objects with the same identifier, and the name of the copy with the second objects.
    case clash(theirs: String)
    /// A file without the first line of a patch.
    case noHeader
  }

  /// Objects of one store that have the same key.
  package struct DuplicateKeys: Sendable {
    package let store: String
    package let entity: String
    /// The properties of the key with their common values.
    package let values: [(name: String, value: Value, precision: Attribute.Precision?)]
    /// The first objects, in the order of their numbers.
    package let objects: [ObjectKey]
    /// The number of all objects with this key.
    package let objectCount: Int
    /// The number of further keys that several objects have.
    package let moreKeyCount: Int
  }
}

extension ComparisonError: CustomStringConvertible {
  /// The message and the hint.
  public var description: String { [message, hint].compactMap(\.self).joined(separator: " ") }
}

extension ComparisonError {
  /// Returns the error for an unknown name, with the known names.
  static func unknown(
    _ kind: String, _ word: String, in place: String, known: [String], otherwise: String
  ) -> ComparisonError {
    ComparisonError(
      .badKey, "Unknown \(kind) '\(word)' \(place).",
      hint: suggestion(for: word, among: known) ?? otherwise)
  }

  private static func suggestion(for word: String, among known: [String]) -> String? {
    var suggestion = NameSuggestion()
    return suggestion.nearest(to: word, among: known).map { "Did you mean '\($0)'?" }
  }

  /// Returns the error for several objects with the same key.
  static func duplicateKeys(_ found: DuplicateKeys) -> ComparisonError {
    let values = found.values.map { "\($0.name) \(text($0.value, $0.precision))" }.joined(
      separator: ", ")
    let objects = found.objects.map { text(.object($0)) }.joined(separator: ", ")
    let rest = found.objectCount - found.objects.count
    let more = found.moreKeyCount
    return ComparisonError(
      .duplicateKeys,
      "'\(found.store)' has \(found.objectCount) objects of '\(found.entity)' with \(values): "
        + objects + (rest > 0 ? " and \(rest) more." : ".")
        + (more > 0 ? " \(more) more \(more == 1 ? "key occurs" : "keys occur") again." : ""),
      path: found.store, hint: "Match by more properties, or by identifier.", .duplicates(found))
  }

  private static func text(_ value: Value, _ precision: Attribute.Precision? = nil) -> String {
    switch value {
    case .string(let text): "\"\(text)\""
    case .binary(let bytes): "\(bytes.count) bytes"
    default: ValueText.exchange.text(value, precision)
    }
  }
}
