import BlockFileFormat
import Deflate
import DurableFiles
import Rows
import StoreInterface

extension BlockFileCheck {
  /// Checks that no part shares bytes with another (spec §4.4.4).
  func checkSharedBytes() {
    for (part, other) in parts.shared {
      findings.add(
        .sharedBytes, part.place,
        "This part begins within the \(other.kind.rawValue) from \(other.range.lowerBound) to "
          + "\(other.range.upperBound).")
    }
    for part in parts.all where part.entries.count > 1 || part.references.count > 1 {
      findings.add(
        .sharedBytes, part.place, "Two references to this part contradict each other.")
    }
  }

  /// Checks that padding between parts is zero (spec §4.1.1). Parts begin at multiples of 8, so padding has fewer
  /// than 8 bytes. A larger gap is a part that no commit refers to any more.
  func checkPadding() throws {
    var end: UInt64 = 0
    for part in parts.all where !part.range.isEmpty {
      let start = part.range.lowerBound
      if start > end, start - end < 8, try bytes(end..<start).contains(where: { $0 != 0 }) {
        findings.add(
          .padding, part.place, "The \(start - end) bytes before this part are not zero.")
      }
      end = max(end, part.range.upperBound)
    }
  }

  /// Checks the values outside of blocks (spec §3.4.9), each once.
  func checkValues() throws {
    for part in parts.all where !part.isShared {
      guard let reference = part.references.first else { continue }
      let kept = try bytes(part.range)
      guard kept.checksum == reference.checksum else {
        findings.add(
          .valueChecksum, part.place,
          "The stored checksum \(hex(reference.checksum)) differs from the computed "
            + "\(hex(kept.checksum)).")
        continue
      }
      if reference.codec == .zlib, let fault = expanded(kept, to: reference.byteCount).fault {
        findings.add(.valueExpansion, part.place, fault)
      }
    }
  }

  /// Returns compressed bytes, expanded to `byteCount` bytes, or the reason why the expansion failed.
  func expanded(_ kept: [UInt8], to byteCount: Int) -> (bytes: [UInt8], fault: String?) {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    do {
      var span = bytes.mutableSpan
      // SAFETY: Any byte is a valid element.
      var memory = unsafe span.mutableBytes
      try Deflate.expandStrictly(kept.rawSpan, into: &memory)
      return (bytes, nil)
    } catch {
      return ([], "\(error)")
    }
  }
}
