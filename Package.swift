// swift-tools-version:6.2
import PackageDescription

// Fuzzers are built only when they are asked for: their flags are unsafe in SwiftPM's sense, and no package can depend on
// one with such flags. No other variable changes what is built.
let isFuzzing = Context.environment["TIDEMARK_FUZZ"] == "1"

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// For modules with values that cannot escape the closure they are lent to: Swift 6.2 and 6.3 have such types, and
/// check them, but the attribute on their initializers is still behind this name.
let lifetimes: [SwiftSetting] = [.enableExperimentalFeature("Lifetimes")]

// MARK: Libraries of the system

// simdjson and zstd are used on Linux, unless the package is built without the trait. Everywhere else, and without it,
// the package does the same by itself (docs/decisions/0030-without-libraries.md).
let isFromSystem = BuildSettingCondition.when(platforms: [.linux], traits: ["SystemLibraries"])
let zstd: Target.Dependency = .target(
    name: "CZstd", condition: .when(platforms: [.linux], traits: ["SystemLibraries"]))
let definesZstd: SwiftSetting = .define("TIDEMARK_ZSTD", isFromSystem)

// MARK: Products of other packages

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
// CryptoKit has the same interface on Apple's systems, where this product is not built.
let crypto: Target.Dependency = .product(
    name: "Crypto", package: "swift-crypto", condition: .when(platforms: [.linux, .android, .windows]))
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let jwtKit: Target.Dependency = .product(name: "JWTKit", package: "jwt-kit")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "Metrics", package: "swift-metrics")
let metricsTestKit: Target.Dependency = .product(name: "MetricsTestKit", package: "swift-metrics")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTPTypes: Target.Dependency = .product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTPTypesHTTP1: Target.Dependency = .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let openCombine: Target.Dependency = .product(
    name: "OpenCombine", package: "OpenCombine", condition: .when(platforms: [.linux, .android, .windows]))
let serviceLifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")

// MARK: One line for a module

/// A module: in `Sources` or `Tests`, unless a path says where.
func module(
    _ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil, settings: [SwiftSetting] = []
) -> Target {
    .target(name: name, dependencies: dependencies, path: path, swiftSettings: strict + settings)
}

/// A module with an entry point.
func tool(
    _ name: String, _ dependencies: [Target.Dependency], path: String? = nil, exclude: [String] = [],
    sources: [String]? = nil
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: path, exclude: exclude, sources: sources, swiftSettings: strict)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], path: String? = nil, exclude: [String] = [],
    settings: [SwiftSetting] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, path: path, exclude: exclude, swiftSettings: strict + settings)
}

// MARK: The package

