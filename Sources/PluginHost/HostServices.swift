// SAFETY: The structures lie in memory that lives as long as this object, and the code that hands them to a plug-in
// extends the object's life beyond the call, or keeps it in the handle of the store. Texts and buffers that come in are valid for the length of the call.

import CStorePlugin
import DurableFiles
import Foundation
import PluginExchange

/// The services that a program gives to the stores of plug-ins, besides the disk.
public struct PluginServices: Sendable {
  /// The importance of a message that a plug-in logs.
  public enum LogLevel: Int32, Sendable, Comparable {
    /// A message for the author of the plug-in.
    case debug = 0
    /// A message about a normal event.
    case info = 1
    /// A message about a possible problem.
    case warning = 2
    /// A message about an error.
    case error = 3

    /// Returns whether the first level is less important than the second.
    public static func < (one: LogLevel, other: LogLevel) -> Bool { one.rawValue < other.rawValue }
  }

  /// Receives the messages that plug-ins log.
  public var log: @Sendable (LogLevel, String) -> Void
  /// Receives the progress of long work: the units done, and their total, which is 0 if unknown. The plug-in cancels
  /// the work if the closure returns `false`.
  public var progress: @Sendable (UInt64, UInt64) -> Bool

  /// Receives the name of each function of the plug-in before the function is called; `nil` to trace nothing.
  public var trace: (@Sendable (String) -> Void)?

  /// Creates services that ignore log messages and cancel long work when the task is cancelled.
  public init(
    log: @escaping @Sendable (LogLevel, String) -> Void = { _, _ in },
    progress: @escaping @Sendable (UInt64, UInt64) -> Bool = { _, _ in !Task.isCancelled }
  ) {
    self.log = log
    self.progress = progress
  }
}

/// The services in the form in which a plug-in calls them (spec §9.4).
@safe
final class HostServices: @unchecked Sendable {
  // Sendable: nothing changes after the initializer.
  let disk: any Disk
  let services: PluginServices
  let host: UnsafeMutablePointer<QuireHost>
  private let table: UnsafeMutablePointer<QuireDisk>

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
    unsafe host.pointee.allocate = { _, count in unsafe HostServices.allocate(count) }
    unsafe host.pointee.deallocate = { _, memory in unsafe free(memory) }
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

  /// The largest number of bytes that a plug-in may allocate in one call.
  private static let limit: UInt64 = 1 << 40

  /// Returns memory for a plug-in, aligned to 16 bytes as all memory of the C library is.
  private static func allocate(_ count: UInt64) -> UnsafeMutableRawPointer? {
    count <= limit ? unsafe malloc(max(1, Int(count))) : nil
  }
}
