import ObjectModel

/// A feature that a file or a document uses beyond its version of the format (spec §1.8).
///
/// Quire knows no feature yet. A feature has a name, so that the error of a program that does not know it can name it.
public struct FormatFeature: Sendable, Hashable {
  /// The permission for a program that does not know a feature.
  public enum Class: String, Sendable {
    /// The program reads and writes the file as if the feature were not there. It keeps the feature.
    case ignore
    /// The program reads the file, and must not write it.
    case read
    /// The program must not open the file.
    case refuse
  }

  /// The name: 1 to 32 small letters, digits and hyphens.
  public let name: String
  /// The class, which a program that does not know the feature follows.
  public let `class`: Class

  /// Creates a feature, or `nil` if the name is not valid.
  package init?(_ name: String, _ kind: Class) {
    guard (1...32).contains(name.utf8.count),
      name.utf8.allSatisfy({ byte in
        switch Unicode.Scalar(byte) {
        case "a"..."z", "0"..."9", "-": true
        default: false
        }
      })
    else { return nil }
    self.name = name
    `class` = kind
  }

  /// Creates a feature with the text of a class, or `nil` if the name is not valid. A class that is not known counts as
  /// `refuse` (spec §1.8).
  package init?(_ name: String, _ kind: String) {
    self.init(name, Class(rawValue: kind) ?? .refuse)
  }
}

extension [FormatFeature] {
  /// Whether a program that knows none of the features must not open the file.
  package var areRefused: Bool { contains { $0.class == .refuse } }

  /// Returns why a program that knows none of the features must not open the file, or `nil` if it may.
  ///
  /// - Parameter isReading: Whether the program opens the file for reading only.
  package func objection(isReading: Bool) -> String? {
    if areRefused { return filter { $0.class == .refuse }.sentence }
    let readable = filter { $0.class == .read }
    guard !isReading, !readable.isEmpty else { return nil }
    return readable.sentence + " Open it for reading only."
  }

  private var sentence: String {
    let names = map { "\"\($0.name)\"" }.joined(separator: " and ")
    return "This file uses \(names), which this version of Quire (\(QuireVersion.version)) "
      + "does not know."
  }
}
