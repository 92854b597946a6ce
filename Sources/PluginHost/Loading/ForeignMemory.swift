#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#elseif canImport(Glibc)
  import Glibc
#endif

/// Reads memory at addresses that another component supplied, without trusting them.
///
/// The system itself copies the memory into a pipe. Where the memory can't be read, the system reports an error and the
/// process continues. A table that is shorter than it claims thus causes a message instead of a crash.
struct ForeignMemory: ~Copyable {
  private let outer: Int32
  private let inner: Int32
  /// The number of bytes that go through the pipe at once: fewer than any pipe can hold.
  private static let pieceByteCount = 512

  /// Creates the pipe; `nil` if the system can't make another.
  init?() {
    var ends: [Int32] = [-1, -1]
    // SAFETY: The system writes two numbers to the array's memory.
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

  /// Returns the bytes at an address; `nil` if not all of them can be read.
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
    // SAFETY: The pointer is passed only to the system, which checks it.
    guard let start = unsafe UnsafeRawPointer(bitPattern: address) else { return nil }
    var written: Int
    repeat { written = unsafe write(inner, start, count) } while written < 0 && errno == EINTR
    guard written > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: written)
    var taken: Int
    // SAFETY: The system writes at most as many bytes as the array has.
    repeat {
      taken = unsafe bytes.withUnsafeMutableBytes { unsafe read(outer, $0.baseAddress, $0.count) }
    } while taken < 0 && errno == EINTR
    return taken == count ? bytes : nil
  }

  /// Returns the text at an address, up to its zero byte; `nil` if it can't be read, is longer than the limit, or is
  /// not UTF-8.
  ///
  /// Reads one byte at a time, because the memory behind the zero byte may be unreadable.
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
