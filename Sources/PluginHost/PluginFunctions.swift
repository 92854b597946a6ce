// SAFETY: The table is a library's own, or a checked copy of it, and is never freed: libraries stay loaded.

package import CStorePlugin

/// The functions of a plug-in, and one of its types of stores. Checked by whoever made it.
@safe
package struct PluginFunctions: @unchecked Sendable {
  // Sendable: the table never changes, and its functions may be called from any thread, one at a time.
  let table: UnsafePointer<QuirePlugin>
  let type: UnsafePointer<QuireStoreType>
  /// What messages call the plug-in.
  let name: String

  /// The functions of a table that was checked.
  @unsafe package init(
    _ table: UnsafePointer<QuirePlugin>, type: UnsafePointer<QuireStoreType>, name: String
  ) {
    unsafe self.table = table
    unsafe self.type = type
    self.name = name
  }

  /// The functions of a table for stores of a type; `nil` when it has none such.
  @unsafe package init?(_ table: UnsafePointer<QuirePlugin>, type name: String) {
    for index in 0..<Int(unsafe table.pointee.type_count) {
      guard let type = unsafe table.pointee.types[index],
        unsafe String(cString: type.pointee.name) == name
      else { continue }
      unsafe self.init(table, type: type, name: unsafe String(cString: table.pointee.name))
      return
    }
    return nil
  }

  private func has(_ flag: Int) -> Bool {
    unsafe type.pointee.flags & UInt32(flag) != 0
  }

  /// Whether reading functions may be called from several threads at once.
  var isThreaded: Bool { has(Int(QUIRE_THREADED)) }
  /// Whether commits may bring rows with some of their values.
  var takesChanges: Bool { has(Int(QUIRE_TAKES_CHANGES)) }
  /// Whether commits may bring blocks.
  var takesBlocks: Bool { has(Int(QUIRE_TAKES_BLOCKS)) }
}
