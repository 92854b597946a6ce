/// A cell of an attribute whose large values lie in files of their own (spec §10.4.6): a byte says which way.
public enum ExternalCell: Sendable, Hashable {
  /// The value itself.
  case inside(ArraySlice<UInt8>)
  /// The name of the file that has it: a UUID.
  case file(String)
  /// Neither: bytes as they are.
  case other

  /// The meaning of a cell's bytes.
  public init(_ cell: [UInt8]) {
    switch cell.first {
    case 1: self = .inside(cell.dropFirst())
    case 2:
      let name = cell.dropFirst().prefix { $0 != 0 }
      // Nothing but a UUID: a name must not lead out of the folder.
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
