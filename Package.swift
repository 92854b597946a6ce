// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

// The modules, top to bottom. A target imports only targets above it. `./run check` builds with
// `--explicit-target-dependency-import-check error`, and docs/architecture.md draws the dependencies.

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableExperimentalFeature("Lifetimes"),
  .treatAllWarnings(as: .error),
]

let relaxed: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .treatAllWarnings(as: .error),
]

/// Returns the dependencies in a text, with a space between them. A list would take a line for each few of them.
func named(_ text: String) -> [Target.Dependency] {
  text.split(separator: " ").map { .byName(name: String($0)) }
}

/// Returns a module, in a folder of its name in `Sources` unless a path is given.
func module(
  _ name: String, _ imports: String = "", at path: String? = nil, exclude: [String] = [],
  settings: [SwiftSetting] = strict
) -> Target {
  .target(
    name: name, dependencies: named(imports), path: path, exclude: exclude,
    swiftSettings: settings)
}

/// Returns a module that several targets of tests use.
func support(
  _ name: String, _ imports: String = "", exclude: [String] = [],
  settings: [SwiftSetting] = strict
) -> Target {
  module(name, imports, at: "Tests/Support/\(name)", exclude: exclude, settings: settings)
}

func program(
  _ name: String, _ imports: String, at path: String? = nil, settings: [SwiftSetting] = strict
) -> Target {
  .executableTarget(
    name: name, dependencies: named(imports), path: path, swiftSettings: settings)
}

/// Returns the module of a library of the system.
func system(
  _ name: String, _ library: String, apt: String, brew: String, at path: String
) -> Target {
  .systemLibrary(
    name: name, path: path, pkgConfig: library, providers: [.apt([apt]), .brew([brew])])
}

func tests(_ name: String, _ imports: String, exclude: [String] = []) -> Target {
  .testTarget(
    name: name, dependencies: named(imports + " TestEffort"), exclude: exclude,
    swiftSettings: relaxed)
}

