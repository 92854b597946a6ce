// SAFETY: A structure that may grow begins with its size, and is copied only if it is large enough.

import StoreInterface

/// The structures of the interface that may grow at their end in a later minor version (spec §9.6.2).
package enum PluginStructures {
  /// Returns a copy of a structure that crossed the interface, which begins with its size.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/badPlugin`` if there is no structure, or if it is smaller than
  ///   in this program's header.
  @unsafe package static func copy<Structure>(
    of place: UnsafePointer<Structure>?
  ) throws -> Structure {
    guard let place = unsafe place else {
      throw StoreError(.badPlugin, "The structure \(Structure.self) is missing.")
    }
    unsafe try check(UnsafeRawPointer(place).load(as: UInt32.self), of: Structure.self)
    return unsafe place.pointee
  }

  /// Checks the size that a structure of the other side contains.
  ///
  /// - Throws: ``StoreError`` with code ``StoreError/Code/badPlugin`` if the structure is smaller than in this program's
  ///   header.
  package static func check<Structure>(_ byteCount: UInt32, of type: Structure.Type) throws {
    let least = MemoryLayout<Structure>.size
    guard byteCount >= least else {
      throw StoreError(
        .badPlugin,
        "The structure \(type) has \(byteCount) bytes, fewer than the \(least) bytes in the header of this program."
      )
    }
  }
}
