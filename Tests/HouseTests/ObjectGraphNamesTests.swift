import Testing

/// The independence of the object graph's parts from one another.
@Suite("Names in the object graph")
struct ObjectGraphNamesTests {
  /// The folder of the context.
  static let contextFolder = "Sources/ObjectGraph/Context/"

  /// Files outside the context's folder that name the context, each with its reason.
  static let exceptions: [String: String] = {
    let reasons = [
      "Objects/ManagedObject.swift": "An object has a public property for its context.",
      "PersistentContainer.swift": "A container makes contexts for its callers.",
      "Results/FetchedResults.swift": "A list has a public initialiser with its context.",
      "Results/LiveResult.swift": "A live result has a public initialiser with its context.",
    ]
    return Dictionary(
      uniqueKeysWithValues: reasons.map { ("Sources/ObjectGraph/\($0.key)", $0.value) })
  }()

  @Test("Only the folder of the context names the context")
  func context() {
    let files = House.swift(in: "Sources/ObjectGraph")
    let findings = names(["ManagedObjectContext"], in: files, except: [Self.contextFolder])
    let stale = Set(Self.exceptions.keys).subtracting(findings.map(\.path)).sorted()

    let unexplained = findings.filter { Self.exceptions[$0.path] == nil }
    #expect(unexplained.isEmpty, "\(list(unexplained))")
    #expect(stale.isEmpty, "No longer needed as exceptions: \(stale)")
  }

  @Test("A rebase is a function of rows and names nothing of a context")
  func rebase() {
    let findings = names(
      [
        "ManagedObjectContext", "Workspace", "ManagedObject", "StoreState", "EntityState",
        "UndoStack",
      ], in: House.swift(in: "Sources/ObjectGraph/Rebase"))

    #expect(findings.isEmpty, "\(list(findings))")
  }

  @Test("The rule reports names of the context in other folders, and no other names")
  func canFail() {
    let file = SourceFile(
      "Sources/ObjectGraph/Rebase/Rebase.swift",
      #"""
      /// Not a ManagedObject.
      struct Rebase {  // And no Workspace.
        let text = "ManagedObject \(ManagedObject.self)"
        func managedObject(_ objects: [ManagedObjects]) {}
        let space: Workspace
      }
      """#)
    let forbidden: Set = ["ManagedObject", "Workspace"]

    #expect(names(forbidden, in: [file]).map(\.line) == [3, 5])
    #expect(names(forbidden, in: [file], except: ["Sources/ObjectGraph/Rebase/"]).isEmpty)
  }

  /// Returns the places in code that name one of the words, outside the given folders.
  private func names(
    _ words: Set<String>, in files: [SourceFile], except folders: [String] = []
  ) -> [Finding] {
    files.filter { file in !folders.contains { file.path.hasPrefix($0) } }.flatMap { file in
      file.tokens.filter { words.contains($0.text) }
        .map { Finding(file, $0.line, "\($0.text) is named here.") }
    }
  }
}