let package = Package(
  name: "quire",
  products: [
    .library(name: "Quire", targets: ["Quire"]),
    // For programs that validate, compare, merge, import, pack and rescue documents.
    .library(name: "QuireTools", targets: ["QuireTools"]),
    // For linked-in backends, and for programs that work with models and rows: the modules beneath the umbrella.
    .library(
      name: "StoreInterface",
      targets: [
        "StoreInterface", "ObjectModel", "ModelNotations", "ObjectQuery", "Rows", "DurableFiles",
      ]),
    // For programs that load store plug-ins.
    .library(name: "PluginHost", targets: ["PluginHost"]),
    // For authors of backends: the support library, and the conformance tests for a backend.
    .library(name: "PluginSupport", targets: ["PluginSupport"]),
    .library(name: "StoreConformance", targets: ["StoreConformance"]),
    // For authors of backends and for tests: a disk that fails on plan.
    .library(name: "DiskSimulation", targets: ["DiskSimulation"]),
    .executable(name: "quire", targets: ["quire-cli"]),
    .plugin(name: "GenerateModel", targets: ["GenerateModel"]),
    // For authors of plug-ins, and the built-in stores as plug-ins.
    .library(name: "BinaryStorePlugin", type: .dynamic, targets: ["BinaryStoreExport"]),
    .library(name: "XMLStorePlugin", type: .dynamic, targets: ["XMLStoreExport"]),
    // For programs that open SQLite databases: the store to link in, and the plug-in that the tool finds in its own folder.
    .library(name: "SQLiteStore", targets: ["SQLiteStore"]),
    .library(name: "SQLiteStorePlugin", type: .dynamic, targets: ["SQLiteStoreExport"]),
    // The same for stores in PostgreSQL databases.
    .library(name: "PostgreSQLStore", targets: ["PostgreSQLStore"]),
    .library(name: "PostgreSQLStorePlugin", type: .dynamic, targets: ["PostgreSQLStoreExport"]),
    // The library for programs in other languages. `./run` installs it as libquire.so.
    .library(name: "quire-c", type: .dynamic, targets: ["LibQuire"]),
    // A library that a test loads into a process of another language.
    .library(name: "ArrowExchange", type: .dynamic, targets: ["ArrowExchange"]),
  ],
  targets: [
    // The bottom modules. Of this package's modules, they import only each other.
    .target(name: "CChecksums"),
    .target(name: "CProcessor"),
    .target(name: "CProgram"),
    .target(name: "CThreads"),
    .target(name: "CArrow"),
    .target(name: "CStorePlugin", dependencies: ["CArrow"]),
    .target(name: "CQuire", dependencies: ["CArrow"]),
    system(
      "CLibXML2", "libxml-2.0", apt: "libxml2-dev", brew: "libxml2",
      at: "Sources/XMLEvents/CLibXML2"),
    module("Checksums", "CChecksums"),
    module("XMLEvents", "CLibXML2", exclude: ["CLibXML2"]),
    module("PropertyLists", "XMLEvents"),
    system("CZlib", "zlib", apt: "zlib1g-dev", brew: "zlib", at: "Sources/Deflate/CZlib"),
    system(
      "CLibDeflate", "libdeflate", apt: "libdeflate-dev", brew: "libdeflate",
      at: "Sources/Deflate/CLibDeflate"),
    module("Deflate", "CLibDeflate CZlib", exclude: ["CLibDeflate", "CZlib"]),
    module("Tracing"),
    // Locks, conditions and queues, in an order that a test may choose.
    module("Threads", "CThreads"),
    module("DurableFiles", "Threads Tracing"),
    module("TextMatching"),
    module("FullText"),
    // Reading and writing of JSON.
    module("JSONText"),

    // The disk of tests, and their random numbers.
    module("SeededRandom"),
    module("DiskSimulation", "DurableFiles SeededRandom"),

    // Databases in files that other systems made.
    system(
      "CSQLite3", "sqlite3", apt: "libsqlite3-dev", brew: "sqlite3",
      at: "Sources/SQLiteFiles/CSQLite3"),
    module("SQLiteFiles", "CSQLite3 DurableFiles", exclude: ["CSQLite3"]),

    // Databases on PostgreSQL servers.
    system(
      "CPostgreSQL", "libpq", apt: "libpq-dev", brew: "libpq",
      at: "Sources/PostgreSQLConnection/CPostgreSQL"),
    module("PostgreSQLConnection", "CPostgreSQL", exclude: ["CPostgreSQL"]),

    // Folders that are packed into one file and read in place.
    module("Archives", "DurableFiles Deflate"),

    // The object model and its rows.
    module("ObjectModel", "Checksums PropertyLists JSONText TextMatching"),
    module("Rows", "ObjectModel FullText Checksums CArrow TextMatching"),
    module("ObjectQuery", "ObjectModel Rows PropertyLists TextMatching FullText Tracing"),
    // Models in files: Apple's sources and archives, text and JSON.
    module(
      "ModelNotations", "ObjectModel ObjectQuery PropertyLists XMLEvents JSONText TextMatching"),

    // Stores: the interface, and the backends behind it.
    module(
      "StoreInterface",
      """
      ModelNotations ObjectModel Rows ObjectQuery PropertyLists Threads DurableFiles XMLEvents
      """),
    module("BlockFileFormat", "ObjectModel Rows DurableFiles Checksums Deflate"),
    // Requests in SQL, for the stores in databases.
    module("SQLTranslation", "ObjectModel ObjectQuery Rows"),
    // The store in tables, over any database.
    module(
      "RelationalStore",
      "SQLTranslation StoreInterface ObjectModel ObjectQuery Rows PropertyLists"),
    module(
      "SQLiteStore",
      """
      RelationalStore SQLTranslation SQLiteFiles StoreInterface ModelNotations ObjectModel \
      ObjectQuery Rows PropertyLists DurableFiles Deflate
      """, at: "Plugins/SQLiteStore/Sources"),
    module(
      "PostgreSQLStore",
      """
      RelationalStore SQLTranslation PostgreSQLConnection StoreInterface ModelNotations \
      ObjectModel ObjectQuery Rows DurableFiles
      """, at: "Plugins/PostgreSQLStore/Sources"),
    module(
      "BinaryStore",
      """
      BlockFileFormat StoreInterface ModelNotations ObjectModel Rows PropertyLists Threads \
      DurableFiles Checksums Deflate
      """, at: "Plugins/BinaryStore/Sources"),
    module(
      "XMLStore",
      """
      StoreInterface ModelNotations ObjectModel Rows PropertyLists DurableFiles XMLEvents \
      TextMatching
      """, at: "Plugins/XMLStore/Sources"),

    // Store plug-ins, in libraries that are loaded on demand: the code that both sides of the C interface share, the host, and
    // the support for plug-ins.
    module(
      "PluginExchange",
      """
      CStorePlugin ModelNotations ObjectModel ObjectQuery Rows StoreInterface PropertyLists \
      XMLEvents DurableFiles
      """),
    module(
      "PluginHost",
      """
      CStorePlugin CArrow PluginExchange ObjectModel ObjectQuery Rows StoreInterface DurableFiles \
      JSONText Checksums Tracing
      """),
    module(
      "PluginSupport",
      """
      CStorePlugin CArrow PluginExchange ObjectModel ObjectQuery Rows StoreInterface DurableFiles \
      PropertyLists
      """),

    // The conformance tests that a backend's author runs on a backend.
    module(
      "StoreConformance",
      """
      StoreInterface ObjectModel ObjectQuery Rows PropertyLists SeededRandom DurableFiles \
      DiskSimulation
      """),

    // The macros that make a class an entity: their expansion, and the program that the compiler starts for it.
    module("MacroExpansion", "JSONText"),
    .macro(name: "EntityMacros", dependencies: ["MacroExpansion"], swiftSettings: strict),

    // Objects: coordinator, contexts, managed objects.
    module(
      "ObjectGraph",
      "CProcessor ObjectModel Rows ObjectQuery StoreInterface TextMatching Threads Tracing"),
    // The macros with which classes declare entities.
    module("Entities", "ObjectModel ObjectQuery ObjectGraph EntityMacros"),

    // Migration of stores from one version of their model to another.
    module(
      "Migration", "ModelNotations ObjectModel Rows ObjectQuery StoreInterface ObjectGraph Tracing"),

    // Documents: the container, its versions and attachments, and the objects of a document with autosave.
    module(
      "Documents",
      """
      ModelNotations ObjectModel Rows StoreInterface ObjectGraph Migration Threads DurableFiles \
      PropertyLists JSONText Checksums Archives
      """),

    // Import and export of objects as text.
    module(
      "Interchange",
      "ModelNotations ObjectModel Rows StoreInterface ObjectGraph DurableFiles JSONText TextMatching"
    ),

    // Comparison of documents and stores, three-way merges, and patches.
    module(
      "Comparison",
      """
      ObjectModel ObjectQuery Rows StoreInterface ObjectGraph Documents Interchange Archives \
      DurableFiles JSONText TextMatching
      """),

    // The exchange of versions between documents through folders.
    module(
      "DocumentExchange",
      """
      Comparison Documents Migration ModelNotations StoreInterface ObjectGraph ObjectModel Rows Archives \
      Checksums DurableFiles JSONText SystemPrograms
      """),

    // Validation of documents by every rule of the specification.
    module(
      "Validation",
      """
      ModelNotations ObjectModel Rows ObjectQuery StoreInterface Documents BlockFileFormat \
      PropertyLists XMLEvents JSONText DurableFiles Deflate Checksums Archives TextMatching
      """),

    // Recovery of the readable objects of damaged stores.
    module(
      "Recovery",
      """
      ModelNotations ObjectModel Rows StoreInterface BlockFileFormat XMLStore PropertyLists \
      DurableFiles Deflate
      """),

    // Swift source with a class for each entity, and the tool that writes this source during a build.
    module("ModelCode", "ModelNotations ObjectModel ObjectQuery"),
    program("quire-classes", "ModelCode ModelNotations ObjectModel"),
    .plugin(
      name: "GenerateModel", capability: .buildTool(), dependencies: ["quire-classes"],
      path: "Plugins/GenerateModel"),

    // The exported symbol of a plug-in is in a module of its own, so that several backends can be linked into one program.
    module("BinaryStoreExport", "BinaryStore PluginSupport", at: "Plugins/BinaryStore/Export"),
    module("SQLiteStoreExport", "SQLiteStore PluginSupport", at: "Plugins/SQLiteStore/Export"),
    module(
      "PostgreSQLStoreExport",
      "PostgreSQLStore PluginSupport", at: "Plugins/PostgreSQLStore/Export"),
    module("XMLStoreExport", "XMLStore PluginSupport", at: "Plugins/XMLStore/Export"),

    // Files that are parts of the tool: the templates of new plug-ins, the style and the script of reports.
    .target(name: "CEmbeddedFiles", exclude: ["PluginTemplates", "Report"]),
    module("EmbeddedFiles", "CEmbeddedFiles"),

    // The process itself and other programs, and the parts of a command-line tool that know no store.
    module("SystemPrograms", "CProgram DurableFiles"),
    module("CommandInterface", "SystemPrograms DurableFiles JSONText TextMatching"),

    // The kit for authors of plug-ins: templates, trials, measurements and packages.
    module(
      "PluginKit",
      """
      EmbeddedFiles SystemPrograms PluginHost StoreConformance StoreInterface ObjectModel \
      ObjectQuery Rows SeededRandom Archives DurableFiles
      """),

    // The module that applications import, and the tool.
    module(
      "Quire",
      """
      Entities ModelNotations ObjectModel ObjectQuery StoreInterface ObjectGraph Migration \
      Documents BinaryStore XMLStore DurableFiles Tracing
      """),
    // The calls of the tools for programs.
    module(
      "QuireTools",
      """
      Quire Documents ObjectModel StoreInterface ObjectGraph DurableFiles BlockFileFormat Archives \
      Interchange Comparison DocumentExchange Validation Recovery
      """),
    // The functions of quire.h.
    module(
      "LibQuire",
      """
      CQuire CArrow Quire QuireTools Documents Interchange Comparison Migration ModelNotations \
      ObjectGraph ObjectModel ObjectQuery Rows StoreInterface Validation DurableFiles JSONText
      """, exclude: ["exports.map"]),
    module(
      "ToolCommands",
      """
      CommandInterface SystemPrograms EmbeddedFiles Quire QuireTools BinaryStore Documents \
      JSONText ModelNotations ObjectModel Rows ObjectQuery StoreInterface ObjectGraph Migration \
      DurableFiles Validation ModelCode Archives Comparison DocumentExchange Interchange Recovery \
      PluginHost StoreConformance PluginKit PropertyLists BlockFileFormat Deflate XMLEvents \
      SeededRandom Checksums FullText Tracing
      """),
    program("quire-cli", "ToolCommands CommandInterface SystemPrograms"),

    // Benchmarks.
    system(
      "CXMLPeer", "libxml-2.0", apt: "libxml2-dev", brew: "libxml2", at: "Benchmarks/CXMLPeer"),
    system("CLMDBPeer", "lmdb", apt: "liblmdb-dev", brew: "lmdb", at: "Benchmarks/CLMDBPeer"),
    program(
      "quire-bench",
      """
      ObjectModel Rows ObjectQuery StoreInterface ObjectGraph Entities Migration BinaryStore \
      Deflate CSQLite3 CXMLPeer CLMDBPeer XMLStore DurableFiles Documents PluginHost CStorePlugin \
      SQLiteStore PostgreSQLStore PostgreSQLServer PostgreSQLConnection CPostgreSQL ProgramRuns \
      TextMatching
      """, at: "Benchmarks/quire-bench", settings: relaxed),

    // Support code of several test targets.
    support("AppleFixtures"),
    support("ArrowExchange", "CArrow ObjectModel Rows"),
    support("QueryWorld", "ObjectModel Rows ObjectQuery SeededRandom"),
    support("NaiveText", "SeededRandom"),
    support("NoteSearches", "NaiveText ObjectGraph ObjectModel ObjectQuery TestEffort"),
    support(
      "InstalledPlugins",
      "ProgramRuns PluginHost StoreInterface DurableFiles",
      exclude: ["Headers"], settings: relaxed),
    support("ProgramRuns"),
    support("TypedTrips", "Quire"),
    support("SchemaSubset", "JSONText"),
    support("SpecVectors"),
    support("TestEffort"),
    support(
      "HostileInputs",
      """
      BinaryStore XMLStore XMLEvents Validation Recovery Documents StoreInterface DiskSimulation \
      DurableFiles ModelNotations ObjectModel ObjectQuery Migration QueryWorld PropertyLists Rows \
      SeededRandom Checksums Archives PluginHost PluginSupport CStorePlugin CArrow SQLiteStore \
      MacroExpansion JSONText PostgreSQLStore PostgreSQLConnection LibQuire CQuire
      """, settings: relaxed),
    support("Interleavings", "Threads DiskSimulation DurableFiles SeededRandom", settings: relaxed),
    support("PostgreSQLServer", "ProgramRuns", settings: relaxed),
    // The program that saves while the trials in Tests/cluster kill servers.
    program(
      "cluster-writer",
      "Quire StoreInterface DurableFiles PostgreSQLStore",
      at: "Tests/Support/cluster-writer", settings: relaxed),
    // The program whose transactions Tests/isolation judges.
    program(
      "isolation-writer",
      """
      Quire StoreInterface DurableFiles Entities ObjectGraph ObjectModel Documents PluginHost \
      SQLiteStore PostgreSQLStore
      """, at: "Tests/Support/isolation-writer", settings: relaxed),
    support("SQLText", "CSQLite3", settings: relaxed),

    // Tests, with one target for each module.
    tests("ChecksumsTests", "Checksums SeededRandom"),
    tests("XMLEventsTests", "XMLEvents"),
    tests("DeflateTests", "Deflate SeededRandom"),
    tests("PropertyListsTests", "PropertyLists XMLEvents SeededRandom"),
    tests("JSONTextTests", "JSONText"),
    tests("MacroExpansionTests", "MacroExpansion JSONText SeededRandom"),
    tests("TextMatchingTests", "TextMatching SeededRandom"),
    tests("FullTextTests", "FullText NaiveText SeededRandom"),
    tests("DurableFilesTests", "DiskSimulation DurableFiles ProgramRuns SeededRandom"),
    tests(
      "ArchivesTests",
      """
      Archives Deflate DiskSimulation DurableFiles SeededRandom BinaryStore XMLStore \
      StoreInterface ObjectModel Rows ProgramRuns SpecVectors
      """),
    tests(
      "ObjectModelTests",
      """
      ModelNotations ObjectModel PropertyLists Checksums JSONText ProgramRuns SeededRandom \
      SpecVectors AppleFixtures
      """),
    tests(
      "RowsTests",
      "Rows CArrow ObjectModel ProgramRuns SeededRandom SpecVectors ArrowExchange",
      exclude: ["Scripts"]),
    tests(
      "ObjectQueryTests",
      "ObjectQuery Rows ObjectModel SeededRandom QueryWorld SpecVectors",
      exclude: ["Expressions"]),
    tests(
      "StoreInterfaceTests",
      """
      StoreInterface StoreConformance ObjectModel ObjectQuery Rows DiskSimulation DurableFiles \
      PropertyLists SeededRandom
      """),
    tests(
      "StoreConformanceTests",
      """
      StoreConformance StoreInterface ObjectModel ObjectQuery Rows BinaryStore DiskSimulation \
      DurableFiles PropertyLists
      """),
    tests(
      "ObjectGraphTests",
      """
      ObjectGraph Entities StoreInterface BinaryStore XMLStore SQLiteStore DiskSimulation \
      DurableFiles ObjectModel ObjectQuery Rows SeededRandom ProgramRuns Validation NoteSearches \
      Interleavings Threads Tracing Documents
      """),
    tests(
      "MigrationTests",
      """
      Migration ObjectGraph StoreInterface BinaryStore XMLStore DiskSimulation DurableFiles \
      ModelNotations ObjectModel ObjectQuery Rows Validation SeededRandom PropertyLists \
      AppleFixtures
      """),
    tests(
      "DocumentsTests",
      """
      Archives Documents ObjectGraph StoreInterface BinaryStore XMLStore DiskSimulation \
      DurableFiles ObjectModel ObjectQuery Rows Migration Validation InstalledPlugins
      """, exclude: ["Corpus"]),
    tests(
      "BinaryStoreTests",
      """
      BinaryStore StoreInterface StoreConformance DiskSimulation DurableFiles ModelNotations \
      ObjectModel ObjectQuery Rows SeededRandom ProgramRuns SpecVectors Checksums HostileInputs
      """),
    tests(
      "XMLStoreTests",
      """
      XMLStore BinaryStore StoreInterface StoreConformance DiskSimulation DurableFiles ObjectModel \
      Rows PropertyLists XMLEvents ProgramRuns SeededRandom SpecVectors AppleFixtures
      """),
    tests(
      "RelationalStoreTests",
      "RelationalStore SQLTranslation StoreInterface StoreConformance ObjectModel Rows"),
    tests(
      "SQLiteStoreTests",
      """
      Interchange SQLiteStore RelationalStore SQLiteFiles SQLTranslation StoreInterface StoreConformance \
      ObjectGraph ModelNotations ObjectModel ObjectQuery QueryWorld Rows DiskSimulation \
      DurableFiles PropertyLists SeededRandom BinaryStore Deflate CSQLite3 AppleFixtures Migration \
      Recovery
      """, exclude: ["Databases"]),
    tests(
      "PostgreSQLStoreTests",
      """
      PostgreSQLStore PostgreSQLConnection PostgreSQLServer SQLTranslation StoreInterface \
      StoreConformance ObjectGraph ObjectModel ObjectQuery QueryWorld Rows DurableFiles \
      PropertyLists SeededRandom BinaryStore Migration ToolCommands CommandInterface Documents \
      Validation DiskSimulation NoteSearches
      """),
    tests(
      "PluginExchangeTests",
      """
      PluginHost PluginSupport CStorePlugin BinaryStore XMLStore StoreInterface StoreConformance \
      ProgramRuns SeededRandom DiskSimulation DurableFiles ObjectModel ObjectQuery Rows \
      InstalledPlugins HostileInputs
      """),
    tests(
      "ValidationTests",
      """
      Validation BlockFileFormat BinaryStore StoreInterface StoreConformance DiskSimulation \
      DurableFiles PropertyLists ModelNotations ObjectModel Rows SeededRandom Checksums \
      HostileInputs XMLStore Documents JSONText SpecVectors Archives SchemaSubset SQLiteStore \
      SQLText AppleFixtures
      """),
    tests(
      "ModelCodeTests",
      "ModelCode ModelNotations ObjectModel ProgramRuns Quire TypedTrips DiskSimulation",
      exclude: ["Goldens"]),
    tests(
      "RecoveryTests",
      """
      Recovery ObjectGraph StoreInterface BinaryStore BlockFileFormat XMLStore DiskSimulation \
      DurableFiles ObjectModel Rows SeededRandom Validation HostileInputs
      """),
    tests(
      "InterchangeTests",
      """
      Interchange ObjectGraph StoreInterface BinaryStore XMLStore DiskSimulation DurableFiles \
      ModelNotations ObjectModel ObjectQuery ProgramRuns Rows SeededRandom Validation
      """, exclude: ["Scripts"]),
    tests(
      "ExchangeTests",
      """
      QuireTools DocumentExchange Comparison Quire Documents Migration ObjectGraph StoreInterface Checksums \
      DiskSimulation DurableFiles JSONText ObjectModel SeededRandom SpecVectors
      """),
    tests(
      "ComparisonTests",
      """
      QuireTools Comparison Quire Documents Archives Interchange SQLiteStore ObjectGraph \
      StoreInterface BinaryStore DiskSimulation DurableFiles ObjectModel Rows SeededRandom
      """),
    tests(
      "ToolCommandsTests",
      """
      ToolCommands CommandInterface SystemPrograms PluginKit QuireTools JSONText Quire Documents \
      Migration ObjectGraph ModelNotations ObjectModel Rows StoreInterface BinaryStore \
      BlockFileFormat DiskSimulation DurableFiles PropertyLists PluginHost InstalledPlugins \
      ProgramRuns SQLiteFiles AppleFixtures Archives Deflate SeededRandom SchemaSubset SpecVectors
      """, exclude: ["Snapshots", "WrongStores"]),
    tests(
      "PluginHostTests",
      """
      PluginHost CStorePlugin ProgramRuns DurableFiles StoreInterface JSONText HostileInputs \
      SchemaSubset
      """, exclude: ["BadPlugins"]),
    tests("LibQuireTests", "LibQuire CQuire CArrow HostileInputs SeededRandom"),
    tests("QuireTests", "Quire ObjectModel TypedTrips SQLiteStore StoreInterface"),
    tests("HouseTests", "ProgramRuns"),
  ],
)

