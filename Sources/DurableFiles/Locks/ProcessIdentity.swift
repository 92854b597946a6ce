/// Which process something is, of all that ever ran on any machine.
///
/// A process number alone is used again within days, and means nothing on another host.
public struct ProcessIdentity: Sendable, Hashable {
  /// The host's name.
  public var hostName: String
  /// What the system chose at random when it started, or empty if it tells none. Two processes of
  /// one boot share one kernel, whose locks can be believed.
  public var bootID: String
  /// The process's number.
  public var processID: Int32
  /// When the process started, in the system's own unit since its boot, or 0 if it does not tell.
  public var startTime: UInt64

  /// The process with the given marks.
  public init(hostName: String, bootID: String, processID: Int32, startTime: UInt64) {
    self.hostName = hostName
    self.bootID = bootID
    self.processID = processID
    self.startTime = startTime
  }

  /// Whether both run, or ran, under one kernel.
  ///
  /// Without boot numbers the host's name decides.
  func sharesKernel(with other: ProcessIdentity) -> Bool {
    bootID.isEmpty || other.bootID.isEmpty ? hostName == other.hostName : bootID == other.bootID
  }
}
