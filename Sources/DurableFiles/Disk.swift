/// The interface through which all of Quire uses the disk.
///
/// Take an `any Disk` as a parameter wherever you use files. Pass a ``RealDisk`` in a program, and a
/// `SimulatedDisk` of the module `DiskSimulation` in a test of disk failures or power cuts:
///
///     let disk: any Disk = RealDisk()
///     let file = try disk.open("notes.store", for: .updateOrCreate)
///     try file.append(bytes)
///     try file.sync()
///     try disk.replace("manifest.json") { try $0.write(manifest) }
///
/// Every failure is a ``DiskError`` with a code, the path and the system's reason. Interrupted calls and short writes
/// are continued. Nothing is durable before a sync succeeds. ``DurableFile/sync(_:)`` makes the bytes of a file
/// durable; ``syncDirectory(_:)`` makes the creation, move or removal of a name durable.
/// ``replace(_:links:overwriting:newPermissions:contents:)`` does both.
public protocol Disk: Sendable {
  /// The system calls of this disk.
  var calls: any DiskCalls { get }
}

/// The disk of the operating system's own file systems.
public struct RealDisk: Disk {
  public init() {}

  public var calls: any DiskCalls { SystemCalls() }
}
