import JSONText
import ObjectModel
import TextMatching

/// The state of a reader of a model in JSON: the path of the value that is read, and the faults.
///
/// A fault does not end the reading: the reader reports the faults of all values together.
struct ModelJSONReading {
  /// A fault of a value.
  struct Fault {
    /// The path of the value; `nil` for the whole text.
    let path: [JSONStep]?
    /// Whether the fault is about the value's name.
    let isAboutName: Bool
    let message: String
  }

  /// The number of faults that are kept. Further faults are only counted.
  private static let mostFaults = 1_000

  private(set) var faults: [Fault] = []
  private(set) var faultCount = 0
  private var path: [JSONStep] = []
  /// The paths of entities and of other parts, by name.
  private var partPaths: [String: [JSONStep]] = [:]
  /// The paths of properties and indexes, by the name of their part and their own name.
  private var memberPaths: [[String]: [JSONStep]] = [:]
  private var suggestion = NameSuggestion()

  // MARK: - Faults

  /// Reports a fault of the current value.
  mutating func report(_ message: String, isAboutName: Bool = false) {
    faultCount += 1
    guard faults.count < Self.mostFaults else { return }
    faults.append(Fault(path: path, isAboutName: isAboutName, message: message))
  }

  /// Reports that the current value is not of the expected kind.
  mutating func report(_ json: JSON, insteadOf expected: String) {
    report("The value must be \(expected), not \(Self.shown(json)).")
  }

  /// Reports a word that is not one of the known words.
  ///
  /// - Parameters:
  ///   - known: All words that are allowed.
  ///   - meant: The word that was probably meant, if the caller knows one.
  mutating func report(
    unknown kind: String, _ word: String, among known: [String], meant: String? = nil,
    isAboutName: Bool = false
  ) {
    let hint =
      meant.map { " Did you mean \"\($0)\"?" } ?? suggestion.sentence(for: word, among: known)
    let all = known.map { "\"\($0)\"" }.joined(separator: ", ")
    report(
      "There is no \(kind) \(Self.shown(.string(word)))."
        + (hint.isEmpty ? " The known words are: \(all)." : hint),
      isAboutName: isAboutName)
  }

  /// Returns a value for a message, limited in length.
  private static func shown(_ json: JSON) -> String {
    switch json {
    case .array, .members: return json.kind
    case .string(let text):
      return JSON.string(String(text.prefix(60)) + (text.count > 60 ? "…" : "")).line
    case .number(let digits): return String(digits.prefix(60)) + (digits.count > 60 ? "…" : "")
    case .null: return "null; leave the key out"
    case .boolean: return json.line
    }
  }

  // MARK: - Places

  /// Calls `body` for a value inside the current value.
  mutating func at<R>(_ step: JSONStep, _ body: (inout ModelJSONReading) -> R) -> R {
    path.append(step)
    defer { path.removeLast() }
    return body(&self)
  }

  /// Records the path of the current value as the path of a part of the model.
  mutating func record(part name: String) { partPaths[name] = path }

  /// Records the path of the current value as the path of a member of a part.
  mutating func record(member name: String, of part: String) { memberPaths[[part, name]] = path }

  /// Returns the path of the part that a fault of a model is about; `nil` for the whole model.
  func path(of fault: ModelFault) -> [JSONStep]? {
    guard let part = fault.entity else { return nil }
    return fault.property.flatMap { memberPaths[[part, $0]] } ?? partPaths[part]
  }

  // MARK: - Values

  /// Returns the part of an object with the given fields; `nil` if the value is not an object.
  mutating func part<Part>(
    _ json: JSON, _ fields: [ModelJSONField<Part>], _ empty: Part
  ) -> Part? {
    guard case .members(let members) = json else {
      report(json, insteadOf: "an object")
      return nil
    }
    let keys = fields.map(\.key)
    for member in members where !keys.contains(member.name) {
      at(.member(member.name)) { reading in
        reading.report(unknown: "key", member.name, among: keys, isAboutName: true)
      }
    }
    var part = empty
    for field in fields {
      if let value = json[field.key] {
        at(.member(field.key)) { field.read(value, &part, &$0) }
      } else if field.isRequired {
        report("The key \"\(field.key)\" is missing.")
      }
    }
    return part
  }

  /// Calls `body` for each item of an array. Reports a value that is not an array.
  mutating func items(_ json: JSON, _ body: (JSON, inout ModelJSONReading) -> Void) {
    guard case .array(let items) = json else { return report(json, insteadOf: "an array") }
    for (index, item) in items.enumerated() { at(.item(index)) { body(item, &$0) } }
  }
}
