import Foundation

/// A test of one scalar.
enum ScalarTest: Hashable, Sendable {
  /// One of the given numbers.
  case anyOf([UInt32])
  case any
  /// Any scalar that does not end a line.
  case noLineEnd
  /// A set such as `[a-z]` or `\w` as Foundation reads it.
  case set(String, ignoresCase: Bool)

  static func endsLine(_ scalar: UInt32) -> Bool {
    (0x0A...0x0D).contains(scalar) || scalar == 0x85 || scalar == 0x2028 || scalar == 0x2029
  }
}

/// A prepared test of scalars.
///
/// `@unchecked Sendable`, because a compiled expression never changes.
struct PreparedTest: @unchecked Sendable {
  private let test: ScalarTest
  private let expression: NSRegularExpression?

  /// Prepares a test; `nil` if Foundation does not accept the set on its own.
  init?(_ test: ScalarTest) {
    self.test = test
    guard case .set(let text, let ignoresCase) = test else {
      expression = nil
      return
    }
    guard
      let made = try? NSRegularExpression(
        pattern: text, options: ignoresCase ? .caseInsensitive : [])
    else { return nil }
    expression = made
  }

  func holds(_ scalar: UInt32) -> Bool {
    switch test {
    case .anyOf(let numbers): return numbers.contains(scalar)
    case .any: return true
    case .noLineEnd: return !ScalarTest.endsLine(scalar)
    case .set:
      guard let scalar = Unicode.Scalar(scalar), let expression else { return false }
      let text = String(Character(scalar))
      let whole = NSRange(location: 0, length: text.utf16.count)
      return expression.firstMatch(in: text, options: .anchored, range: whole)?.range == whole
    }
  }
}

/// The scalars whose case folding consists of several scalars, such as `ß`, by their folding.
enum WideFoldings {
  /// The scalars of each folding.
  static let scalars: [[UInt32]: [UInt32]] = {
    let ranges: [ClosedRange<UInt32>] = [
      0xDF...0xDF, 0x130...0x130, 0x149...0x149, 0x1F0...0x1F0, 0x390...0x390, 0x3B0...0x3B0,
      0x587...0x587, 0x1E96...0x1E9E, 0x1F50...0x1FFC, 0xFB00...0xFB17,
    ]
    var found: [[UInt32]: [UInt32]] = [:]
    for number in ranges.joined() {
      guard let scalar = Unicode.Scalar(number) else { continue }
      let folded = folding(of: scalar)
      if folded.count > 1 { found[folded, default: []].append(number) }
    }
    return found
  }()

  /// Returns the full case folding of a scalar.
  static func folding(of scalar: Unicode.Scalar) -> [UInt32] {
    // A dotless i does not fold to another letter.
    if scalar == "\u{131}" { return [scalar.value] }
    var folded = [scalar]
    let changes: [(Unicode.Scalar.Properties) -> String] = [
      \.lowercaseMapping, \.uppercaseMapping, \.lowercaseMapping,
    ]
    for change in changes {
      folded = folded.flatMap { Array(change($0.properties).unicodeScalars) }
    }
    return folded.map(\.value)
  }
}
