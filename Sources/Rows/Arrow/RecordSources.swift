// SAFETY: Spans are rows of their columns, the caller keeps the columns alive, and each buffer has room for the values of all
// spans: their number is `count`.

import Foundation
import ObjectModel

/// The values of one column in spans of rows, to be copied into Arrow buffers.
@unsafe
struct RecordSources {
  private let spans: [(block: UInt32, rows: Range<Int>)]
  private let raws: [RawColumn]
  private let count: Int

  init(_ spans: [(UInt32, Range<Int>)], _ raws: [RawColumn], _ count: Int) {
    unsafe self.spans = spans
    unsafe self.raws = unsafe raws
    unsafe self.count = count
  }

  /// Calls `body` with each span: its column, its rows, and the index of its first record.
  @inline(__always)
  private func forEachSpan(_ body: (RawColumn, Range<Int>, Int) throws -> Void) rethrows {
    var start = 0
    for span in unsafe spans {
      unsafe try body(raws[Int(span.block)], span.rows, start)
      start += span.rows.count
    }
  }

  /// Returns the bitmap of the records that have a value, and the number of those that have none.
  func presence() -> (ArrowBuffer, nullCount: Int) {
    var isNeeded = false
    unsafe forEachSpan { raw, rows, _ in
      // A reference to no object is a null too.
      if unsafe raw.kind == .reference || raw.isNothing || raw.presence != nil { isNeeded = true }
    }
    guard isNeeded else { return (.none, 0) }
    var nullCount = 0
    let buffer = unsafe ArrowBuffer(byteCount: (count + 7) / 8) { bytes in
      unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
      unsafe forEachSpan { raw, rows, start in
        for (index, row) in rows.enumerated() {
          if unsafe raw.isNull(row) || raw.kind == .reference && raw.integer(row) == 0 {
            nullCount += 1
          } else {
            let place = start &+ index
            unsafe bytes[place &>> 3] |= 1 << UInt8(place & 7)
          }
        }
      }
    }
    return nullCount == 0 ? (.none, 0) : (buffer, nullCount)
  }

  /// Returns the buffers after the bitmap.
  func buffers(_ kind: ColumnKind, name: String) throws -> [ArrowBuffer] {
    switch kind {
    case .boolean:
      return unsafe [
        ArrowBuffer(byteCount: (count + 7) / 8) { bytes in
          unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
          unsafe forEachSpan { raw, rows, start in
            for (index, row) in rows.enumerated() {
              if unsafe !raw.isNull(row) && raw.integer(row) != 0 {
                let place = start &+ index
                unsafe bytes[place &>> 3] |= 1 << UInt8(place & 7)
              }
            }
          }
        }
      ]
    case .int16: return unsafe [narrowed(to: Int16.self)]
    case .int32: return unsafe [narrowed(to: Int32.self)]
    case .int64, .reference: return unsafe [integers()]
    case .float:
      return unsafe [numbers(of: Float.self) { raw, row in unsafe raw.float(row) }]
    case .double:
      return unsafe [numbers(of: Double.self) { raw, row in unsafe raw.double(row) }]
    case .date: return unsafe [try moments(name)]
    case .uuid:
      return unsafe [
        ArrowBuffer(byteCount: count * 16) { bytes in
          unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
          unsafe forEachSpan { raw, rows, start in
            for (index, row) in rows.enumerated() where unsafe !raw.isNull(row) {
              unsafe UnsafeMutableRawBufferPointer(
                rebasing: bytes[(start + index) * 16..<(start + index + 1) * 16]
              )
              .copyMemory(from: raw.bytes(row))
            }
          }
        }
      ]
    case .decimal: return unsafe texts()
    case .string, .uri, .binary: return unsafe byteStrings()
    }
  }

  private func integers() -> ArrowBuffer {
    unsafe ArrowBuffer(byteCount: count * 8) { bytes in
      guard let target = unsafe bytes.bindMemory(to: Int64.self).baseAddress else { return }
      unsafe forEachSpan { raw, rows, start in
        if unsafe raw.isNothing {
          unsafe (target + start).initialize(repeating: 0, count: rows.count)
        } else {
          unsafe raw.copyIntegers(rows, into: target + start)
        }
      }
    }
  }

  private func narrowed<T: FixedWidthInteger & BitwiseCopyable>(to _: T.Type) -> ArrowBuffer {
    unsafe ArrowBuffer(byteCount: count * MemoryLayout<T>.size) { bytes in
      let target = unsafe bytes.bindMemory(to: T.self)
      // The number in a row without a value may be any number, even one that the kind cannot hold.
      unsafe forEachSpan { raw, rows, start in
        let isNothing = unsafe raw.isNothing
        for (index, row) in rows.enumerated() {
          unsafe target[start &+ index] =
            isNothing ? 0 : unsafe T(truncatingIfNeeded: raw.integer(row))
        }
      }
    }
  }

