import DurableFiles
import Foundation
import Testing

@testable import PluginHost

@Suite("The disk that the host lends to plug-ins")
struct HostDiskTests {
  @Test("No bytes are read and written without an address, as C programs do")
  func noBytes() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "quire-\(UUID())").path
    try Data([7]).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = try RealDisk().calls.open(path, OpenRequest(.update))
    defer { try? RealDisk().calls.close(file) }
    let services = HostServices(RealDisk(), PluginServices())
    let disk = try #require(services.host.pointee.disk).pointee

    #expect(disk.read(disk.context, file.rawValue, nil, 0, 0) == 0)
    #expect(disk.write(disk.context, file.rawValue, nil, 0, 0) == 0)
    #expect(disk.read(disk.context, file.rawValue, nil, 1, 0) == Int64(-EINVAL))

    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([7]))
  }
}
