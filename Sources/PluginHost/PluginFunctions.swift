// SAFETY: The table is a library's own, or a checked copy of it, and is never freed: libraries stay loaded.

package import CStorePlugin
import StoreInterface

/// The functions of a plug-in, and one of its types of stores. Checked by whoever made it.
@safe
package struct PluginFunctions: @unchecked Sendable {
  // Sendable: the table never changes, and its functions may be called from any thread, one at a time.
  let table: UnsafePointer<QuirePlugin>
  let type: UnsafePointer<QuireStoreType>
  /// How stores of the type are called.
  private let flags: UInt32
  /// What messages call the plug-in.
  let name: String
  /// The library's file.
  private let library: String

  /// The functions of a table that was checked.
  @unsafe package init(
    _ table: UnsafePointer<QuirePlugin>, type: UnsafePointer<QuireStoreType>, flags: UInt32,
    name: String, library: String = ""
  ) {
    unsafe self.table = table
    unsafe self.type = type
    self.flags = flags
    self.name = name
    self.library = library
  }

  /// The error that the plug-in has done what the interface forbids. `fault` completes "The plug-in …".
  func failure(_ fault: String, at path: String?) -> StoreError {
    PluginRefusal(
      .failedInUse, plugin: name, path: library,
      "The plug-in '\(name)'\(library.isEmpty ? "" : " (\(library))") \(fault)"
    ).error(ofStoreAt: path)
  }

  /// Calls `body`, and says of what is wrong with what the plug-in gave that the plug-in gave it.
  func checking<R>(at path: String?, _ body: () throws -> R) throws -> R {
    do { return try body() } catch let error as StoreError where error.code == .badPlugin {
      if error.cause is PluginRefusal { throw error }
      throw failure("broke what it promises: \(error.message)", at: path)
    }
  }

  private func has(_ flag: Int) -> Bool { flags & UInt32(flag) != 0 }

  /// Whether reading functions may be called from several threads at once.
  var isThreaded: Bool { has(Int(QUIRE_THREADED)) }
  /// Whether commits may bring rows with some of their values.
  var takesChanges: Bool { has(Int(QUIRE_TAKES_CHANGES)) }
  /// Whether commits may bring blocks.
  var takesBlocks: Bool { has(Int(QUIRE_TAKES_BLOCKS)) }
}