/// Removes every target that is neither named nor a dependency of a named target. Removes the products of these targets too.
@MainActor
func keepTargets(_ names: Set<String>) {
  // Libraries that the tests of plug-ins load.
  let exports = ["BinaryStoreExport", "XMLStoreExport", "SQLiteStoreExport"]
  var needed = names
  var added = names
  while !added.isEmpty {
    let dependencies = package.targets.filter { added.contains($0.name) }.flatMap(\.dependencies)
    let below = dependencies.compactMap { dependency in
      if case .byNameItem(let name, _) = dependency { name } else { nil }
    }
    added = Set(below + (below.contains("InstalledPlugins") ? exports : [])).subtracting(needed)
    needed.formUnion(added)
  }
  // The build plug-in is removed too. Otherwise its tool, with all modules below it, would be compiled a second time for the
  // host.
  package.targets.removeAll { !needed.contains($0.name) }
  package.products.removeAll { product in
    switch product {
    case let library as Product.Library: !needed.isSuperset(of: library.targets)
    case let program as Product.Executable: !needed.isSuperset(of: program.targets)
    default: true
    }
  }
}

// Fuzzers exist only on request, with the flags that `./run fuzz` passes: every module below a fuzzer must be instrumented.
var fuzzers: Set<String> = []
if Context.environment["QUIRE_FUZZ"] != nil {
  let others = Set(package.targets.map(\.name))
  func fuzzer(_ name: String, exclude: [String] = []) -> Target {
    .executableTarget(
      name: name, dependencies: ["FuzzDriver", "HostileInputs"], path: "Fuzz/\(name)",
      exclude: exclude, swiftSettings: relaxed,
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])])
  }

  package.targets += [
    .target(name: "CFuzzer", path: "Fuzz/CFuzzer"),
    .target(
      name: "FuzzDriver", dependencies: ["CFuzzer"], path: "Fuzz/FuzzDriver", swiftSettings: relaxed
    ),
    fuzzer("ArchiveFuzz", exclude: ["Seeds"]),
    fuzzer("BlockFuzz"),
    fuzzer("CallFuzz", exclude: ["Seeds"]),
    fuzzer("DeclarationFuzz", exclude: ["seeds.txt"]),
    fuzzer("IdentifierFuzz"),
    fuzzer("ManifestFuzz", exclude: ["Seeds"]),
    fuzzer("MappingFuzz", exclude: ["Seeds"]),
    fuzzer("MetadataFuzz", exclude: ["Seeds", "corpus.hex"]),
    fuzzer("ModelArchiveFuzz"),
    fuzzer("ModelSourceFuzz", exclude: ["seeds.txt"]),
    fuzzer("PluginBatchFuzz"),
    fuzzer("PluginManifestFuzz", exclude: ["Seeds"]),
    fuzzer("PostgreSQLResultFuzz", exclude: ["Seeds"]),
    fuzzer("PredicateFuzz", exclude: ["seeds.txt"]),
    fuzzer("PropertyListFuzz", exclude: ["Seeds"]),
    fuzzer("QueryFuzz", exclude: ["seeds.txt"]),
    fuzzer("SQLiteSchemaFuzz", exclude: ["Seeds"]),
    fuzzer("StoreFuzz", exclude: ["Seeds", "corpus.hex"]),
    fuzzer("ValidationFuzz", exclude: ["Seeds"]),
    fuzzer("XMLStoreFuzz", exclude: ["Seeds"]),
  ]
  fuzzers = Set(package.targets.map(\.name)).subtracting(others)
  if Context.environment["QUIRE_TARGETS"] == nil { keepTargets(fuzzers) }
}

