// SAFETY: The table is a library's own, or a checked copy of it, and is never freed: libraries stay loaded.

package import CStorePlugin
import PluginExchange
import StoreInterface

/// The functions of a plug-in, with one of its types of stores. The creator of the value has checked both.
@safe
package struct PluginFunctions: @unchecked Sendable {
  // Sendable: the table never changes, and its functions may be called from any thread, one at a time.
  let table: UnsafePointer<QuirePlugin>
  let type: UnsafePointer<QuireStoreType>
  /// The flags that determine how the functions of the type may be called.
  private let flags: UInt32
  /// The name of the plug-in in messages.
  let name: String
  /// The path of the library's file.
  private let library: String
  /// The life of the plug-in; `nil` for functions without a library.
  let life: PluginLife?

  /// Creates the functions from a table that was checked.
  @unsafe package init(
    _ table: UnsafePointer<QuirePlugin>, type: UnsafePointer<QuireStoreType>, flags: UInt32,
    name: String, library: String = "", life: PluginLife? = nil
  ) {
    unsafe self.table = table
    unsafe self.type = type
    self.flags = flags
    self.name = name
    self.library = library
    self.life = life
  }

  /// Returns the error for a plug-in that violated the interface. `fault` completes "The plug-in …".
  func failure(_ fault: String, at path: String?) -> StoreError {
    PluginRefusal(
      .failedInUse, plugin: name, path: library,
      "The plug-in '\(name)'\(library.isEmpty ? "" : " (\(library))") \(fault)"
    ).error(ofStoreAt: path)
  }

  /// Returns the error for a call that the plug-in has ended with a code.
  func failure(
    _ code: Int32, taking error: inout QuireError, of name: StaticString, at path: String?
  ) -> StoreError {
    let known = unsafe StoreError(code, taking: &error, path: path)
    guard !StoreError.Code.isDefined(pluginCode: code) else { return known }
    return failure(
      "ends '\(name)' with the code \(code), which the interface does not define. \(known.message)",
      at: path)
  }

  /// Calls `body` on data that the plug-in gave, and turns its `badPlugin` error into one that names the plug-in.
  func checking<R>(at path: String?, _ body: () throws -> R) throws -> R {
    do { return try body() } catch let error as StoreError where error.code == .badPlugin {
      if error.cause is PluginRefusal { throw error }
      throw failure("violates the interface: \(error.message)", at: path)
    }
  }

  private func has(_ flag: Int) -> Bool { flags & UInt32(flag) != 0 }

  /// Whether reading functions may be called from several threads at once.
  var isThreaded: Bool { has(Int(QUIRE_THREADED)) }
  /// Whether commits may contain rows with some of their values.
  var takesChanges: Bool { has(Int(QUIRE_TAKES_CHANGES)) }
  /// Whether commits may contain blocks.
  var takesBlocks: Bool { has(Int(QUIRE_TAKES_BLOCKS)) }
}
