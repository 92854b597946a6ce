import Foundation
import XMLEvents

/// The `contents` form of a model: the XML of Apple's model editor, read and written without loss (spec §2.6).
///
/// The editor's own data are kept in ``SourceDetails``, so a model that is read and written again keeps them.
public enum ModelSource {
  /// Reads a model's source, without checking that the model is sound.
  ///
  /// - Parameter path: The name of the file in messages.
  /// - Throws: ``ModelFileError`` with the line and column that can't be read.
  public static func read(
    _ bytes: [UInt8], path: String = "contents"
  ) throws(ModelFileError) -> Model.Description {
    let root = try XMLTree.read(bytes, path: path)
    return try SourceReader(path: path).model(root)
  }

  /// Writes a model's source in the layout of Apple's model editor.
  ///
  /// - Throws: `XMLError` when a name or a text contains a character that XML cannot represent.
  public static func write(_ model: Model) throws -> [UInt8] {
    var writer = SourceWriter()
    return try writer.model(model.description)
  }
}

extension FetchIndex {
  /// Returns the name of the next expression of an index, such as `expression0`, as Core Data names expressions.
  static func expressionName(in index: FetchIndex) -> String {
    "expression\(index.elements.count { $0.expression != nil })"
  }
}

/// Conversions between the texts of a `contents` file and the values of a model.
enum SourceText {
  static let modelType = "com.apple.IDECoreDataModeler.DataModel"
  static let documentVersion = "1.0"

  /// Returns the value of a text; `nil` when the text is no value of the type.
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

  /// Returns the text of a value; `nil` for a value without a text.
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

  /// Returns a number as text, without a fraction if the number is whole.
  private static func number(_ value: Double) -> String {
    Int64(exactly: value).map { String($0) } ?? String(value)
  }

  /// Returns the decimal number of a whole text; `nil` if the text is no decimal number.
  private static func decimal(_ text: String) -> Decimal? {
    if text == "NaN" { return .nan }
    let legal = text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte)
    }
    // Foundation accepts a text that only begins with a decimal number. The check as a double covers the whole
    // text.
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

  /// The place of one value of an attribute. A date has a second name for the place. The type of a bound may differ
  /// from the attribute's type.
  enum Place: String {
    case minimum = "min"
    case maximum = "max"
    case standard = "default"

    var textName: String { rawValue + "ValueString" }
    var dateName: String { rawValue + "DateTimeInterval" }

    /// Returns the type of the value at this place: bounds of text are lengths.
    func type(for type: AttributeType) -> AttributeType {
      type == .string && self != .standard ? .int64 : type
    }
  }
}
