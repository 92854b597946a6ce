import CFuzzer
import Foundation

/// The body of the only fuzzer in this process.
///
/// Written once before libFuzzer starts, and read only by libFuzzer's single thread, so there is no data race.
nonisolated(unsafe) private var body: ([UInt8]) -> Void = { _ in }

/// Calls `run` with inputs until libFuzzer reaches the limits that the command line of the process sets.
///
///     fuzz { bytes in _ = try? Model(archive: bytes) }
///
/// A body reports a fault by trapping. A body that returns or throws has passed.
public func fuzz(_ run: @escaping ([UInt8]) -> Void) -> Never {
  body = run
  var count = CommandLine.argc
  var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
  exit(
    LLVMFuzzerRunDriver(&count, &arguments) { start, count in
      body(Array(UnsafeBufferPointer(start: start, count: count)))
      return 0
    })
}

/// Returns the suppressions for the leak sanitizer: the bytes of files that are cached for the next store with the same bytes.
/// The leak sanitizer can't follow references to strings, because Swift stores flags in the upper bits of the addresses.
@_cdecl("__lsan_default_suppressions")
public func suppressedLeaks() -> UnsafePointer<CChar> {
  let text: StaticString = "leak:RecentlyRead\n"
  return UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}
