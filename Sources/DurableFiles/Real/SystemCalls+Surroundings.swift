import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#elseif canImport(Glibc)
  import Glibc
#endif

/// The identity of this process, the state of other processes, and the time.
extension SystemCalls {
  var process: ProcessIdentity {
    // The result is not cached, because a forked child is another process.
    let processID = getpid()
    return ProcessIdentity(
      hostName: Self.hostName, bootID: Self.bootID, processID: processID,
      startTime: startTime(of: processID) ?? 0)
  }

  func isRunning(_ process: ProcessIdentity) -> Bool {
    // Signal 0 only checks whether the process exists. A process that we may not signal exists as well.
    guard process.processID > 0, kill(process.processID, 0) == 0 || errno == EPERM else {
      return false
    }
    guard process.startTime != 0, let started = startTime(of: process.processID) else {
      return true
    }
    return started == process.startTime
  }

  func uniqueNumber() -> UInt64 { .random(in: .min ... .max) }

  /// The numbers of the temporary files that this process could not remove. The numbers are random, so one set serves
  /// every path.
  private static let abandonedNumbers = Mutex<Set<UInt64>>([])

  func abandon(temporaryNumber: UInt64) {
    SystemCalls.abandonedNumbers.withLock { _ = $0.insert(temporaryNumber) }
  }

  func hasAbandoned(temporaryNumber: UInt64) -> Bool {
    SystemCalls.abandonedNumbers.withLock { $0.contains(temporaryNumber) }
  }

  var uptime: Duration { ContinuousClock.Instant.now - Self.start }

  func pause(for duration: Duration) {
    let (seconds, attoseconds) = duration.components
    var rest = timespec()
    rest.tv_sec = time_t(seconds)
    rest.tv_nsec = Int(attoseconds / 1_000_000_000)
    // A signal may end the wait early; the caller checks the clock. SAFETY: The system reads the structure it is
    // given.
    _ = unsafe nanosleep(&rest, nil)
  }

  private static let start = ContinuousClock.Instant.now

  private static let hostName: String = {
    var bytes = [UInt8](repeating: 0, count: 256)
    // SAFETY: The system writes at most `count` bytes to memory the array lends. A name that is cut
    // need not end with a null, so the last byte is kept back.
    let result = unsafe bytes.withUnsafeMutableBytes {
      unsafe gethostname($0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count - 1)
    }
    return result == 0 ? String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) : ""
  }()

  #if canImport(Darwin)
    private static let bootID: String = {
      var bytes = [UInt8](repeating: 0, count: 64)
      var count = bytes.count
      // SAFETY: The system writes at most `count` bytes to memory the array lends.
      let result = unsafe bytes.withUnsafeMutableBytes {
        unsafe sysctlbyname("kern.bootsessionuuid", $0.baseAddress, &count, nil, 0)
      }
      return result == 0 ? String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) : ""
    }()

    private func startTime(of processID: Int32) -> UInt64? {
      var information = proc_bsdinfo()
      let size = Int32(MemoryLayout<proc_bsdinfo>.size)
      // SAFETY: The system writes at most `size` bytes to a structure of that size.
      let count = unsafe proc_pidinfo(processID, PROC_PIDTBSDINFO, 0, &information, size)
      guard count == size else { return nil }
      return information.pbi_start_tvsec * 1_000_000 + information.pbi_start_tvusec
    }
  #else
    private static let bootID = String(
      decoding: SystemCalls().smallFile("/proc/sys/kernel/random/boot_id") ?? [], as: UTF8.self
    ).filter { $0.isHexDigit || $0 == "-" }

    private func startTime(of processID: Int32) -> UInt64? {
      // proc(5): the second field is the program's name in parentheses, and may contain any characters. So counting
      // begins after the last parenthesis. The start time is the 22nd field of the line.
      guard let bytes = smallFile("/proc/\(processID)/stat"),
        let end = bytes.lastIndex(of: UInt8(ascii: ")"))
      else { return nil }
      let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " "), maxSplits: 20)
      return fields.count > 19 ? UInt64(String(decoding: fields[19], as: UTF8.self)) : nil
    }

    /// Returns the bytes of a file in `/proc`. Such a file reports no size before it is read.
    private func smallFile(_ path: String) -> [UInt8]? {
      guard let descriptor = try? open(path, OpenRequest(.read)) else { return nil }
      defer { try? close(descriptor) }
      return try? [UInt8](count: 4096) { memory throws(ErrorNumber) in
        try read(descriptor, into: &memory, at: 0)
      }
    }
  #endif
}
