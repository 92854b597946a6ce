/// An encoding of integers: `value[i] = base + step * i + u[i]`, modulo 2^64 (spec §3.4.1).
///
/// With width 0 and step 0 the integers are constant. With width 0 alone they are a range, and with step 0 alone a
/// frame of reference. With neither they are a sloped frame, which suits keys with gaps and text offsets.
struct IntegerEncoding {
  var base: Int64
  var step: Int64
  var width: UInt8

  /// Chooses the smallest encoding of `n` integers.
  ///
  /// An integer whose byte in `present` is 0 may decode to any value. Without `present` all integers matter.
  @unsafe init(_ words: UnsafePointer<Int64>, present: UnsafePointer<UInt8>?, count n: Int) {
    guard let present = unsafe present else {
      unsafe self.init(dense: words, count: n)
      return
    }
    // SAFETY: The caller passes `n` integers and `n` marks.
    var least = Int64.max
    var most = Int64.min
    for i in 0..<n where unsafe present[i] != 0 {
      least = unsafe min(least, words[i])
      most = unsafe max(most, words[i])
    }
    if least > most { (least, most) = (0, 0) }
    self.init(
      base: least, step: 0, width: IntegerEncoding.width(of: UInt64(bitPattern: most &- least)))
  }

  private init(base: Int64, step: Int64, width: UInt8) {
    self.base = base
    self.step = step
    self.width = width
  }

  @unsafe private init(dense words: UnsafePointer<Int64>, count n: Int) {
    guard n > 0 else {
      self.init(base: 0, step: 0, width: 0)
      return
    }
    // SAFETY: The caller passes `n` integers.
    // Most columns descend somewhere near their start. A column that never descends needs no search for its least
    // and greatest integer.
    var row = 1
    while row < n, unsafe words[row] >= words[row &- 1] { row &+= 1 }
    let ascends = row == n
    var least = unsafe words[0]
    var most = unsafe words[n - 1]
    if !ascends {
      most = least
      for i in 0..<n {
        let word = unsafe words[i]
        least = word < least ? word : least
        most = word > most ? word : most
      }
    }
    self.init(
      base: least, step: 0, width: IntegerEncoding.width(of: UInt64(bitPattern: most &- least)))
    // A sloped line pays only where the integers ascend. Only well inside the range of 64 bits does the line have no
    // overflow. The distances from the line may still exceed 64 bits. They wrap around, as they do for a reader.
    guard ascends, width > 0, n > 1, least > -(1 << 62), most < 1 << 62 else { return }
    let slope = (most - least) / Int64(n - 1)
    guard slope > 0 else { return }
    var lowest = Int64.max
    var highest = Int64.min
    for i in 0..<n {
      let rest = unsafe words[i] &- slope &* Int64(i)
      lowest = min(lowest, rest)
      highest = max(highest, rest)
    }
    let slopedWidth = IntegerEncoding.width(of: UInt64(bitPattern: highest &- lowest))
    guard slopedWidth < width else { return }
    self.init(base: lowest, step: slope, width: slopedWidth)
  }

  /// Returns the smallest width for the given number.
  static func width(of most: UInt64) -> UInt8 {
    switch most {
    case 0: 0
    case ...0xFF: 1
    case ...0xFFFF: 2
    case ...0xFFFF_FFFF: 4
    default: 8
    }
  }

  /// Writes `u` of each integer; zero where `present` is 0.
  @unsafe func write(
    _ words: UnsafePointer<Int64>, present: UnsafePointer<UInt8>?, count n: Int,
    into buffer: inout ByteBuffer
  ) {
    switch width {
    case 0: break
    case 1: unsafe write(UInt8.self, words, present, n, &buffer)
    case 2: unsafe write(UInt16.self, words, present, n, &buffer)
    case 4: unsafe write(UInt32.self, words, present, n, &buffer)
    default: unsafe write(UInt64.self, words, present, n, &buffer)
    }
  }

  @inline(__always)
  @unsafe private func write<U: FixedWidthInteger & BitwiseCopyable>(
    _: U.Type, _ words: UnsafePointer<Int64>, _ present: UnsafePointer<UInt8>?, _ n: Int,
    _ buffer: inout ByteBuffer
  ) {
    // SAFETY: The caller passes `n` integers and marks, and `grow` provides room for `n` numbers. Buffers are
    // aligned to 8 before a column's integers.
    let target = unsafe buffer.grow(by: n * MemoryLayout<U>.size).assumingMemoryBound(to: U.self)
    if let present = unsafe present {
      for i in 0..<n {
        let word = unsafe words[i] &- base &- step &* Int64(i)
        unsafe target[i] = unsafe present[i] != 0 ? U(truncatingIfNeeded: word) : 0
      }
    } else if step == 0 {
      for i in 0..<n { unsafe target[i] = U(truncatingIfNeeded: words[i] &- base) }
    } else {
      for i in 0..<n {
        unsafe target[i] = U(truncatingIfNeeded: words[i] &- base &- step &* Int64(i))
      }
    }
  }
}
