// SAFETY: The array lives as long as its rows are read, and the other side promises buffers with the lengths that Arrow
// demands for the format. The interface does not carry the lengths, so no reader can check them.

internal import CArrow
import Foundation

/// The cells of one column of an Arrow array.
@safe
struct InputCells {
  /// The value of a cell.
  enum Cell: CustomStringConvertible {
    case null
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    case bytes(Data)
    case moment(Double)
    case unknown(String)

    var description: String {
      switch self {
      case .null: "null"
      case .boolean(let flag): "\(flag)"
      case .integer(let number): "\(number)"
      case .number(let number): "\(number)"
      case .text(let text): "\"\(text.prefix(60))\""
      case .bytes(let bytes): "a value of \(bytes.count) bytes"
      case .moment: "a date"
      case .unknown(let format): "a value with the Arrow format \"\(format)\""
      }
    }
  }

  private let array: UnsafeMutablePointer<ArrowArray>
  private let format: String
  private let letter: Character
  private let indices: IndexCells?
  /// The seconds of one unit of a date.
  private let unit: Double

  /// A column that contains indices into a dictionary.
  private final class IndexCells {
    let dictionary: InputCells
    init(_ dictionary: InputCells) { self.dictionary = dictionary }
  }

  @unsafe init(
    _ array: UnsafeMutablePointer<ArrowArray>, _ schema: UnsafeMutablePointer<ArrowSchema>
  ) {
    unsafe self.array = unsafe array
    format = unsafe schema.pointee.format.map { unsafe String(cString: $0) } ?? ""
    letter = format.first ?? "?"
    if let names = unsafe schema.pointee.dictionary, let values = unsafe array.pointee.dictionary {
      indices = unsafe IndexCells(InputCells(values, names))
    } else {
      indices = nil
    }
    unit =
      switch format.prefix(3) {
      case "tss": 1
      case "tsm", "tdm": 1e-3
      case "tsu": 1e-6
      case "tsn": 1e-9
      case "tdD": 86_400
      default: 0
      }
  }

  /// Returns the cell of a row of the parent's array.
  func cell(_ row: Int) -> Cell {
    let row = unsafe row + Int(array.pointee.offset)
    if letter == "n" || isNull(row) { return .null }
    if let indices {
      guard case .integer(let index) = plain(row) else { return .unknown(format) }
      return indices.dictionary.cell(Int(index))
    }
    return plain(row)
  }

  private func isNull(_ row: Int) -> Bool {
    guard unsafe array.pointee.n_buffers > 0, let bits = unsafe array.pointee.buffers[0] else {
      return false
    }
    return unsafe !bit(bits, row)
  }

  private func bit(_ bits: UnsafeRawPointer, _ row: Int) -> Bool {
    unsafe bits.load(fromByteOffset: row >> 3, as: UInt8.self) >> UInt8(row & 7) & 1 != 0
  }

  private func load<T: BitwiseCopyable>(_ row: Int, as _: T.Type) -> T {
    unsafe array.pointee.buffers[1]!.loadUnaligned(
      fromByteOffset: row * MemoryLayout<T>.size, as: T.self)
  }

  private func plain(_ row: Int) -> Cell {
    switch letter {
    case "b": unsafe .boolean(bit(array.pointee.buffers[1]!, row))
    case "c": .integer(Int64(load(row, as: Int8.self)))
    case "C": .integer(Int64(load(row, as: UInt8.self)))
    case "s": .integer(Int64(load(row, as: Int16.self)))
    case "S": .integer(Int64(load(row, as: UInt16.self)))
    case "i": .integer(Int64(load(row, as: Int32.self)))
    case "I": .integer(Int64(load(row, as: UInt32.self)))
    case "l", "L": .integer(load(row, as: Int64.self))
    case "f": .number(Double(load(row, as: Float.self)))
    case "g": .number(load(row, as: Double.self))
    case "u": .text(String(decoding: bytes(row, as: Int32.self), as: UTF8.self))
    case "U": .text(String(decoding: bytes(row, as: Int64.self), as: UTF8.self))
    case "z": .bytes(bytes(row, as: Int32.self))
    case "Z": .bytes(bytes(row, as: Int64.self))
    case "w": fixed(row)
    case "t": moment(row)
    default: .unknown(format)
    }
  }

  private func bytes<T: FixedWidthInteger & BitwiseCopyable>(_ row: Int, as _: T.Type) -> Data {
    let start = Int(load(row, as: T.self))
    let end = Int(load(row + 1, as: T.self))
    guard end > start, let heap = unsafe array.pointee.buffers[2] else { return Data() }
    return unsafe Data(bytes: heap + start, count: end - start)
  }

  private func fixed(_ row: Int) -> Cell {
    guard let width = Int(format.dropFirst(2)), width > 0 else { return .unknown(format) }
    return unsafe .bytes(Data(bytes: array.pointee.buffers[1]! + row * width, count: width))
  }

  private func moment(_ row: Int) -> Cell {
    guard unit > 0 else { return .unknown(format) }
    let count =
      format.hasPrefix("tdD") ? Int64(load(row, as: Int32.self)) : load(row, as: Int64.self)
    // The seconds between the beginnings of 1970 and 2001 are subtracted as whole numbers, so that no digit is lost.
    let between = Int64((978_307_200 / unit).rounded())
    return .moment(Double(count &- between) * unit)
  }
}
