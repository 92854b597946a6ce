import Rows

extension ColumnCheck {
  /// Checks offsets and the heap that they lead into (spec §3.4.5).
  ///
  /// - Returns: A function from the index of a value to the range of its bytes; `nil` if the offsets are wrong.
  func checkHeap(_ parts: inout BodyParts, count: Int) -> ((Int) -> Range<Int>)? {
    let range = parts.take((count + 1) * Int(column.offsetWidth))
    guard !parts.isShort else { return nil }
    let offsets = CodedIntegers(
      bytes: block.bytes, start: range.lowerBound, width: Int(column.offsetWidth),
      base: column.offsetBase, step: column.offsetStep)
    let heap = parts.takeRest()
    guard offsets[0] == 0, offsets[count] == Int64(heap.count) else {
      add(
        .heapOffsets,
        "The offsets are from \(offsets[0]) to \(offsets[count]), but the heap has \(heap.count) bytes."
      )
      return nil
    }
    var last: Int64 = 0
    // Offsets without data form a line from 0 to the heap's length, which ascends.
    for index in 1...(offsets.ends(count + 1) == nil ? count : 1) {
      let next = offsets[index]
      guard next >= last else {
        add(.heapOffsets, row: index, "The offset \(next) comes after \(last).")
        return nil
      }
      last = next
    }
    func place(_ index: Int) -> Range<Int> {
      heap.lowerBound + Int(offsets[index])..<heap.lowerBound + Int(offsets[index + 1])
    }
    func bytes(_ index: Int) -> ArraySlice<UInt8> { block.bytes[place(index)] }
    if column.encoding == .dictionary {
      for index in 1..<max(count, 1)
      where !bytes(index - 1).lexicographicallyPrecedes(bytes(index)) {
        add(.dictionaryOrder, "Entry \(index) does not come after entry \(index - 1).")
        break
      }
    }
    if column.kind == .string || column.kind == .uri {
      checkText(heap, offsets, count)
    } else if column.kind == .decimal {
      for index in 0..<count where !bytes(index).isCanonicalDecimal {
        add(
          .decimalForm, row: index,
          "The bytes \(bytes(index).hexadecimal) are not a canonical decimal number.")
      }
    }
    return place
  }

  private func checkText(_ heap: Range<Int>, _ offsets: CodedIntegers, _ count: Int) {
    let text = block.bytes[heap]
    if text.allSatisfy({ $0 < 0x80 }) { return }
    guard String(validating: text, as: UTF8.self) != nil else {
      // Some text of the heap is not UTF-8. The loop finds the rows.
      for index in 0..<count {
        let range =
          heap.lowerBound + Int(offsets[index])..<heap.lowerBound + Int(offsets[index + 1])
        if String(validating: block.bytes[range], as: UTF8.self) == nil {
          add(.textEncoding, row: index, "The text is not UTF-8.")
        }
      }
      return
    }
    for index in 1..<max(count, 1) {
      let start = heap.lowerBound + Int(offsets[index])
      if start < heap.upperBound, block.bytes[start] & 0xC0 == 0x80 {
        add(.textEncoding, row: index, "The text begins within a character.")
      }
    }
  }
}

extension ArraySlice<UInt8> {
  /// Whether the bytes are a decimal number in canonical form (spec §3.4.6).
  var isCanonicalDecimal: Bool {
    if isEmpty { return true }
    guard count >= 2, count <= 18, self[startIndex + 1] <= 1 else { return false }
    let exponent = Int8(bitPattern: self[startIndex])
    guard count > 2 else { return exponent == 0 && self[startIndex + 1] == 0 }
    let magnitude = dropFirst(2).reversed().reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
    return last != 0 && (magnitude % 10 != 0 || exponent == .max)
  }

  /// The bytes in hexadecimal, at most 24 of them.
  var hexadecimal: String {
    prefix(24).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
      .joined(separator: " ")
  }
}
