public import ObjectModel
public import Quire
public import StoreInterface
public import Validation

extension Validator {
  /// Checks a document, a packed document or a store against every rule of the specification.
  ///
  ///     let report = try Validator.report(on: "Trips.quire")
  ///     if report.verdict != .valid { print(report.text) }
  ///
  /// The check reads every byte and writes nothing. Use a `Validator` itself to show the progress of a long check.
  ///
  /// - Parameters:
  ///   - places: The backends that check stores in other formats, and the disk.
  ///   - model: A model that the objects should match, in addition to the model of the document.
  /// - Throws: `DiskError` if something can't be read; never because of the contents.
  public static func report(
    on path: String, in places: StorePlaces = .builtIn, model: Model? = nil
  ) throws -> ValidationReport {
    try Validator(model: model, backends: places.backends).validate(path, on: places.disk)
  }
}