// A build of a few targets, such as the tool with a plug-in or the tests of a step of CI, compiles only these targets and the
// modules below them. SwiftPM takes one product at a time, and plans and links anew for each.
if let wanted = Context.environment["QUIRE_TARGETS"] {
  let names = Set(wanted.split(separator: " ").map(String.init)).union(fuzzers)
  // These tests run the package's own programs.
  let runsPrograms = !names.isDisjoint(with: ["ModelCodeTests", "ToolCommandsTests"])
  keepTargets(runsPrograms ? names.union(["quire-cli", "quire-classes"]) : names)
}

// Tells the thread sanitizer about Swift's mutexes, for tests that run under it.
if Context.environment["QUIRE_SANITIZER"] == "thread" {
  package.targets += [
    .target(name: "CSanitizedLocks", path: "Tests/Support/CSanitizedLocks")
  ]
  // All tests are one program, so one target that links the locks is enough.
  package.targets.first { $0.type == .test }?.dependencies.append("CSanitizedLocks")
}

// Nothing in this package uses the plug-in that makes classes from a model. Its tool would be compiled for the host, and with
// it ObjectModel, Rows and ObjectQuery a second time, so `./run` builds without the plug-in (docs/decisions/0029). The packages
// in `Examples/` use it.
if Context.environment["QUIRE_OPTIMIZED"] != nil {
  package.targets.removeAll { $0.name == "GenerateModel" }
  package.products.removeAll { $0.name == "GenerateModel" }
}

