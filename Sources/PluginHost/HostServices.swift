// SAFETY: The structures lie in memory that lives as long as this object, which whoever handed them out keeps. Texts
// and buffers that come in are there for the length of the call.

import CStorePlugin
import DurableFiles
import Foundation
import PluginExchange
import Synchronization

/// What a program does for the stores that plug-ins bring, beside the disk they lie on.
public struct PluginServices: Sendable {
  /// Something for whoever looks into a problem.
  public enum LogLevel: Int32, Sendable, Comparable {
    /// For authors.
    case debug = 0
    /// What happens.
    case info = 1
    /// What may be wrong.
    case warning = 2
    /// What is wrong.
    case error = 3

    /// By weight.
    public static func < (one: LogLevel, other: LogLevel) -> Bool { one.rawValue < other.rawValue }
  }

  /// Takes what plug-ins say.
  public var log: @Sendable (LogLevel, String) -> Void
  /// Told how much of long work is done, of how much (0 when nobody knows); the work is cancelled when it says no.
  public var progress: @Sendable (UInt64, UInt64) -> Bool

  /// Services that pass over what plug-ins say, and stop their work when the task is cancelled.
  public init(
    log: @escaping @Sendable (LogLevel, String) -> Void = { _, _ in },
    progress: @escaping @Sendable (UInt64, UInt64) -> Bool = { _, _ in !Task.isCancelled }
  ) {
    self.log = log
    self.progress = progress
  }
}

/// The services as a plug-in calls them (spec §9.4).
@safe
final class HostServices: @unchecked Sendable {
  // Sendable: nothing changes after the initializer but what is counted.
  let disk: any Disk
  let services: PluginServices
  let host: UnsafeMutablePointer<QuireHost>
  private let table: UnsafeMutablePointer<QuireDisk>
  /// How many bytes plug-ins hold of this program's memory.
  private let allocated = Atomic<Int>(0)

  var calls: any DiskCalls { disk.calls }

  init(_ disk: any Disk, _ services: PluginServices) {
    self.disk = disk
    self.services = services
    unsafe table = .allocate(capacity: 1)
    unsafe table.initialize(to: .ofHost)
    unsafe host = .allocate(capacity: 1)
    unsafe host.initialize(to: QuireHost())
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe table.pointee.context = context
    unsafe host.pointee.abi_version = UInt32(QUIRE_PLUGIN_ABI)
    unsafe host.pointee.struct_size = UInt32(MemoryLayout<QuireHost>.size)
    unsafe host.pointee.context = context
    unsafe host.pointee.disk = unsafe UnsafePointer(table)
    unsafe host.pointee.allocate = { context, count in
      unsafe HostServices.of(context)?.allocate(count)
    }
    unsafe host.pointee.deallocate = { context, memory in
      unsafe HostServices.of(context)?.deallocate(memory)
    }
    unsafe host.pointee.log = { context, level, message in
      guard let message = unsafe message else { return }
      unsafe HostServices.of(context)?.services.log(
        PluginServices.LogLevel(rawValue: level) ?? .error, String(cString: message))
    }
    unsafe host.pointee.progress = { context, done, total in
      unsafe HostServices.of(context)?.services.progress(done, total) ?? true ? 0 : 1
    }
  }

  deinit {
    unsafe host.deallocate()
    unsafe table.deallocate()
  }

  static func of(_ context: UnsafeMutableRawPointer?) -> HostServices? {
    guard let context = unsafe context else { return nil }
    return unsafe Unmanaged.fromOpaque(context).takeUnretainedValue()
  }

  /// Before each piece of memory stands how large it is.
  private static let headerByteCount = 16
  /// The most that plug-ins of one store may hold.
  private static let limit = 1 << 40

  private func allocate(_ count: UInt64) -> UnsafeMutableRawPointer? {
    guard count <= UInt64(HostServices.limit) else { return nil }
    let count = Int(count) + HostServices.headerByteCount
    guard let start = unsafe malloc(count) else { return nil }
    unsafe start.storeBytes(of: count, as: Int.self)
    allocated.add(count, ordering: .relaxed)
    return unsafe start + HostServices.headerByteCount
  }

  private func deallocate(_ memory: UnsafeMutableRawPointer?) {
    guard let memory = unsafe memory else { return }
    let start = unsafe memory - HostServices.headerByteCount
    allocated.subtract(unsafe start.load(as: Int.self), ordering: .relaxed)
    unsafe free(start)
  }
}
