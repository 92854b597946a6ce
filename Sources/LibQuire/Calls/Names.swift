// SAFETY: The texts are allocated once and never freed, so their addresses stay valid and may be shared.

import ObjectModel

/// Texts that live for ever.
enum Names {
  // SAFETY: The texts never change, so threads may share them.
  nonisolated(unsafe) static let codes: [FailureCode: UnsafePointer<CChar>] =
    unsafe Dictionary(
      uniqueKeysWithValues: FailureCode.allCases.map { unsafe ($0, constant("\($0)")) })

  // SAFETY: As above.
  nonisolated(unsafe) static let version = unsafe constant(QuireVersion.version)

  private static func constant(_ text: String) -> UnsafePointer<CChar> {
    let bytes = Array(text.utf8CString)
    let start = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    unsafe start.initialize(from: bytes, count: bytes.count)
    return unsafe UnsafePointer(start)
  }
}
