package import JSONText
public import ObjectModel

/// The JSON form of a model, for programs (spec §12.7).
///
/// ```json
/// {
///   "version": "Trips 2",
///   "model": {"entities": [{"name": "Trip", "attributes": [{"name": "title", "type": "String"}]}]}
/// }
/// ```
///
/// The form keeps everything that a model contains, the editor's own data included.
public enum ModelJSON {
  /// The ending of files in this form.
  public static let pathExtension = "json"

  /// Reads a model in JSON, without checking that the model is sound.
  ///
  /// - Parameter path: The name of the file in messages.
  /// - Throws: ``ModelFileError`` with the place of every value that can't be read.
  public static func read(
    _ bytes: [UInt8], path: String = "json"
  ) throws(ModelFileError) -> Model.Description {
    try ModelJSONFile(bytes, path: path).part.model
  }

  /// Reads a model in JSON, and checks the model.
  ///
  /// - Returns: The model, and the name of the version if the text contains one.
  /// - Throws: ``ModelFileError`` with the place of every fault.
  static func model(
    _ bytes: [UInt8], path: String
  ) throws(ModelFileError) -> (version: String?, model: Model) {
    let file = try ModelJSONFile(bytes, path: path)
    do { return (file.part.version, try Model(file.part.model)) } catch {
      throw file.error(for: error)
    }
  }

  /// Returns a model in JSON, indented, with the name of its version if there is one.
  public static func write(_ model: Model, version: String? = nil) -> String {
    json(model, version: version).text + "\n"
  }

  /// Returns the JSON of a model and of the name of its version.
  package static func json(_ model: Model, version: String?) -> JSON {
    let part = ModelJSONFile.Part(version: version, model: model.description)
    return ModelJSONFile.fields.json(part)
  }

  package static func json(_ model: Model) -> JSON { fields.json(model.description) }
}

/// The JSON text of a model: the model alone, or an object that contains the model and the name of its version.
struct ModelJSONFile {
  /// The parts of the text.
  struct Part {
    var version: String?
    var model = Model.Description()
  }

  let part: Part
  private let bytes: [UInt8]
  private let path: String
  private let reading: ModelJSONReading

  /// The object around a model.
  static let fields: [ModelJSONField<Part>] = [
    .optional("version", \.version, .versionName),
    .field("model", \.model, .part(ModelJSON.fields, Model.Description()), isRequired: true),
  ]

  /// Reads a text.
  ///
  /// - Throws: ``ModelFileError`` with the place of every fault.
  init(_ text: [UInt8], path: String) throws(ModelFileError) {
    self.path = path
    // Skip a byte order mark: some editors write one, but JSON does not allow it.
    bytes = text.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(text.dropFirst(3)) : text
    let json: JSON
    do { json = try JSON.read(bytes) } catch {
      throw ModelFileError(
        .damaged, path: path, place: "\(error.line):\(error.column)",
        message: "The file is no JSON: \(error.reason)", cause: error)
    }
    guard case .members(let members) = json,
      members.contains(where: { ["entities", "model"].contains($0.name) })
    else {
      throw ModelFileError(
        .unknownFormat, path: path,
        message:
          "The file is JSON, but not of a model: an object with the key \"entities\" or \"model\".")
    }
    var reading = ModelJSONReading()
    if members.contains(where: { $0.name == "model" }) {
      part = reading.part(json, Self.fields, Part()) ?? Part()
    } else {
      part = Part(model: reading.part(json, ModelJSON.fields, Model.Description()) ?? .init())
    }
    self.reading = reading
    guard reading.faults.isEmpty else {
      throw error(.damaged, reading.faults, count: reading.faultCount)
    }
  }

  /// Returns the error for a model that was read and is not sound.
  func error(for error: ModelError) -> ModelFileError {
    let faults = error.faults.filter { $0.severity == .error }.map { fault in
      ModelJSONReading.Fault(
        path: reading.path(of: fault), isAboutName: false, message: fault.description)
    }
    return self.error(.invalidModel, faults, count: faults.count, cause: error)
  }

  /// Returns an error with faults and their places.
  private func error(
    _ code: ModelFileError.Code, _ faults: [ModelJSONReading.Fault], count: Int,
    cause: (any Error)? = nil
  ) -> ModelFileError {
    let places = JSON.places(of: faults.map { $0.path ?? [] }, in: bytes)
    let offsets = zip(faults, places).map { fault, place in
      place.flatMap { fault.path == nil ? nil : fault.isAboutName ? $0.name : $0.value }
    }
    let lines = Self.lines(at: offsets, in: bytes)
    let placed = zip(faults, lines).map { fault, line in
      let place = fault.path?.text ?? ""
      return ModelTextFault(line, (place.isEmpty ? "" : place + ": ") + fault.message)
    }
    return ModelTextFault.error(code, placed, count: count, path: path, cause: cause)
  }

  /// Returns the lines and columns of bytes. Columns count bytes, as in errors of JSON.
  private static func lines(at offsets: [Int?], in bytes: [UInt8]) -> [ModelTextFault.Place?] {
    var places = [ModelTextFault.Place?](repeating: nil, count: offsets.count)
    var (line, start, position) = (1, 0, 0)
    let order = offsets.indices.filter { offsets[$0] != nil }.sorted { offsets[$0]! < offsets[$1]! }
    for index in order {
      let offset = offsets[index]!
      while position < offset {
        if bytes[position] == 0x0A { (line, start) = (line + 1, position + 1) }
        position += 1
      }
      places[index] = ModelTextFault.Place(line: line, column: offset - start + 1)
    }
    return places
  }
}