// `./run` optimizes the modules in which tests spend most of their time, also in builds for debugging. All assertions
// stay. This needs flags that a package with version numbers may not have, so only `./run` asks for them.
if Context.environment["QUIRE_OPTIMIZED"] != nil {
  let busy: Set = [
    "Archives", "BlockFileFormat", "Checksums", "Deflate", "DiskSimulation", "DurableFiles",
    "FullText", "JSONText", "PropertyLists", "Rows", "SeededRandom", "TextMatching", "XMLEvents",
  ]
  let flags = ["-O", "-wmo", "-disable-batch-mode", "-num-threads", "2", "-assert-config", "Debug"]
  for target in package.targets where busy.contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(flags, .when(configuration: .debug)))
  }
}

// `./run install` and `./run release` link the standard library, Foundation, libxml2, zlib and libdeflate into the tool, its
// plug-ins and the library for other languages. So they run on systems without these, and the tool starts in half of the time
// (docs/decisions/0027).
if Context.environment["QUIRE_STATIC"] != nil {
  // Modules that are compiled for the shared library do not name the libraries below Foundation.
  let below = ["CoreFoundation", "_FoundationCollections", "_FoundationCShims", "_FoundationICU"]
  // An object file with the part of ICU's data that Quire uses. It replaces the data in ICU's library.
  let data = Context.environment["QUIRE_ICU_DATA"].map { [$0] } ?? []
  // A folder in which the linker finds the archives of C libraries before the shared libraries.
  let archives =
    Context.environment["QUIRE_ARCHIVES"].map { ["-Xclang-linker", "-static-libgcc", "-L", $0] }
    ?? []
  let isCompact = Context.environment["QUIRE_COMPACT_RELOCATIONS"] != nil
  func linker(_ options: [String]) -> [String] { options.flatMap { ["-Xlinker", $0] } }
  let relocations = isCompact ? linker(["-z", "pack-relative-relocs"]) : []
  let library =
    ["-static-stdlib", "-use-ld=lld"] + relocations + archives + data + below.map { "-l\($0)" }

  func link(_ name: String, _ options: [String]) {
    package.targets.first { $0.name == name }?.linkerSettings = [
      .unsafeFlags(library + linker(options), .when(configuration: .release))
    ]
  }
  // A plug-in has a standard library of its own, and shares no symbol with the program that loads it.
  link("quire-cli", ["--no-export-dynamic", "--icf=safe"])
  let script = Context.packageDirectory + "/Plugins/exports.map"
  for name in ["SQLiteStoreExport", "PostgreSQLStoreExport"] {
    link(name, ["--version-script=\(script)", "--icf=safe"])
  }
  // The library for other languages is alike, and its name tells the version of its interface.
  link(
    "LibQuire",
    [
      "--version-script=\(Context.packageDirectory)/Sources/LibQuire/exports.map", "--icf=safe",
      "-soname=libquire.so.1",
    ])
}
