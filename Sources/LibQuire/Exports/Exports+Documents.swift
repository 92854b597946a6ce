// SAFETY: The caller passes pointers as quire.h demands.

public import CQuire
import Comparison
import Documents
import Interchange
import JSONText
import Migration
import ModelNotations
import Quire
import QuireTools
import StoreInterface
import Validation

/// Implements the function `quire_export` of quire.h.
@_cdecl("quire_export")
public func export(
  _ path: quire_text, _ entities: quire_text, _ file: quire_text,
  _ count: UnsafeMutablePointer<UInt64>?, _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(error) {
    let names = try unsafe entities.strings("list of entities") ?? []
    let report = try Export(of: unsafe path.required("path"), entitiesNamed: names)
      .write(to: unsafe file.required("path of the file"))
    unsafe put(UInt64(report.objectCount), count)
  }
}

/// Implements the function `quire_import` of quire.h.
@_cdecl("quire_import")
public func importObjects(
  _ path: quire_text, _ files: quire_text, _ count: UnsafeMutablePointer<UInt64>?,
  _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(error) {
    guard let paths = try unsafe files.strings("list of files") else {
      throw CallError(.badArgument, "The list of files is missing.")
    }
    let report = try Import(contentsOf: paths).write(to: unsafe path.required("path"))
    unsafe put(UInt64(report.insertedCount), count)
  }
}

/// Implements the function `quire_migrate` of quire.h.
@_cdecl("quire_migrate")
public func migrate(
  _ path: quire_text, _ model: quire_text, _ allowsLoss: Int32,
  _ progress: UnsafePointer<quire_progress>?, _ migrated: UnsafeMutablePointer<Int32>?,
  _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(error) {
    let places = StorePlaces.builtIn
    let path = try unsafe path.required("path")
    let versions = try ModelVersions.read(unsafe model.required("path of the model"))
    var migrator = Migrator.automatic
    migrator.versions = [KnownVersion](versions)
    migrator.allowsLoss = allowsLoss != 0
    if let reporter = unsafe Reporter(progress) {
      migrator.progress = { step in
        guard reporter.goesOn(UInt64(step.done), UInt64(step.total)) else {
          throw CancellationError()
        }
      }
    }
    let isMigrated =
      try places.isDocument(path)
      ? try Document.migrate(path, to: versions.current, with: migrator, in: places)
      : try !migrator.migrate(storeAt: path, to: versions.current, in: places).plan.isEmpty
    unsafe put(isMigrated ? 1 : 0, migrated)
  }
}

/// Implements the function `quire_validate` of quire.h.
@_cdecl("quire_validate")
public func validate(
  _ path: quire_text, _ progress: UnsafePointer<quire_progress>?,
  _ json: UnsafeMutablePointer<quire_bytes>?, _ error: UnsafeMutablePointer<quire_error>?
) -> Int32 {
  unsafe call(error) {
    var validator = Validator(backends: .builtIn)
    if let reporter = unsafe Reporter(progress) {
      validator.progress = { share in _ = reporter.goesOn(UInt64(share * 1000), 1000) }
    }
    let report = try validator.validate(unsafe path.required("path"))
    unsafe put(quire_bytes(JSON.report(report)), json)
  }
}
