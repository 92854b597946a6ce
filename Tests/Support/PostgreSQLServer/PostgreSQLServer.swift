import Foundation
import ProgramRuns
import Synchronization

/// A PostgreSQL server of the tests, in a temporary folder and on a Unix socket in it.
///
///     let server = try PostgreSQLServer.shared.get()
///     let address = server.address(schema: "trips")
///
/// The server ends with the process of the tests, even if that is killed: a shell waits for the end of its input.
public final class PostgreSQLServer: Sendable {
  /// The server that all tests share. Each test uses a schema of its own.
  public static let shared = Result { try PostgreSQLServer() }

  /// Whether PostgreSQL is installed, with the programs of the server.
  public static var isInstalled: Bool { programs != nil }

  /// The reason for which tests are skipped.
  public static let absence: String =
    "PostgreSQL is not installed. Install the packages postgresql and libpq-dev to run these tests."

  /// The folder with the server's programs; `nil` if they are not installed.
  private static let programs: String? = {
    let files = FileManager.default
    let versions = (try? files.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    let folders =
      versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "/usr/lib/postgresql/\($0)/bin" }
      + (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
    return folders.first { folder in
      ["initdb", "postgres"].allSatisfy { files.isExecutableFile(atPath: "\(folder)/\($0)") }
    }
  }()

  /// The folder of the server, with its socket.
  public let folder: String
  private let port: Int
  private let process: Process
  private let input: Pipe
  private let count = Mutex(0)

  /// The error of a server that does not start.
  public struct Failure: Error, CustomStringConvertible {
    /// The output of the server's programs.
    public let description: String
  }

  /// Makes a database in a new folder and starts its server.
  ///
  /// - Parameters:
  ///   - settings: Settings of the server, such as `max_prepared_transactions=10`.
  ///   - port: The number in the name of the socket, and the port if the settings contain `listen_addresses`.
  ///   - preparation: A script of the shell that the server's user runs before the start. `$1` is the folder.
  public init(settings: [String] = [], port: Int = 5432, preparation: String? = nil) throws {
    guard let programs = PostgreSQLServer.programs else {
      throw Failure(description: PostgreSQLServer.absence)
    }
    // The server refuses to run as root.
    let user = getuid() == 0 ? ["runuser", "-u", "postgres", "--"] : []
    let made = try ProgramRun("env", user + ["mktemp", "-d", "/tmp/quire-pg-XXXXXX"])
    guard made.status == 0 else { throw Failure(description: made.text) }
    let folder = made.text.trimmingCharacters(in: .whitespacesAndNewlines)
    (self.folder, self.port) = (folder, port)
    let initialized = try ProgramRun(
      "env",
      user + [
        "\(programs)/initdb", "-D", "\(folder)/data", "-A", "trust", "-U", "quire", "-E", "UTF8",
        "--locale=C.UTF-8", "--no-sync",
      ])
    guard initialized.status == 0 else { throw Failure(description: initialized.text) }
    if let preparation {
      let prepared = try ProgramRun("env", user + ["sh", "-ec", preparation, "sh", folder])
      guard prepared.status == 0 else { throw Failure(description: prepared.text) }
    }
    let options =
      [
        "port=\(port)", "listen_addresses=", "unix_socket_directories=\(folder)",
        "max_connections=200", "max_prepared_transactions=20",
      ] + settings
    // The shell does not wait for the server with `wait`, because it may have been started with SIGCHLD blocked.
    let script = """
      cd /; "$0" -D "$1/data" \(options.map { "-c '\($0)'" }.joined(separator: " ")) >"$1/log" 2>&1 </dev/null & \
      server=$!; read line; kill -QUIT $server; \
      for i in $(seq 100); do [ -e "$1/data/postmaster.pid" ] || break; sleep 0.1; done; rm -rf "$1"
      """
    process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = user + ["sh", "-c", script, "\(programs)/postgres", folder]
    process.currentDirectoryURL = URL(filePath: "/")
    input = Pipe()
    process.standardInput = input
    try process.run()
    for _ in 0..<200 {
      let ready = try ProgramRun("\(programs)/pg_isready", ["-q", "-h", folder, "-p", "\(port)"])
      if ready.status == 0 { return }
      Thread.sleep(forTimeInterval: 0.05)
    }
    stop()
    throw Failure(
      description: (try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? "no log")
  }

  /// Returns the path of a program that belongs to the server.
  public func program(_ name: String) -> String { "\(PostgreSQLServer.programs ?? "")/\(name)" }

  /// Stops the server and removes its folder.
  public func stop() { try? input.fileHandleForWriting.close() }

  /// Returns the address of a schema.
  public func address(schema: String, _ parameters: String = "") -> String {
    "\(address)&schema=\(schema)\(parameters)"
  }

  /// The address of the server, to which parameters can be added.
  public var address: String {
    "postgresql:///postgres?host=\(folder.replacing("/", with: "%2F"))&user=quire"
      + (port == 5432 ? "" : "&port=\(port)")
  }

  /// Returns the name of a schema that no other test uses.
  public func newSchema() -> String {
    count.withLock { count in
      count += 1
      return "test_\(count)"
    }
  }
}
