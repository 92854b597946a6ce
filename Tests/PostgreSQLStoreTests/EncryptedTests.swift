import DurableFiles
import Foundation
import ObjectModel
import PostgreSQLConnection
import PostgreSQLServer
import PostgreSQLStore
import StoreInterface
import Testing

/// A server that accepts only encrypted connections with a password, and the files that a client needs.
private struct EncryptedServer {
  static let password = "geheim-7351"
  static let isPossible =
    PostgreSQLServer.isInstalled
    && ["/usr/bin/openssl", "/usr/local/bin/openssl"].contains {
      FileManager.default.isExecutableFile(atPath: $0)
    }

  let server: PostgreSQLServer
  let port: Int

  /// Makes a certificate of an authority of its own, and another authority that has signed nothing.
  private static let preparation = """
    cd "$1"
    for name in root other; do
      openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=$name" -keyout $name.key -out $name.crt
    done 2>&1
    openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout data/server.key -out server.csr 2>&1
    echo subjectAltName=DNS:localhost >names
    openssl x509 -req -in server.csr -CA root.crt -CAkey root.key -CAcreateserial -days 2 -extfile names \
    -out data/server.crt 2>&1
    chmod 600 data/server.key
    printf 'local all all trust\\nhostssl all all 127.0.0.1/32 scram-sha-256\\n' >data/pg_hba.conf
    """

  init() throws {
    var attempts = 0
    while true {
      let port = Int.random(in: 20_000...32_000)
      do {
        server = try PostgreSQLServer(
          settings: ["listen_addresses=127.0.0.1", "ssl=on", "log_connections=on"], port: port,
          preparation: EncryptedServer.preparation)
        self.port = port
        break
      } catch {
        // Another program may use the port.
        attempts += 1
        if attempts == 5 { throw error }
      }
    }
    let connection = try PostgreSQLConnection(server.address, connectSeconds: 5, name: "test")
    try connection.execute("ALTER USER quire PASSWORD '\(EncryptedServer.password)'")
  }

  /// Returns the address of a store, with further parameters.
  func address(_ parameters: String, host: String = "localhost") -> String {
    "postgresql://quire@\(host):\(port)/postgres?hostaddr=127.0.0.1&\(parameters)"
  }

  /// Writes a file that only its owner may read, and returns its path.
  func write(_ text: String, _ name: String) throws -> String {
    let path = "\(server.folder)/\(name)"
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    return path
  }

  /// Returns a parameter of an address with a path.
  func parameter(_ name: String, _ path: String) -> String {
    "\(name)=\(path.replacing("/", with: "%2F"))"
  }

  func root(_ name: String) -> String { parameter("sslrootcert", "\(server.folder)/\(name).crt") }
}

@Suite(
  "Encrypted connections and passwords",
  .enabled(if: EncryptedServer.isPossible, "PostgreSQL or openssl is not installed."),
  .timeLimit(.minutes(20)))
struct EncryptedTests {
  private let backend = PostgreSQLStoreBackend()
  private let model = try! Model(entities: [Entity("Trip")])

  private func refusal(_ address: String) throws -> StoreError {
    let error = #expect(throws: StoreError.self) {
      try backend.open(address, on: RealDisk(), StoreOpening())
    }
    return try #require(error)
  }

  @Test("The server's certificate is verified, and no message contains the password")
  func verifies() async throws {
    let made = try EncryptedServer()
    defer { made.server.stop() }
    let password = EncryptedServer.password
    let file = try made.write("localhost:*:postgres:quire:\(password)\n", "passwords")
    let passwords = made.parameter("passfile", file)
    let right = made.address("sslmode=verify-full&\(made.root("root"))&\(passwords)")

    let store = try backend.create(at: right, model: model, on: RealDisk(), StoreCreation())
    try store.close()
    let connection = try PostgreSQLConnection(made.server.address, connectSeconds: 5, name: "test")
    try connection.execute("SET log_min_messages TO warning")

    // Another authority.
    let wrongRoot = try refusal(
      made.address("sslmode=verify-full&\(made.root("other"))&\(passwords)"))
    #expect(wrongRoot.code == .inputOutput)
    #expect("\(wrongRoot)".contains("certificate verify failed"), "\(wrongRoot)")
    // Another host than the certificate names.
    let wrongHost = try refusal(
      made.address(
        "sslmode=verify-full&\(made.root("root"))&\(passwords)", host: "db.example"))
    #expect(wrongHost.code == .inputOutput)
    #expect("\(wrongHost)".contains("does not match host name"), "\(wrongHost)")
    // A connection that is not encrypted.
    let plain = try refusal(made.address("sslmode=disable&\(passwords)"))
    #expect("\(plain)".contains("no encryption"), "\(plain)")
    // No password, and a wrong password.
    let empty = try made.write("", "empty")
    let none = try refusal(
      made.address("sslmode=require&\(made.parameter("passfile", empty))"))
    #expect("\(none)".contains("no password supplied"), "\(none)")
    let wrong = try made.write("*:*:*:*:falsch-9\(password)\n", "wrong")
    let refused = try refusal(
      made.address("sslmode=require&\(made.parameter("passfile", wrong))"))
    #expect("\(refused)".contains("password authentication failed"), "\(refused)")
    // A password in the address.
    let shown = try refusal("postgresql://quire:\(password)@localhost:\(made.port)/postgres")
    let parameter = try refusal(made.address("password=\(password)"))
    for error in [wrongRoot, wrongHost, plain, none, refused, shown, parameter] {
      #expect(!"\(error)".contains(password), "\(error)")
      #expect(!(error.path ?? "").contains(password))
    }
  }

  @Test("A service file names the server and the password")
  func serviceFile() async throws {
    let made = try EncryptedServer()
    defer { made.server.stop() }
    let file = try made.write(
      """
      [trips]
      host=localhost
      hostaddr=127.0.0.1
      port=\(made.port)
      dbname=postgres
      user=quire
      password=\(EncryptedServer.password)
      sslmode=verify-full
      sslrootcert=\(made.server.folder)/root.crt
      """, "services")

    // The variable of the environment is set in another process.
    await #expect(processExitsWith: .success) { [file = file as String] in
      setenv("PGSERVICEFILE", file, 1)
      let backend = PostgreSQLStoreBackend()
      let model = try Model(entities: [Entity("Trip")])
      let store = try backend.create(
        at: "postgresql://?service=trips&schema=summer", model: model, on: RealDisk(),
        StoreCreation())
      try store.close()
      do {
        _ = try backend.open(
          "postgresql://?service=trips&schema=none", on: RealDisk(), StoreOpening())
        exit(3)
      } catch let error as StoreError {
        guard error.code == .notFound, !"\(error)".contains("geheim") else { exit(4) }
      }
    }
    let connection = try PostgreSQLConnection(made.server.address, connectSeconds: 5, name: "test")
    #expect(try connection.texts("SELECT count(*) FROM summer.quire_store") == [["1"]])
  }
}
