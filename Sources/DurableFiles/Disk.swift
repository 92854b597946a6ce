/// The one seam between Quire and the disk.
///
/// Take an `any Disk` wherever files are touched, a ``RealDisk`` in a program and a
/// ``SimulatedDisk`` in a test that wants to see a disk fail or lose power:
///
///     let disk: any Disk = RealDisk()
///     let file = try disk.open("notes.store", for: .updateOrCreate)
///     try file.append(bytes)
///     try file.sync()
///     try disk.replace("manifest.plist") { try $0.write(manifest) }
///
/// Every failure is a ``DiskError`` with a code, the path and the system's reason. Interrupted
/// calls and short writes are carried on with. Nothing here is durable before a sync says so: a
/// file's bytes after ``DurableFile/sync(_:)``, a name that was created, moved or removed after
/// ``syncDirectory(_:)`` of its directory. ``replace(_:links:contents:)`` does both.
public protocol Disk: Sendable {
  /// The system calls of this disk.
  var calls: any DiskCalls { get }
}

/// The operating system's own file systems.
public struct RealDisk: Disk {
  /// The disk.
  public init() {}

  /// The operating system's calls.
  public var calls: any DiskCalls { SystemCalls() }
}
