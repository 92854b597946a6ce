public import ObjectModel

/// The text form of a model, for people without Apple's model editor (spec §12).
///
/// ```text
/// entity Trip
///   name: String = "Untitled", length 1...100
///   start: Date?
///   stops: [Stop], inverse trip, ordered, delete cascade
///
/// entity Stop
///   name: String
///   nights: Int16 = 1, min 0
///   trip: Trip, inverse stops
/// ```
///
/// The form keeps everything that a model contains, the editor's own data included. Comments begin with `#` and end
/// with the line. They are part of the text and not of the model.
public enum ModelText {
  /// The ending of files in this form.
  public static let pathExtension = "model"

  /// Reads the text of a model, without checking that the model is sound.
  ///
  /// - Parameter path: The name of the file in messages.
  /// - Throws: ``ModelFileError`` with the place of every statement that can't be read.
  public static func read(
    _ bytes: [UInt8], path: String = "model"
  ) throws(ModelFileError) -> Model.Description {
    try ModelTextReader.read(bytes, path: path).description
  }

  /// Reads the text of a model, and checks the model.
  ///
  /// - Throws: ``ModelFileError`` with the place of every fault.
  static func model(_ bytes: [UInt8], path: String) throws(ModelFileError) -> Model {
    let read = try ModelTextReader.read(bytes, path: path)
    do { return try Model(read.description) } catch {
      let faults = error.faults.filter { $0.severity == .error }.map { fault in
        ModelTextFault(read.place(of: fault), fault.description)
      }
      throw ModelTextFault.error(.invalidModel, faults, path: path, cause: error)
    }
  }

  /// Returns the text of a model.
  public static func write(_ model: Model) -> String {
    var writer = ModelTextWriter()
    writer.write(model.description)
    return ModelTextLayout.text(writer.statements)
  }

  /// Returns a text in the usual layout: one statement in a line, members of an entity indented, and long statements
  /// wrapped after commas. Comments stay with their statements, and no statement changes its meaning or its place.
  ///
  /// - Throws: ``ModelFileError`` with the place of every statement that can't be read.
  public static func formatted(
    _ bytes: [UInt8], path: String = "model"
  ) throws(ModelFileError) -> String {
    let statements = try ModelTextReader.statements(bytes, path: path)
    // Read the whole text first: the layout of a text with faults would be a guess.
    _ = try ModelTextReader.read(statements, path: path)
    return ModelTextLayout.text(statements)
  }

  /// Returns the name of a type in the text: `Int16`. Composite attributes have the name of their composite type instead.
  package static func typeName(of type: AttributeType) -> String {
    type.traits.textName ?? type.sourceName
  }

  /// Returns the name of an attribute's type in the text, which for days differs from that of Date.
  package static func typeName(of attribute: Attribute) -> String {
    attribute.validation.isDay ? ModelTextType.day : typeName(of: attribute.type)
  }

  /// Returns an attribute of the type with a name, in letters of any case; `nil` if no type has the name.
  package static func attribute(_ name: String, ofTypeNamed type: some StringProtocol) -> Attribute?
  {
    ModelTextType.names.first { $0.lowercased() == type.lowercased() }
      .flatMap { ModelTextType.attribute(name, $0) }
  }

  /// Returns whether bytes that are neither XML nor a property list seem to be the text of a model: the first word that
  /// is not in a comment begins a statement.
  package static func mayBegin(_ bytes: [UInt8]) -> Bool {
    let start = String(decoding: bytes.prefix(65_536), as: UTF8.self)
    for line in start.split(whereSeparator: \.isNewline) {
      let words = line.drop(while: \.isWhitespace)
      if words.isEmpty || words.hasPrefix("#") { continue }
      let word = words.prefix { $0.isLetter }
      return ModelTextReader.headers.contains(String(word))
    }
    return false
  }
}

/// A fault in the text of a model.
struct ModelTextFault: Error {
  /// A place in a text. Lines and columns count from 1.
  struct Place: Hashable, Comparable, CustomStringConvertible {
    var line = 1
    var column = 1

    var description: String { "\(line):\(column)" }

    static func < (left: Place, right: Place) -> Bool {
      (left.line, left.column) < (right.line, right.column)
    }
  }

  let place: Place?
  let message: String
  /// The destination of the relationship that the fault is about. If the text does not declare that entity, the fault
  /// is only a consequence of the wrong name.
  var destination: String?

  init(_ place: Place?, _ message: String) {
    self.place = place
    self.message = message
  }

  /// Returns an error with all faults. The first fault is the place of the error, and each further one gets a line
  /// in the message.
  ///
  /// - Parameter count: The number of all faults, if `faults` contains only the first.
  static func error(
    _ code: ModelFileError.Code, _ faults: [ModelTextFault], count: Int? = nil, path: String,
    cause: (any Error)? = nil
  ) -> ModelFileError {
    // Faults of the same place stay in the order in which they were found.
    let start = Place(line: 0)
    let sorted = faults.enumerated().sorted {
      ($0.element.place ?? start, $0.offset) < ($1.element.place ?? start, $1.offset)
    }.map(\.element)
    let shown = 20
    var lines = [sorted.first?.message ?? "The model has faults."]
    lines += sorted.dropFirst().prefix(shown - 1).map { fault in
      path + (fault.place.map { ":\($0)" } ?? "") + ": " + fault.message
    }
    let count = count ?? sorted.count
    if count > shown { lines.append("There are \(count - shown) more faults.") }
    let place = sorted.first?.place.map(\.description) ?? ""
    return ModelFileError(
      code, path: path, place: place, message: lines.joined(separator: "\n"), cause: cause)
  }
}
