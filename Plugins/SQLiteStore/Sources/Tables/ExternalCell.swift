/// A cell of an attribute whose large values are in separate files (spec §10.4.6). Its first byte shows where the
/// value is.
package enum ExternalCell: Sendable, Hashable {
  /// The value, in the cell.
  case inside(ArraySlice<UInt8>)
  /// The name of the file with the value: a UUID.
  case file(String)
  /// Bytes that follow neither form.
  case other

  /// Interprets the bytes of a cell.
  package init(_ cell: [UInt8]) {
    switch cell.first {
    case 1: self = .inside(cell.dropFirst())
    case 2:
      let name = cell.dropFirst().prefix { $0 != 0 }
      // The name must be a UUID, so that it can't lead out of the folder.
      guard name.count == 36, cell.count <= 38,
        name.allSatisfy({
          (0x30...0x39).contains($0) || (0x41...0x46).contains($0) || (0x61...0x66).contains($0)
            || $0 == 0x2D
        })
      else {
        self = .other
        return
      }
      self = .file(String(decoding: name, as: UTF8.self))
    default: self = .other
    }
  }
}
