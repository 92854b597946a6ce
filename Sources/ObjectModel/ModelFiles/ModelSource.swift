import Foundation
import XMLEvents

/// The `contents` form of a model: the XML that Apple's model editor writes, read and written without
/// loss (spec §2.6).
///
/// What the editor keeps for itself stays in ``SourceDetails``, so a model that is read and written
/// again says what it said.
public enum ModelSource {
  /// Reads a model's source, without checking that the model is sound.
  ///
  /// - Parameter path: What messages call the file.
  /// - Throws: ``ModelFileError`` with the line and column of what can't be read.
  public static func read(
    _ bytes: [UInt8], path: String = "contents"
  ) throws(ModelFileError) -> Model.Description {
    let root = try XMLTree.read(bytes, path: path)
    return try SourceReader(path: path).model(root)
  }

  /// Writes a model's source, laid out as Apple's model editor lays it out.
  ///
  /// - Throws: `XMLError` when a name or a text holds a character that no XML can hold.
  public static func write(_ model: Model) throws -> [UInt8] {
    var writer = SourceWriter()
    return try writer.model(model.description)
  }
}

extension FetchIndex {
  /// Returns the name of the next expression of an index: `expression0` and so on, as Core Data names
  /// expressions.
  static func expressionName(in index: FetchIndex) -> String {
    "expression\(index.elements.count { $0.expression != nil })"
  }
}

/// What a `contents` file spells where a model has values, and back.
enum SourceText {
  static let modelType = "com.apple.IDECoreDataModeler.DataModel"
  static let documentVersion = "1.0"

  /// The value that a text stands for; `nil` when it stands for none of that type.
  static func value(_ text: String, of type: AttributeType) -> Value? {
    switch type {
    case .boolean:
      switch text.uppercased() {
      case "YES", "TRUE", "1": return .boolean(true)
      case "NO", "FALSE", "0": return .boolean(false)
      default: return nil
      }
    case .int16, .int32, .int64: return Int64(text).map { .integer($0) }
    case .float: return Float(text).map { .float($0) }
    case .double: return Double(text).map { .double($0) }
    case .decimal: return decimal(text).map { .decimal($0) }
    case .date: return Double(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .string: return .string(text)
    case .uri: return .uri(text)
    case .uuid: return UUID(spelled: text).map { .uuid($0) }
    case .binary, .transformable: return Data(base64Encoded: text).map { .binary($0) }
    case .undefined, .objectID, .composite: return nil
    }
  }

  /// The text of a value; `nil` for one that has none.
  static func text(_ value: Value) -> String? {
    switch value {
    case .null, .object: nil
    case .boolean(let value): value ? "YES" : "NO"
    case .integer(let value): String(value)
    case .float(let value): String(value)
    case .double(let value): String(value)
    case .decimal(let value): value.description
    case .string(let value), .uri(let value): value
    case .date(let value): number(value.timeIntervalSinceReferenceDate)
    case .uuid(let value): value.uuidString
    case .binary(let value): value.base64EncodedString()
    }
  }

  /// A number without a fraction it does not have.
  private static func number(_ value: Double) -> String {
    Int64(exactly: value).map { String($0) } ?? String(value)
  }

  /// A decimal number, all of the text.
  private static func decimal(_ text: String) -> Decimal? {
    if text == "NaN" { return .nan }
    let legal = text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte)
    }
    // Foundation takes as much for a decimal as begins like one; what is none to its end is no double either.
    guard legal, Double(text) != nil else { return nil }
    return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
  }

  static let deleteRules: [(String, Relationship.DeleteRule)] = [
    ("Nullify", .nullify), ("Cascade", .cascade), ("Deny", .deny), ("No Action", .noAction),
  ]

  static let indexKinds: [(String, FetchIndex.Element.Kind)] = [
    ("Binary", .binary), ("RTree", .rTree), ("FullText", .fullText),
  ]

  static let requestFlags: [(String, FetchRequestTemplate.Flags)] = [
    ("includeSubentities", .includesSubentities),
    ("includePropertyValues", .includesPropertyValues),
    ("includesPendingChanges", .includesPendingChanges),
    ("returnObjectsAsFaults", .returnsObjectsAsFaults),
    ("returnDistinctResults", .returnsDistinctResults),
  ]

  static let attributeOptions: [(String, Attribute.Options)] = [
    ("indexed", .isIndexed),
    ("allowsExternalBinaryDataStorage", .allowsExternalStorage),
    ("spotlightIndexingEnabled", .isIndexedBySpotlight),
    ("storedInTruthFile", .isStoredInTruthFile),
    ("preserveAfterDeletion", .preservesValueOnDeletion),
    ("allowsCloudEncryption", .allowsCloudEncryption),
  ]

  /// Where one value of an attribute may stand: under the second name for dates, and for what it is
  /// the bound of.
  enum Place: String {
    case minimum = "min"
    case maximum = "max"
    case standard = "default"

    var textName: String { rawValue + "ValueString" }
    var dateName: String { rawValue + "DateTimeInterval" }

    /// The type of what stands here: bounds of text are lengths.
    func type(for type: AttributeType) -> AttributeType {
      type == .string && self != .standard ? .int64 : type
    }
  }
}
