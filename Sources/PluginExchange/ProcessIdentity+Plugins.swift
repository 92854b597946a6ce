// SAFETY: Both texts have a fixed size in the structure, and their last byte stays zero.

package import CStorePlugin
package import DurableFiles

extension ProcessIdentity {
  /// Creates the identity from its form in the interface.
  package init(_ process: QuireProcess) {
    var process = process
    self.init(
      hostName: unsafe withUnsafeBytes(of: &process.host_name) { unsafe text($0) },
      bootID: unsafe withUnsafeBytes(of: &process.boot_id) { unsafe text($0) },
      processID: process.process_id, startTime: process.start_time)
  }

  /// The identity in its form in the interface. A name that is too long is truncated.
  package var pluginProcess: QuireProcess {
    var process = QuireProcess()
    unsafe withUnsafeMutableBytes(of: &process.host_name) { unsafe fill($0, with: hostName) }
    unsafe withUnsafeMutableBytes(of: &process.boot_id) { unsafe fill($0, with: bootID) }
    process.process_id = processID
    process.start_time = startTime
    return process
  }
}

private func text(_ bytes: UnsafeRawBufferPointer) -> String {
  unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
}

private func fill(_ place: UnsafeMutableRawBufferPointer, with text: String) {
  unsafe place.copyBytes(from: text.utf8.prefix(place.count - 1))
}

extension Duration {
  /// The duration in nanoseconds, as the interface requires; 0 for a negative duration.
  package var pluginNanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    let nanoseconds = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !nanoseconds.overflow else { return seconds < 0 ? 0 : .max }
    return UInt64(clamping: nanoseconds.partialValue &+ attoseconds / 1_000_000_000)
  }
}
