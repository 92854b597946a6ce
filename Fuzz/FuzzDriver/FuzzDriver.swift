import CFuzzer
import Foundation

/// The body of the one fuzzer in this process.
///
/// Written once before libFuzzer starts and read by its one thread, so nothing races for it.
nonisolated(unsafe) private var body: ([UInt8]) -> Void = { _ in }

/// Hands inputs to `run` until libFuzzer has seen enough, as the command line of the process says.
///
///     fuzz { bytes in _ = try? Model(archive: bytes) }
///
/// A body says that something is wrong by trapping; to throw or return is to survive.
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

/// What is no leak: parts of files that are kept for the next store with the same bytes. The search for leaks does not
/// see texts that anybody holds, because Swift keeps marks in the upper bits of their addresses.
@_cdecl("__lsan_default_suppressions")
public func suppressedLeaks() -> UnsafePointer<CChar> {
  let text: StaticString = "leak:RecentlyRead\n"
  return UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}
