public import DurableFiles
import Synchronization

/// A disk that reports one call falsely, such as a write that did not happen.
///
///     let disk = LyingDisk(SimulatedDisk())
///     disk.plan(.lostWrite, after: 3)
///     try disk.replace("/notes.txt") { try $0.write("Lisbon") }
///     if disk.hasLied { print("The fourth write did not happen, and looked as if it had.") }
///
/// ``SimulatedDisk`` reports each call truly, and a crash takes only bytes that were not synced. Real disks are
/// sometimes worse. Use this disk to find out which lies a store notices by its checksums.
public final class LyingDisk: Disk {
  /// A lie of a disk.
  public enum Lie: String, CaseIterable, Sendable {
    /// A write does not happen.
    case lostWrite
    /// Only the first half of a write happens.
    case halfWrite
    /// The bytes of a write go to another place in the file.
    case misplacedWrite
    /// A sector changes on its own after it was written: one bit of it.
    case rottenSector
    /// A sync does nothing, as in a drive with a cache that loses its power.
    case lostSync
    /// A read returns the bytes of another place in the file.
    case misplacedRead
    /// A read returns the bytes of the file with one wrong bit.
    case rottenRead

    /// Whether the lie is about a read.
    public var isOfRead: Bool { self == .misplacedRead || self == .rottenRead }
  }

  private struct Plan {
    var lie: Lie
    var skipCount: Int
    var hasLied = false
  }

  /// The disk that contains the files. It reports each call truly.
  public let base: any Disk
  private let plan = Mutex<Plan?>(nil)

  /// Creates a disk that behaves as `base` until a lie is planned.
  public init(_ base: any Disk) { self.base = base }

  /// Plans a lie.
  ///
  /// - Parameter skipCount: The number of calls about which the disk could have lied before.
  public func plan(_ lie: Lie, after skipCount: Int) {
    plan.withLock { $0 = Plan(lie: lie, skipCount: skipCount) }
  }

  /// Whether the planned lie has happened.
  public var hasLied: Bool { plan.withLock { $0?.hasLied ?? false } }

  /// The calls of the disk below, and the planned lie.
  public var calls: any DiskCalls { Calls(base: base.calls, disk: self) }

  /// Returns the lie for this call, if one of the given ones is due.
  private func lie(_ lies: Lie...) -> Lie? {
    plan.withLock { plan in
      guard let known = plan, !known.hasLied, lies.contains(known.lie) else { return nil }
      guard known.skipCount == 0 else {
        plan!.skipCount -= 1
        return nil
      }
      plan!.hasLied = true
      return known.lie
    }
  }

  /// The distance to the place that a lie takes for another one: a page.
  private static let distance = 4096

  private struct Calls: WrappingCalls {
    let base: any DiskCalls
    let disk: LyingDisk

    func write(
      _ descriptor: Descriptor, _ bytes: RawSpan, at offset: Int
    ) throws(ErrorNumber) -> Int {
      guard bytes.byteCount > 0,
        let lie = disk.lie(.lostWrite, .halfWrite, .misplacedWrite, .rottenSector)
      else { return try base.write(descriptor, bytes, at: offset) }
      switch lie {
      case .halfWrite:
        try all(descriptor, bytes.extracting(first: bytes.byteCount / 2), at: offset)
      case .misplacedWrite:
        let isBehind = offset >= LyingDisk.distance
        try all(
          descriptor, bytes,
          at: isBehind ? offset - LyingDisk.distance : offset + LyingDisk.distance)
      case .rottenSector:
        var changed: [UInt8] = []
        changed.append(copying: bytes)
        changed[changed.count / 2] ^= 16
        try all(descriptor, changed.rawSpan, at: offset)
      default: break
      }
      return bytes.byteCount
    }

    /// Writes all bytes of a span. The disk below may take a part of them at a time.
    private func all(
      _ descriptor: Descriptor, _ bytes: RawSpan, at offset: Int
    ) throws(ErrorNumber) {
      var done = 0
      while done < bytes.byteCount {
        done += try base.write(
          descriptor, bytes.extracting(done..<bytes.byteCount), at: offset + done)
      }
    }

    func sync(_ descriptor: Descriptor, _ scope: SyncScope) throws(ErrorNumber) {
      if disk.lie(.lostSync) != nil { return }
      try base.sync(descriptor, scope)
    }

    func read(
      _ descriptor: Descriptor, into buffer: inout MutableRawSpan, at offset: Int
    ) throws(ErrorNumber) -> Int {
      switch disk.lie(.misplacedRead, .rottenRead) {
      case .misplacedRead:
        let isBehind = offset >= LyingDisk.distance
        return try base.read(
          descriptor, into: &buffer,
          at: isBehind ? offset - LyingDisk.distance : offset + LyingDisk.distance)
      case .rottenRead:
        let count = try base.read(descriptor, into: &buffer, at: offset)
        guard count > 0 else { return count }
        // SAFETY: The place is below the number of bytes that were read.
        let place = count / 2
        let byte = unsafe buffer.bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self)
        buffer.storeBytes(of: byte ^ 16, toByteOffset: place, as: UInt8.self)
        return count
      default: return try base.read(descriptor, into: &buffer, at: offset)
      }
    }
  }
}