let package = Package(
    name: "tidemark",
    // Linux and Apple's systems. The command, the servers and the streams of NATS are for Linux and macOS alone
    // (docs/platforms.md).
    platforms: [.macOS(.v15), .macCatalyst(.v18), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Tidemark", targets: ["Tidemark"]),
        .library(name: "TidemarkModel", targets: ["TidemarkModel"]),
        .library(name: "TidemarkJSON", targets: ["TidemarkJSON"]),
        .library(name: "TidemarkGraphQLLanguage", targets: ["TidemarkGraphQLLanguage"]),
        .library(name: "TidemarkGraphQL", targets: ["TidemarkGraphQL", "TidemarkGraphQLTypes"]),
        .library(name: "TidemarkHTTP", targets: ["TidemarkHTTP", "TidemarkURLSession"]),
        .library(name: "TidemarkJetStream", targets: ["TidemarkJetStream"]),
        .library(name: "TidemarkLiveViews", targets: ["TidemarkLiveViews"]),
        .library(name: "TidemarkScopeFeed", targets: ["TidemarkScopeFeed"]),
        .library(name: "TidemarkEncryption", targets: ["TidemarkEncryption"]),
        .library(name: "TidemarkSQLite", targets: ["TidemarkSQLite"]),
        .library(name: "TidemarkStore", targets: ["TidemarkStore"]),
        .library(name: "TidemarkTesting", targets: ["TidemarkTesting"]),
        .library(name: "TidemarkCombine", targets: ["TidemarkCombine"]),
        .library(name: "TidemarkService", targets: ["TidemarkService"]),
        .library(name: "tidemarksqlite", type: .dynamic, targets: ["CSQLiteExtension"]),
        .library(name: "TidemarkServer", targets: ["TidemarkServer"]),
        .library(name: "TidemarkServerTLS", targets: ["TidemarkServerTLS"]),
        .executable(name: "tidemark", targets: ["TidemarkTool"]),
        .executable(name: "tidemark-serve", targets: ["TidemarkServeTool"]),
        .library(name: "TidemarkGraphQLTypes", targets: ["TidemarkGraphQLTypes"]),
        .executable(name: "tidemark-graphql-generate", targets: ["tidemark-graphql-generate"]),
        .plugin(name: "TidemarkGraphQLPlugin", targets: ["TidemarkGraphQLPlugin"]),
    ],
    traits: [
        .trait(
            name: "SystemLibraries",
            description: "On Linux, simdjson decodes lines and zstd compresses. Without effect on other platforms."),
        .default(enabledTraits: ["SystemLibraries"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        // Without its trait for swift-configuration, which nothing here reads.
        .package(
            url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: ["FullFoundation"]),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/vapor/jwt-kit.git", from: "5.7.1"),
    ],
    targets: [
        // C and C++, one folder each. C++ stays behind a C header: interoperation with it would spread to every client
        // of the package.
        .target(
            name: "CLineParser", cxxSettings: [.define("TIDEMARK_SIMDJSON", to: "1", isFromSystem)],
            linkerSettings: [.linkedLibrary("simdjson", isFromSystem)]),
        .target(name: "CPrefetch"),
        .target(name: "CHeap"),
        .target(name: "CSQLiteShim", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(name: "CCurlTransport"),
        .target(name: "CNats"),
        .systemLibrary(
            name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
        .systemLibrary(
            name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        // Loaded by the sqlite3 shell to look into a data file; nothing else links it.
        .target(
            name: "CSQLiteExtension", cSettings: [.define("TIDEMARK_ZSTD", to: "1", isFromSystem)],
            linkerSettings: [.linkedLibrary("z"), .linkedLibrary("zstd", isFromSystem)]),

        // The engine.
        module("TidemarkModel"),
        module("TidemarkJSON", ["TidemarkModel"]),
        module("TidemarkWire", ["CLineParser", "TidemarkModel"]),
        module("TidemarkStore", ["CPrefetch", "TidemarkJSON", "TidemarkModel"], settings: lifetimes),
        module("TidemarkViews", ["TidemarkJSON", "TidemarkModel", "TidemarkStore"]),
        module("TidemarkScopes", ["TidemarkJSON", "TidemarkModel", "TidemarkStore", "TidemarkViews"]),
        module(
            "Tidemark", ["CHeap", "TidemarkJSON", "TidemarkModel", "TidemarkStore", "TidemarkWire", logging, metrics]),
        // Rows of stored HTTP responses, and what callers and journal share about them: below the journal and HTTP.
        module("TidemarkHTTPRecords", ["Tidemark", "TidemarkModel", "TidemarkStore"]),
        module(
            "TidemarkSQLite",
            [
                "CSQLiteShim", "CZlib", zstd, "Tidemark", "TidemarkHTTPRecords", "TidemarkJSON", "TidemarkModel",
                "TidemarkStore", grdb, grdbSQLite,
            ], settings: [definesZstd]),
        // The keys of encrypted data files. Apart, so that only their users link a library of cryptography.
        module("TidemarkEncryption", ["TidemarkSQLite", crypto]),
        // Apart, so that only their users link OpenCombine and ServiceLifecycle.
        module("TidemarkCombine", ["Tidemark", openCombine]),
        module("TidemarkService", ["Tidemark", serviceLifecycle]),

        // GraphQL: the language, documents over a cache, a client, and typed operations with their generator.
        module("TidemarkGraphQLLanguage", ["TidemarkJSON", "TidemarkModel"]),
        module("TidemarkGraphQLTypes", ["TidemarkJSON"]),
        module(
            "TidemarkGraphQL",
            [
                "Tidemark", "TidemarkGraphQLLanguage", "TidemarkGraphQLTypes", "TidemarkHTTP", "TidemarkHTTPRules",
                "TidemarkJSON", "TidemarkMessages", "TidemarkModel", "TidemarkStore", "TidemarkWire", logging,
            ],
            settings: lifetimes),
        module("TidemarkGraphQLGenerator", ["TidemarkGraphQLLanguage", "TidemarkJSON", "TidemarkModel"]),
        tool("tidemark-graphql-generate", ["TidemarkGraphQLGenerator", argumentParser]),
        .plugin(
            name: "TidemarkGraphQLPlugin", capability: .buildTool(), dependencies: ["tidemark-graphql-generate"]),

        // HTTP: RFC 9111 as functions of values, and a cache of responses behind a port to the network.
        module("TidemarkHTTPRules", ["TidemarkModel"]),
        module(
            "TidemarkHTTP",
            [
                "CCurlTransport", "Tidemark", "TidemarkHTTPRecords", "TidemarkHTTPRules", "TidemarkJSON",
                "TidemarkMessages", "TidemarkModel", "TidemarkStore", httpTypes,
            ]),
        // Apart: on Linux, Foundation's networking would be loaded at every start.
        module("TidemarkURLSession", ["TidemarkHTTP", "TidemarkHTTPRules", httpTypes]),

        // Scopes of a server as libraries of a cache.
        module(
            "TidemarkScopeFeed",
            [
                "Tidemark", "TidemarkHTTP", "TidemarkHTTPRules", "TidemarkJSON", "TidemarkMessages", "TidemarkModel",
                "TidemarkStore", "TidemarkWire",
            ]),

        // A stream of NATS JetStream as the log. libnats is loaded on first use.
        module("TidemarkJetStream", ["CNats", "Tidemark", "TidemarkJSON", "TidemarkModel", logging, metrics]),

        // A cache as a child process: JSON-RPC on standard input and output; its recordings. Messages and families of
        // methods are apart, because families also stand beside what they serve, in GraphQL and HTTP.
        module("TidemarkMessages", ["Tidemark", "TidemarkJSON", "TidemarkModel", "TidemarkStore", "TidemarkWire"]),
        module(
            "TidemarkSession",
            ["Tidemark", "TidemarkJSON", "TidemarkMessages", "TidemarkModel", "TidemarkStore", "TidemarkWire", logging]),
        module(
            "TidemarkLiveViews",
            [
                "Tidemark", "TidemarkJSON", "TidemarkMessages", "TidemarkModel", "TidemarkStore", "TidemarkViews",
                logging,
            ]),
        module(
            "TidemarkLiveScopes",
            [
                "Tidemark", "TidemarkJSON", "TidemarkModel", "TidemarkScopes", "TidemarkStore", "TidemarkViews",
                logging,
            ]),
        module(
            "TidemarkRecording",
            ["Tidemark", "TidemarkJSON", "TidemarkMessages", "TidemarkModel", "TidemarkStore", "TidemarkWire", logging]),

        // A cache behind HTTP, with the inspector's page. Apart, so that only its users build Hummingbird.
        module("TidemarkInspector"),
        module(
            "TidemarkServer",
            [
                "CZlib", zstd, "Tidemark", "TidemarkGraphQL", "TidemarkHTTP", "TidemarkHTTPRules",
                "TidemarkInspector", "TidemarkJSON", "TidemarkLiveScopes", "TidemarkLiveViews", "TidemarkMessages",
                "TidemarkModel", "TidemarkRecording", "TidemarkSQLite", "TidemarkScopes", "TidemarkSession",
                "TidemarkStore", "TidemarkViews", "TidemarkWire", httpTypes, hummingbird,
                hummingbirdCore, logging, nioCore, nioHTTP1, nioHTTPTypes, nioHTTPTypesHTTP1, serviceLifecycle,
            ], settings: [definesZstd]),
        // Apart, so that a server behind a proxy is built without BoringSSL.
        module("TidemarkServerTLS", ["TidemarkSQLite", "TidemarkServer", nioCore, nioSSL]),
        // JSON Web Tokens of clients of scopes. Apart, so that only tidemark-serve links a library of cryptography.
        module(
            "TidemarkScopeTokens", ["TidemarkModel", "TidemarkSQLite", "TidemarkServer", "TidemarkViews", jwtKit]),

        // For tests of users: a cache in memory, a clock, seeded streams, scripted upstreams.
        module("TidemarkTesting", ["Tidemark", "TidemarkJSON", "TidemarkModel", "TidemarkStore"]),
        // For `tidemark selftest`: a world in which a real cache runs while time, order, network and disk follow a seed; disks
        // that fail; and `Protocol` written a second time, without any code of the engine.
        .target(name: "CFaultVFS", linkerSettings: [.linkedLibrary("sqlite3")]),
        module("TidemarkFaultDisk", ["CFaultVFS"]),
        module("TidemarkReferenceModel"),
        module(
            "TidemarkSimulation",
            [
                "Tidemark", "TidemarkFaultDisk", "TidemarkGraphQL", "TidemarkGraphQLLanguage", "TidemarkLiveScopes",
                "TidemarkLiveViews", "TidemarkModel", "TidemarkReferenceModel", "TidemarkSQLite", "TidemarkScopes",
                "TidemarkTesting", "TidemarkViews", logging,
            ]),

        // The command line, and its two executables: the second one has the server.
        module(
            "TidemarkCommand",
            [
                "CHeap", "Tidemark", "TidemarkEncryption", "TidemarkGraphQL", "TidemarkGraphQLLanguage", "TidemarkHTTP",
                "TidemarkHTTPRecords", "TidemarkHTTPRules", "TidemarkJSON", "TidemarkJetStream", "TidemarkLiveViews",
                "TidemarkMessages", "TidemarkModel", "TidemarkRecording", "TidemarkSQLite", "TidemarkScopes",
                "TidemarkSession", "TidemarkSimulation",
                "TidemarkStore", "TidemarkTesting", "TidemarkViews", "TidemarkWire", argumentParser, logging,
            ]),
        tool("TidemarkTool", ["TidemarkCommand"]),
        tool(
            "TidemarkServeTool",
            [
                "Tidemark", "TidemarkCommand", "TidemarkRecording", "TidemarkScopeTokens", "TidemarkServer",
                "TidemarkServerTLS", "TidemarkSession", logging,
            ]),

        // The bench, with the C programs it compares with, and the alternatives that are written in Swift.
        .target(
            name: "CReference", path: "Benchmarks/CReference",
            cSettings: [.define("TIDEMARK_ZSTD", to: "1", isFromSystem)],
            cxxSettings: [.define("TIDEMARK_SIMDJSON", to: "1", isFromSystem)],
            linkerSettings: [
                .linkedLibrary("simdjson", isFromSystem), .linkedLibrary("sqlite3"),
                .linkedLibrary("zstd", isFromSystem),
            ]),
        tool(
            "tidemark-bench",
            [
                "CReference", "Tidemark", "TidemarkEncryption", "TidemarkGraphQL", "TidemarkGraphQLLanguage",
                "TidemarkGraphQLTypes", "TidemarkHTTP", "TidemarkHTTPRecords", "TidemarkHTTPRules", "TidemarkJSON",
                "TidemarkJetStream", "TidemarkLiveViews", "TidemarkModel", "TidemarkSQLite", "TidemarkStore",
                "TidemarkTestKit",
                "TidemarkTesting", "TidemarkViews", "TidemarkWire", argumentParser, grdb, httpTypes,
            ], path: "Benchmarks",
            exclude: ["CReference", "Peers", "Items/Documents", "Items/schema.graphqls", "thresholds.json"],
            sources: ["Harness", "Items/Generated", "Results", "Suites", "Runner"]),
        tool("tidemark-peers", ["Tidemark", "TidemarkModel", "TidemarkSQLite", grdb], path: "Benchmarks/Peers/Swift"),

        // For tests: generated input, conformance, child processes, traits; and the functions that fuzzers call, whose
        // corpora the tests replay without a fuzzer.
        .target(name: "CSpawn", path: "Tests/Support/CSpawn"),
        module(
            "TidemarkTestKit",
            [
                "CSpawn", "Tidemark", "TidemarkModel", "TidemarkReferenceModel", "TidemarkStore", "TidemarkTesting",
                "TidemarkWire",
            ], path: "Tests/Support/TidemarkTestKit"),
        module("TestTraits", ["TidemarkTestKit"], path: "Tests/Support/TestTraits"),
        module(
            "ViewOracle", ["TidemarkModel", "TidemarkReferenceModel", "TidemarkTesting", "TidemarkViews"],
            path: "Tests/Support/ViewOracle"),
        // SQLite as a second judge of views.
        module("ViewJudge", ["TidemarkReferenceModel", grdbSQLite], path: "Tests/Support/ViewJudge"),
        module(
            "ScopeTestKit", ["TidemarkModel", "TidemarkReferenceModel", "TidemarkViews"],
            path: "Tests/Support/ScopeTestKit"),
        module(
            "FuzzTargets",
            [
                "Tidemark", "TidemarkFaultDisk", "TidemarkGraphQL", "TidemarkGraphQLLanguage", "TidemarkHTTP",
                "TidemarkHTTPRules", "TidemarkJSON", "TidemarkJetStream", "TidemarkLiveViews", "TidemarkMessages",
                "TidemarkModel", "TidemarkReferenceModel", "TidemarkSQLite", "TidemarkSession", "TidemarkStore",
                "TidemarkTestKit", "TidemarkTesting", "TidemarkViews", "TidemarkWire", "ViewOracle", grdbSQLite,
                logging,
            ], path: "Tests/Fuzzing/FuzzTargets"),

        tests(
            "FuzzCorpusTests", ["FuzzTargets", "TestTraits", "TidemarkModel", "TidemarkTesting", "TidemarkWire"],
            path: "Tests/Fuzzing/FuzzCorpusTests"),
        // The examples of doc comments, compiled as in a package of a user: without the settings of this one.
        .testTarget(
            name: "DocumentationExampleTests",
            dependencies: [
                "TestTraits", "Tidemark", "TidemarkCombine", "TidemarkEncryption", "TidemarkFaultDisk",
                "TidemarkGraphQL", "TidemarkGraphQLLanguage", "TidemarkGraphQLTypes", "TidemarkHTTP",
                "TidemarkInspector",
                "TidemarkJSON", "TidemarkJetStream", "TidemarkLiveViews", "TidemarkMessages", "TidemarkModel",
                "TidemarkRecording", "TidemarkReferenceModel", "TidemarkSQLite", "TidemarkScopeFeed", "TidemarkServer",
                "TidemarkServerTLS", "TidemarkService", "TidemarkSession", "TidemarkSimulation", "TidemarkStore",
                "TidemarkTestKit", "TidemarkTesting",
                httpTypes, hummingbird, logging,
            ],
            exclude: ["generate.py"]),
        tests(
            "BenchmarkTests",
            ["TestTraits", "TidemarkReferenceModel", "TidemarkTestKit", "TidemarkTesting", "tidemark-bench"]),
        tests(
            "TidemarkJSONTests",
            [
                "TestTraits", "TidemarkJSON", "TidemarkModel", "TidemarkReferenceModel", "TidemarkTestKit",
                "TidemarkTesting",
            ]),
        tests("TidemarkTestingTests", ["TestTraits", "Tidemark", "TidemarkModel", "TidemarkTesting"]),
        tests("TidemarkReferenceModelTests", ["TestTraits", "TidemarkReferenceModel", "TidemarkTesting"]),
        tests("TidemarkTestKitTests", ["TestTraits", "TidemarkReferenceModel", "TidemarkTestKit", "TidemarkTesting"]),
        tests(
            "CommandUnitTests",
            [
                "TestTraits", "Tidemark", "TidemarkCommand", "TidemarkJSON", "TidemarkModel", argumentParser, logging,
            ]),
        tests(
            "TidemarkCommandTests",
            [
                "TestTraits", "Tidemark", "TidemarkJSON", "TidemarkModel", "TidemarkReferenceModel", "TidemarkSQLite",
                "TidemarkStore", "TidemarkTestKit", "TidemarkTesting", grdbSQLite,
            ]),
        tests(
            "ProtocolTests",
            [
                "TestTraits", "TidemarkModel", "TidemarkReferenceModel", "TidemarkSQLite", "TidemarkStore",
                "TidemarkTestKit", "TidemarkTesting",
            ]),
        tests(
            "TidemarkMessagesTests",
            ["TestTraits", "TidemarkJSON", "TidemarkMessages", "TidemarkModel", "TidemarkStore"]),
        tests(
            "TidemarkSessionTests",
            [
                "TestTraits", "Tidemark", "TidemarkGraphQL", "TidemarkHTTP", "TidemarkJSON", "TidemarkLiveViews",
                "TidemarkMessages", "TidemarkModel", "TidemarkSession", "TidemarkStore", "TidemarkTestKit",
                "TidemarkTesting", logging,
            ]),
        tests(
            "TidemarkRecordingTests",
            [
                "TestTraits", "Tidemark", "TidemarkModel", "TidemarkRecording", "TidemarkSQLite", "TidemarkStore",
                "TidemarkTestKit", "TidemarkTesting", "TidemarkWire",
            ]),
        tests(
            "TidemarkGraphQLLanguageTests",
            ["TestTraits", "TidemarkGraphQLLanguage", "TidemarkModel", "TidemarkTestKit", "TidemarkTesting"]),
        tests("TidemarkGraphQLGeneratorTests", ["TestTraits", "TidemarkGraphQLGenerator", "TidemarkGraphQLLanguage"]),
        tests(
            "TidemarkGraphQLTypesTests",
            [
                "TestTraits", "Tidemark", "TidemarkGraphQL", "TidemarkGraphQLGenerator", "TidemarkGraphQLLanguage",
                "TidemarkGraphQLTypes", "TidemarkJSON", "TidemarkModel", "TidemarkStore", "TidemarkTestKit",
                "TidemarkTesting",
            ],
            exclude: [
                "StarWars/Documents", "StarWars/schema.graphqls", "Photos/Documents", "Photos/schema.graphqls",
                "Torture/Documents", "Torture/schema.graphqls",
            ]),
        tests("TidemarkHTTPRulesTests", ["TestTraits", "TidemarkHTTPRules", "TidemarkModel", "TidemarkTesting"]),
        tests(
            "TidemarkGraphQLTests",
            [
                "TestTraits", "Tidemark", "TidemarkGraphQL", "TidemarkGraphQLLanguage", "TidemarkGraphQLTypes",
                "TidemarkHTTP", "TidemarkHTTPRules", "TidemarkJSON", "TidemarkModel", "TidemarkStore",
                "TidemarkTestKit", "TidemarkTesting",
            ],
            settings: lifetimes),
        tests(
            "TidemarkJetStreamTests",
            [
                "CHeap", "CNats", "TestTraits", "Tidemark", "TidemarkFaultDisk", "TidemarkJetStream", "TidemarkModel",
                "TidemarkSQLite", "TidemarkTestKit", "TidemarkTesting", "TidemarkWire", metricsTestKit,
            ]),
        tests(
            "TidemarkHTTPTests",
            [
                "TestTraits", "Tidemark", "TidemarkFaultDisk", "TidemarkHTTP", "TidemarkHTTPRecords",
                "TidemarkHTTPRules", "TidemarkModel", "TidemarkSQLite", "TidemarkStore", "TidemarkTestKit",
                "TidemarkTesting", "TidemarkURLSession", grdbSQLite, httpTypes,
            ]),
        tests(
            "TidemarkScopeFeedTests",
            [
                "TestTraits", "Tidemark", "TidemarkHTTP", "TidemarkModel", "TidemarkScopeFeed", "TidemarkTestKit",
                "TidemarkTesting", logging,
            ]),
        tests(
            "SimulationTests",
            [
                "TestTraits", "TidemarkModel", "TidemarkReferenceModel", "TidemarkSimulation", "TidemarkTestKit",
                "TidemarkTesting",
            ]),
        tests("RepositoryTests", ["TestTraits", "TidemarkReferenceModel", "TidemarkTestKit", "TidemarkTesting"]),
        tests(
            "TidemarkSQLiteTests",
            [
                "CSQLiteExtension", zstd, "TestTraits", "Tidemark", "TidemarkEncryption", "TidemarkFaultDisk",
                "TidemarkHTTPRecords", "TidemarkModel", "TidemarkReferenceModel", "TidemarkSQLite", "TidemarkStore",
                "TidemarkTestKit",
                "TidemarkTesting", grdb, grdbSQLite,
            ], settings: [definesZstd]),
        tests(
            "TidemarkTests",
            [
                "TestTraits", "Tidemark", "TidemarkFaultDisk", "TidemarkGraphQLLanguage", "TidemarkJSON",
                "TidemarkModel", "TidemarkReferenceModel", "TidemarkSQLite", "TidemarkStore", "TidemarkTestKit",
                "TidemarkTesting", "TidemarkWire", logging, metrics, metricsTestKit,
            ]),
        tests(
            "TidemarkCombineTests",
            ["TestTraits", "Tidemark", "TidemarkCombine", "TidemarkModel", "TidemarkTestKit", openCombine]),
        tests(
            "TidemarkServiceTests",
            [
                "TestTraits", "Tidemark", "TidemarkModel", "TidemarkService", "TidemarkTesting", logging,
                serviceLifecycle, unixSignals,
            ]),
        tests(
            "TidemarkServerTests",
            [
                zstd, "ScopeTestKit", "TestTraits", "Tidemark", "TidemarkHTTPRules", "TidemarkLiveScopes",
                "TidemarkModel", "TidemarkSQLite", "TidemarkScopes", "TidemarkServer", "TidemarkServerTLS",
                "TidemarkSession", "TidemarkStore", "TidemarkTestKit", "TidemarkTesting", "TidemarkViews", httpTypes,
                hummingbird, nioCore, nioHTTP1, nioPosix, nioSSL,
            ], settings: [definesZstd]),
        tests(
            "TidemarkScopeTokensTests",
            [
                "TestTraits", "TidemarkModel", "TidemarkScopeTokens", "TidemarkServer", "TidemarkTestKit",
                "TidemarkTesting", jwtKit,
            ]),
        tests(
            "TidemarkViewsTests",
            [
                "TestTraits", "TidemarkModel", "TidemarkReferenceModel", "TidemarkStore", "TidemarkTestKit",
                "TidemarkTesting", "TidemarkViews", "ViewJudge", "ViewOracle",
            ]),
        tests(
            "TidemarkLiveViewsTests",
            [
                "TestTraits", "Tidemark", "TidemarkFaultDisk", "TidemarkLiveViews", "TidemarkModel",
                "TidemarkReferenceModel", "TidemarkSQLite", "TidemarkTestKit", "TidemarkTesting", "TidemarkViews",
                "ViewOracle",
            ]),
        tests(
            "TidemarkScopesTests",
            [
                "ScopeTestKit", "TestTraits", "TidemarkModel", "TidemarkScopes", "TidemarkTestKit", "TidemarkTesting",
                "TidemarkViews",
            ]),
        tests(
            "TidemarkStoreTests",
            [
                "TestTraits", "TidemarkJSON", "TidemarkModel", "TidemarkReferenceModel", "TidemarkStore",
                "TidemarkTestKit", "TidemarkTesting", "TidemarkWire",
            ]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)

if isFuzzing {
    for target in package.targets {
        switch target.type {
        case .regular where target.name.hasPrefix("C"):
            // The fuzzer's own counters: without them it mutates blindly.
            let flags = ["-fsanitize=fuzzer-no-link"]
            target.cSettings = (target.cSettings ?? []) + [.unsafeFlags(flags)]
            target.cxxSettings = (target.cxxSettings ?? []) + [.unsafeFlags(flags)]
        case .regular:
            target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-sanitize=fuzzer"])]
        default: break
        }
    }
    package.targets += [
        .target(name: "CFuzzer", path: "Tests/Fuzzing/CFuzzer"),
        .executableTarget(
            name: "Fuzz", dependencies: ["CFuzzer", "FuzzTargets"], path: "Tests/Fuzzing/Fuzz",
            swiftSettings: strict,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]),
    ]
}
