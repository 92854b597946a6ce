import BlockFileFormat
import Rows
import StoreInterface

extension BlockFileCheck {
  /// Checks every block that a commit refers to, each once.
  func checkBlocks(_ contents: Contents, newest: Int64) throws {
    var done: UInt64 = 0
    // The loop adds the values that blocks refer to.
    for part in parts.all {
      guard let entry = part.entries.first, !part.isShared else { continue }
      checked.blockCount += 1
      checked.rowCount += Int(entry.rowCount)
      if try check(entry, part.place, contents, newest: newest), part.entries.count == 1 {
        soundBlocks.insert(entry)
      }
      done += UInt64(entry.byteCount)
      progress(0.1 + 0.6 * Double(done) / Double(byteCount))
    }
  }

  /// Checks the block of an entry.
  ///
  /// - Returns: Whether the block is sound.
  private func check(
    _ entry: BlockEntry, _ place: Place, _ contents: Contents, newest: Int64
  ) throws -> Bool {
    let before = findings.errorCount
    let kept = try bytes(entry.offset..<entry.offset + UInt64(entry.byteCount))
    var block = kept
    var isWhole = true
    if entry.codec != .plain {
      let (bytes, fault) = expanded(kept, to: Int(entry.blockByteCount))
      if let fault {
        findings.add(.expansion, place, fault)
        return false
      }
      // The header and directory stay in place in a transposed block, so they are checked even if the columns can't
      // be.
      let back = try? Block.untransposed(BlockMemory(bytes))
      isWhole = back != nil
      block = back?.array ?? bytes
    }
    var check = BlockCheck(block, entry, place, findings)
    let columns = check.run(
      isIndex: indexNumbers.contains(entry.entity), checksColumns: isWhole, newest: newest)
    if !isWhole, findings.errorCount == before {
      findings.add(
        .expansion, place, "The block's columns can't be restored from their transposed bytes.")
    }
    self.check(columns, of: entry, place, contents)
    if findings.errorCount == before, check.outsideByteCount != entry.outsideByteCount {
      findings.add(
        .outsideByteCount, place,
        "The block refers to values of \(check.outsideByteCount) bytes, but its entry gives "
          + "\(entry.outsideByteCount).")
    }
    for reference in check.references { parts.add(reference, commit: place.commit ?? 0) }
    return findings.errorCount == before
  }
}

extension BlockMemory {
  /// The bytes as an array.
  fileprivate var array: [UInt8] {
    // SAFETY: The bytes are copied while the span lends them.
    unsafe bytes.withUnsafeBytes { unsafe Array($0) }
  }
}
