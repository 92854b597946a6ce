/// The identity of a process among all processes that ever ran on any machine.
///
/// A process number alone is not enough: it is used again within days, and means nothing on another host.
public struct ProcessIdentity: Sendable, Hashable {
  public var hostName: String
  /// The random identifier of the system's boot, or empty if the system provides none. Two processes of one boot
  /// share one kernel, so locks between them are reliable.
  public var bootID: String
  public var processID: Int32
  /// The start time of the process, in the system's own unit since its boot; 0 if the system does not provide it.
  public var startTime: UInt64

  /// Creates the identity with the given parts.
  public init(hostName: String, bootID: String, processID: Int32, startTime: UInt64) {
    self.hostName = hostName
    self.bootID = bootID
    self.processID = processID
    self.startTime = startTime
  }

  /// Returns whether both processes run, or ran, under one kernel.
  ///
  /// If one of them has no boot identifier, the host names are compared.
  func sharesKernel(with other: ProcessIdentity) -> Bool {
    bootID.isEmpty || other.bootID.isEmpty ? hostName == other.hostName : bootID == other.bootID
  }
}
