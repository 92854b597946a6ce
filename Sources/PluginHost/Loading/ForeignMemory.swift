#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#elseif canImport(Glibc)
  import Glibc
#endif

/// Memory that somebody else vouches for, read without taking their word for it.
///
/// The system itself reads it, on its way into a pipe: where nothing can be read it says so, and the process goes
/// on. A table that is shorter than it claims is thus a message and not a crash.
struct ForeignMemory: ~Copyable {
  private let outer: Int32
  private let inner: Int32
  /// How much goes through the pipe at once: less than any pipe holds.
  private static let pieceByteCount = 512

  /// `nil` when the system has no pipe left.
  init?() {
    var ends: [Int32] = [-1, -1]
    // SAFETY: The system writes two numbers to memory the array lends.
    guard unsafe pipe(&ends) == 0 else { return nil }
    (outer, inner) = (ends[0], ends[1])
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
  }

  deinit {
    _ = close(outer)
    _ = close(inner)
  }

  /// The bytes at an address; `nil` when they can't all be read.
  func bytes(at address: UInt, count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let (place, isBeyond) = address.addingReportingOverflow(UInt(bytes.count))
      guard !isBeyond,
        let piece = piece(at: place, count: min(count - bytes.count, Self.pieceByteCount))
      else { return nil }
      bytes += piece
    }
    return bytes
  }

  private func piece(at address: UInt, count: Int) -> [UInt8]? {
    // SAFETY: The pointer is handed to the system alone, which checks it.
    guard let start = unsafe UnsafeRawPointer(bitPattern: address) else { return nil }
    var written: Int
    repeat { written = unsafe write(inner, start, count) } while written < 0 && errno == EINTR
    guard written > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: written)
    var taken: Int
    // SAFETY: The system writes at most as many bytes as the array lends.
    repeat {
      taken = unsafe bytes.withUnsafeMutableBytes { unsafe read(outer, $0.baseAddress, $0.count) }
    } while taken < 0 && errno == EINTR
    return taken == count ? bytes : nil
  }

  /// The text at an address, up to its zero byte; `nil` when it can't be read, is longer, or is no UTF-8.
  ///
  /// Byte by byte, because what lies behind the zero byte is nobody's word for anything.
  func text(at address: UInt, byteLimit: Int) -> String? {
    var bytes: [UInt8] = []
    while bytes.count <= byteLimit {
      let (place, isBeyond) = address.addingReportingOverflow(UInt(bytes.count))
      guard !isBeyond, let byte = piece(at: place, count: 1)?.first else { return nil }
      if byte == 0 { return String(validating: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }
}
