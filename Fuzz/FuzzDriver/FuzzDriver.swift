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
