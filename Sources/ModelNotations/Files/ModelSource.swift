public import ObjectModel
import XMLEvents

/// The `contents` form of a model: the XML of Apple's model editor, read and written without loss (spec §2.6).
///
/// The editor's own data are kept in `SourceDetails`, so a model that is read and written again keeps them.
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

/// The words of a `contents` file for the parts of a model.
enum SourceText {
  static let modelType = "com.apple.IDECoreDataModeler.DataModel"
  static let documentVersion = "1.0"

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