  private func numbers<T: BinaryFloatingPoint & BitwiseCopyable>(
    of _: T.Type, _ value: (RawColumn, Int) -> T
  ) -> ArrowBuffer {
    unsafe ArrowBuffer(byteCount: count * MemoryLayout<T>.size) { bytes in
      let target = unsafe bytes.bindMemory(to: T.self)
      unsafe forEachSpan { raw, rows, start in
        let isNothing = unsafe raw.isNothing
        for (index, row) in rows.enumerated() {
          unsafe target[start &+ index] = isNothing ? 0 : unsafe value(raw, row)
        }
      }
    }
  }

  /// Returns dates as microseconds since 1970.
  private func moments(_ name: String) throws -> ArrowBuffer {
    unsafe try dates(as: RecordValues.microseconds) { RecordValues.beyondMoments($0, name) }
  }

  /// Returns dates as days since 1970.
  func days(_ name: String) throws -> ArrowBuffer {
    unsafe try dates(as: RecordValues.days) { RecordValues.notADay($0, name) }
  }

  private func dates<T: FixedWidthInteger & BitwiseCopyable>(
    as converted: (_ seconds: Double) -> T?, otherwise error: (_ seconds: Double) -> RecordError
  ) throws -> ArrowBuffer {
    var wrong: Double?
    let buffer = unsafe ArrowBuffer(byteCount: count * MemoryLayout<T>.size) { bytes in
      let target = unsafe bytes.bindMemory(to: T.self)
      unsafe forEachSpan { raw, rows, start in
        for (index, row) in rows.enumerated() {
          var date: T? = 0
          if unsafe !raw.isNull(row) {
            let seconds = unsafe raw.double(row)
            date = converted(seconds)
            if date == nil { wrong = seconds }
          }
          unsafe target[start &+ index] = date ?? 0
        }
      }
    }
    if let wrong { throw error(wrong) }
    return buffer
  }

  /// Returns byte strings, one behind the other.
  private func byteStrings() -> [ArrowBuffer] {
    var total = 0
    let offsets = unsafe ArrowBuffer(byteCount: (count + 1) * 8) { bytes in
      let target = unsafe bytes.bindMemory(to: Int64.self)
      unsafe target[0] = 0
      unsafe forEachSpan { raw, rows, start in
        for (index, row) in rows.enumerated() {
          if unsafe !raw.isNull(row) { unsafe total &+= raw.bytes(row).count }
          unsafe target[start &+ index &+ 1] = Int64(total)
        }
      }
    }
    let heap = unsafe ArrowBuffer(byteCount: total) { target in
      var place = 0
      unsafe forEachSpan { raw, rows, _ in
        for row in rows where unsafe !raw.isNull(row) {
          let bytes = unsafe raw.bytes(row)
          guard let start = bytes.baseAddress, bytes.count > 0 else { continue }
          unsafe (target.baseAddress! + place).copyMemory(from: start, byteCount: bytes.count)
          place &+= bytes.count
        }
      }
    }
    return [offsets, heap]
  }

  /// Returns decimals as integers of 128 bits: the digits before and after the point. All values must fit, as
  /// ``DecimalScale`` finds out.
  func decimals(scale: Int) -> ArrowBuffer {
    unsafe ArrowBuffer(byteCount: count * 16) { bytes in
      unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
      unsafe forEachSpan { raw, rows, start in
        for (index, row) in rows.enumerated() where unsafe !raw.isNull(row) {
          guard let parts = unsafe DecimalParts(raw.decimal(row)) else { continue }
          let digits = parts.scaled(to: scale) ?? 0
          unsafe bytes.storeBytes(
            of: digits.littleEndian, toByteOffset: (start + index) * 16, as: Int128.self)
        }
      }
    }
  }

  /// Returns decimals as texts, because a column of Arrow has one scale, and here each value has its own.
  private func texts() -> [ArrowBuffer] {
    var heap: [UInt8] = []
    var ends: [Int64] = [0]
    unsafe ends.reserveCapacity(count + 1)
    unsafe forEachSpan { raw, rows, _ in
      for row in rows {
        if unsafe !raw.isNull(row) {
          unsafe heap.append(contentsOf: raw.decimal(row).description.utf8)
        }
        ends.append(Int64(heap.count))
      }
    }
    return RecordValues.strings(ends, heap)
  }
}
