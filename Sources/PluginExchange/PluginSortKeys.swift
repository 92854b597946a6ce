// SAFETY: The texts of outgoing sort keys are allocated for the length of the call, and freed after it. Those of
// incoming keys are copied while they are valid.

package import CStorePlugin
package import ObjectQuery

/// Sort keys in the form of the interface (spec §9.8.7a).
package enum PluginSortKeys {
  /// Calls `body` with some keys as structures, which are valid until `body` returns.
  @unsafe package static func withKeys<R>(
    _ keys: [SortKey], _ body: (UnsafeBufferPointer<QuireSortKey>) throws -> R
  ) rethrows -> R {
    let paths = unsafe keys.map { unsafe allocatedText($0.path) }
    defer {
      for index in keys.indices { unsafe paths[index].deallocate() }
    }
    var structures = unsafe [QuireSortKey]()
    for (index, key) in keys.enumerated() {
      unsafe structures.append(
        QuireSortKey(
          path: UnsafePointer(paths[index]), options: UInt32(key.options.rawValue),
          is_ascending: key.isAscending ? 1 : 0))
    }
    return try unsafe structures.withUnsafeBufferPointer(body)
  }

  /// Reads some structures as keys; `nil` if a key lacks its path, or has an option that this program does not know.
  @unsafe package static func keys(_ structures: UnsafeBufferPointer<QuireSortKey>) -> [SortKey]? {
    var keys: [SortKey] = []
    for index in structures.indices {
      let key = unsafe structures[index]
      guard let path = unsafe key.path, unsafe key.options < UInt32(QUIRE_LOCALIZED) << 1 else {
        return nil
      }
      keys.append(
        SortKey(
          unsafe String(cString: path), ascending: unsafe key.is_ascending != 0,
          options: TextOptions(rawValue: UInt8(unsafe key.options))))
    }
    return keys
  }
}
