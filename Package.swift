// swift-tools-version:6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// Fuzzers are built only when they are asked for: their flags are unsafe in SwiftPM's sense, and whoever depends
// on a package with such flags cannot build it.
let isFuzzing = Context.environment["TIDEMARK_FUZZ"] == "1"
// The bench reads Foundation's URLCache too; `make bench-urlcache` asks for it.
let measuresURLCache = Context.environment["TIDEMARK_URLCACHE"] == "1"
// `make test`, `make test-slow` and `make examples` set it ("tests", "slow-tests", "examples"): the modules in which
// tests spend their time are then optimized. Both kinds of tests leave out the plugin, whose tool would be built from
// sources of its own; "tests" also leaves out the bench, TLS and Combine, which slow suites alone use. TLS takes a
// tenth of the build, because all of BoringSSL is compiled for it.
let madeFor = Context.environment["TIDEMARK_MADE_FOR"]
let hasSlowParts = madeFor != "tests"
// One test target alone, for builds with a sanitizer: they take minutes.
let onlyTests = Context.environment["TIDEMARK_TESTS"]

let package = Package(
    name: "tidemark",
    // Linux and macOS. zstd and simdjson come from the system, and Apple's other platforms have neither.
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Tidemark", targets: ["Tidemark"]),
        .library(name: "TidemarkModel", targets: ["TidemarkModel"]),
        .library(name: "TidemarkGraphQL", targets: ["TidemarkGraphQL"]),
        .library(
            name: "TidemarkGraphQLClient",
            targets: ["TidemarkGraphQLClient", "TidemarkGraphQLStore", "TidemarkOperations"]),
        .library(name: "TidemarkHTTP", targets: ["TidemarkHTTP", "TidemarkURLSession"]),
        .library(name: "TidemarkJetStream", targets: ["TidemarkJetStream"]),
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
        .library(name: "TidemarkOperations", targets: ["TidemarkOperations"]),
        .executable(name: "tidemark-graphql-generate", targets: ["tidemark-graphql-generate"]),
        .plugin(name: "TidemarkGraphQLPlugin", targets: ["TidemarkGraphQLPlugin"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
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
    ]
        + (hasSlowParts
            ? [
                .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
                .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
            ] : []),
    targets: [
        // C and C++ shims, one folder each. simdjson stays behind a C header: C++ interop would be
        // viral to every client of the package.
        .target(
            name: "CSimdjson",
            linkerSettings: [.linkedLibrary("simdjson")]),
        .target(name: "CPrefetch"),
        .target(name: "CHeap"),
        .target(name: "CSQLiteShim", linkerSettings: [.linkedLibrary("sqlite3")]),
        // Child processes of tests.
        .target(name: "CSpawn"),
        // Disks that fail, for tests and the command's self-test: in no library.
        .target(name: "CFaultVFS", linkerSettings: [.linkedLibrary("sqlite3")]),
        .systemLibrary(
            name: "CZstd", pkgConfig: "libzstd",
            providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
        .systemLibrary(
            name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        // What the sqlite3 shell loads to look into a data file; nothing else links it.
        .target(name: "CSQLiteExtension", linkerSettings: [.linkedLibrary("zstd")]),

        .target(name: "TidemarkModel", swiftSettings: strict),
        .target(
            name: "TidemarkWire", dependencies: ["TidemarkModel", "CSimdjson"],
            swiftSettings: strict),
        .target(name: "TidemarkStore", dependencies: ["TidemarkModel", "CPrefetch"], swiftSettings: strict),
        .target(
            name: "Tidemark",
            dependencies: [
                "TidemarkModel", "TidemarkWire", "TidemarkStore", "CHeap",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
            ],
            swiftSettings: strict),
        // Apart, so that nobody else links OpenCombine or ServiceLifecycle.
        .target(
            name: "TidemarkCombine",
            dependencies: [
                "Tidemark",
                .product(
                    name: "OpenCombine", package: "OpenCombine",
                    condition: .when(platforms: [.linux, .android, .windows])),
            ],
            swiftSettings: strict),
        .target(
            name: "TidemarkService",
            dependencies: [
                "Tidemark",
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .target(
            name: "TidemarkSQLite",
            dependencies: [
                "Tidemark", "TidemarkModel", "TidemarkStore", "CSQLiteShim", "CZstd",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: strict),
        .target(name: "TidemarkGraphQL", dependencies: ["TidemarkModel"], swiftSettings: strict),
        .target(
            name: "TidemarkGraphQLStore",
            dependencies: [
                "Tidemark", "TidemarkGraphQL", "TidemarkModel", "TidemarkStore", "TidemarkWire",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        // Typed operations: what generated code needs at run time, and what generates it.
        .target(
            name: "TidemarkOperations", dependencies: ["Tidemark"], swiftSettings: strict),
        .target(
            name: "TidemarkGraphQLGenerator", dependencies: ["TidemarkGraphQL", "TidemarkModel"], swiftSettings: strict),
        .executableTarget(
            name: "tidemark-graphql-generate",
            dependencies: [
                "TidemarkGraphQLGenerator", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .plugin(
            name: "TidemarkGraphQLPlugin", capability: .buildTool(), dependencies: ["tidemark-graphql-generate"]),
        // What RFC 9111 says, as functions of values: no sockets, no clock.
        .target(name: "TidemarkHTTPRules", dependencies: ["TidemarkModel"], swiftSettings: strict),
        // Answers of HTTP beside the entities. The network is behind a port; libcurl is loaded when it is first used.
        .target(name: "CCurlTransport"),
        .target(
            name: "TidemarkHTTP",
            dependencies: [
                "CCurlTransport", "Tidemark", "TidemarkHTTPRules", "TidemarkModel", "TidemarkStore",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict),
        // Apart: on Linux Foundation's networking would be loaded at every start.
        .target(
            name: "TidemarkURLSession",
            dependencies: [
                "TidemarkHTTP", "TidemarkHTTPRules", .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict),
        // A server of GraphQL that is asked by HTTP, and answers that come in parts.
        .target(
            name: "TidemarkGraphQLClient",
            dependencies: [
                "Tidemark", "TidemarkGraphQL", "TidemarkGraphQLStore", "TidemarkHTTP", "TidemarkHTTPRules",
                "TidemarkModel", "TidemarkOperations", "TidemarkStore", "TidemarkWire",
            ],
            swiftSettings: strict),
        // A stream of NATS JetStream as the log. libnats is loaded when it is first used.
        .target(name: "CNats"),
        .target(
            name: "TidemarkJetStream",
            dependencies: [
                "CNats", "Tidemark", "TidemarkModel", "TidemarkWire",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
            ],
            swiftSettings: strict),
        // A cache as a child process: JSON-RPC on standard input and output.
        .target(
            name: "TidemarkSession",
            dependencies: [
                "Tidemark", "TidemarkGraphQL", "TidemarkGraphQLStore", "TidemarkHTTP", "TidemarkHTTPRules",
                "TidemarkModel", "TidemarkStore", "TidemarkWire",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        // What a session did, written down and done again.
        .target(
            name: "TidemarkRecording",
            dependencies: [
                "Tidemark", "TidemarkModel", "TidemarkSession", "TidemarkStore", "TidemarkWire",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        // For tests of users: a cache in memory, a clock, seeded streams, upstreams that follow a script.
        .target(
            name: "TidemarkTesting",
            dependencies: ["Tidemark", "TidemarkModel", "TidemarkStore"],
            swiftSettings: strict),
        // `Protocol` written a second time, for tests to compare with. It shares no code with the engine, and no
        // library has it.
        .target(name: "TidemarkReferenceModel", swiftSettings: strict),
        // For our own tests: generated input, conformance of parts, child processes. In no library.
        .target(
            name: "TidemarkTestKit",
            dependencies: [
                "CSpawn", "Tidemark", "TidemarkModel", "TidemarkReferenceModel", "TidemarkStore", "TidemarkTesting",
                "TidemarkWire",
            ],
            swiftSettings: strict),
        .target(name: "TidemarkFaultDisk", dependencies: ["CFaultVFS"], swiftSettings: strict),
        // A world in which a real cache runs: its time, order, network and disk do as a seed says.
        .target(
            name: "TidemarkSimulation",
            dependencies: [
                "Tidemark", "TidemarkFaultDisk", "TidemarkGraphQL", "TidemarkGraphQLStore", "TidemarkModel",
                "TidemarkReferenceModel", "TidemarkSQLite", "TidemarkTestKit", "TidemarkTesting",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        // The inspector's page, in code: what is linked or moved has it.
        .target(name: "TidemarkInspector", swiftSettings: strict),
        // A cache behind HTTP. Apart, so that nobody else builds Hummingbird.
        .target(
            name: "TidemarkServer",
            dependencies: [
                "CZlib", "CZstd", "Tidemark", "TidemarkHTTPRules", "TidemarkInspector", "TidemarkModel",
                "TidemarkRecording", "TidemarkSQLite", "TidemarkSession", "TidemarkStore", "TidemarkWire",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        // TLS of that server. Apart, so that a server behind another one is built without BoringSSL.
        .target(
            name: "TidemarkServerTLS",
            dependencies: [
                "TidemarkServer", "TidemarkSQLite",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict),
        // The command line, without its entry point: two executables begin with it.
        .target(
            name: "TidemarkCommand",
            dependencies: [
                "CHeap", "Tidemark", "TidemarkGraphQL", "TidemarkGraphQLClient", "TidemarkGraphQLStore", "TidemarkHTTP",
                "TidemarkHTTPRules",
                "TidemarkJetStream", "TidemarkModel", "TidemarkRecording", "TidemarkReferenceModel", "TidemarkSession",
                "TidemarkSimulation",
                "TidemarkStore", "TidemarkWire", "TidemarkSQLite", "TidemarkTestKit", "TidemarkTesting",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .executableTarget(name: "TidemarkTool", dependencies: ["TidemarkCommand"], swiftSettings: strict),
        // The same command with a server: `tidemark serve` starts it.
        .executableTarget(
            name: "TidemarkServeTool",
            dependencies: [
                "Tidemark", "TidemarkCommand", "TidemarkRecording", "TidemarkServer", "TidemarkSession",
            ] + (hasSlowParts ? ["TidemarkServerTLS"] : []),
            swiftSettings: strict + (hasSlowParts ? [.define("TIDEMARK_TLS")] : [])),

        .target(
            name: "CReference", path: "Benchmarks/CReference",
            linkerSettings: [
                .linkedLibrary("simdjson"), .linkedLibrary("sqlite3"), .linkedLibrary("zstd"),
            ]),
        .executableTarget(
            name: "tidemark-bench",
            dependencies: [
                "CReference", "Tidemark", "TidemarkGraphQL", "TidemarkGraphQLClient", "TidemarkGraphQLStore",
                "TidemarkHTTP",
                "TidemarkHTTPRules", "TidemarkJetStream", "TidemarkModel", "TidemarkOperations",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                "TidemarkStore", "TidemarkWire",
                "TidemarkSQLite", "TidemarkTestKit", "TidemarkTesting",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Benchmarks",
            exclude: ["CReference", "Peers", "Items/Documents", "Items/schema.graphqls", "thresholds.json"],
            sources: ["Harness", "Items/Generated", "Results", "Suites", "Runner"],
            swiftSettings: strict + (measuresURLCache ? [.define("TIDEMARK_URLCACHE")] : [])),
        // What people would use instead, those of them that are Swift, beside the library.
        .executableTarget(
            name: "tidemark-peers",
            dependencies: [
                "Tidemark", "TidemarkModel", "TidemarkSQLite",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Benchmarks/Peers/Swift", swiftSettings: strict),

        // What fuzzers try, as functions of bytes. The tests replay their corpora without a fuzzer.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "Tidemark", "TidemarkGraphQL", "TidemarkGraphQLClient", "TidemarkGraphQLStore", "TidemarkHTTPRules",
                "TidemarkJetStream", "TidemarkModel", "TidemarkReferenceModel",
                "TidemarkSession", "TidemarkSQLite", "TidemarkStore",
                "TidemarkFaultDisk", "TidemarkTestKit", "TidemarkTesting", "TidemarkWire",
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/Fuzzing/FuzzTargets", swiftSettings: strict),
        .testTarget(
            name: "FuzzCorpusTests", dependencies: ["FuzzTargets", "TidemarkModel", "TidemarkWire"],
            path: "Tests/Fuzzing/FuzzCorpusTests",
            swiftSettings: strict),

        .testTarget(
            name: "BenchmarkTests",
            dependencies: ["TidemarkReferenceModel", "TidemarkTestKit", "TidemarkTesting", "tidemark-bench"],
            swiftSettings: strict),
        .testTarget(
            name: "TidemarkTestingTests", dependencies: ["Tidemark", "TidemarkModel", "TidemarkTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "TidemarkReferenceModelTests",
            dependencies: ["TidemarkReferenceModel", "TidemarkTesting"], swiftSettings: strict),
        .testTarget(
            name: "TidemarkTestKitTests",
            dependencies: ["TidemarkReferenceModel", "TidemarkTestKit", "TidemarkTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "CommandUnitTests",
            dependencies: [
                "Tidemark", "TidemarkCommand", "TidemarkModel", "TidemarkWire",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        // Starts the command and does not import it, so that both compile at the same time.
        .testTarget(
            name: "TidemarkCommandTests",
            dependencies: [
                "Tidemark", "TidemarkModel", "TidemarkReferenceModel", "TidemarkSQLite", "TidemarkStore",
                "TidemarkTestKit", "TidemarkTesting",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ProtocolTests",
            dependencies: [
                "TidemarkModel", "TidemarkReferenceModel", "TidemarkSQLite", "TidemarkStore", "TidemarkTestKit",
                "TidemarkTesting",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "TidemarkSessionTests",
            dependencies: [
                "Tidemark", "TidemarkModel", "TidemarkSession", "TidemarkStore", "TidemarkTestKit", "TidemarkTesting",
                "TidemarkWire",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "TidemarkRecordingTests",
            dependencies: [
                "Tidemark", "TidemarkModel", "TidemarkRecording", "TidemarkSQLite", "TidemarkStore",
                "TidemarkTestKit", "TidemarkTesting", "TidemarkWire",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "TidemarkGraphQLTests",
            dependencies: ["TidemarkGraphQL", "TidemarkModel", "TidemarkTestKit", "TidemarkTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "TidemarkGraphQLGeneratorTests",
            dependencies: ["TidemarkGraphQL", "TidemarkGraphQLGenerator"], swiftSettings: strict),
        .testTarget(
            name: "TidemarkOperationsTests",
            dependencies: [
                "Tidemark", "TidemarkGraphQL", "TidemarkGraphQLClient", "TidemarkGraphQLGenerator",
                "TidemarkGraphQLStore", "TidemarkModel", "TidemarkOperations", "TidemarkStore", "TidemarkTestKit",
                "TidemarkTesting",
            ],
            exclude: [
                "StarWars/Documents", "StarWars/schema.graphqls", "Photos/Documents", "Photos/schema.graphqls",
                "Torture/Documents", "Torture/schema.graphqls",
            ], swiftSettings: strict),
        .testTarget(
            name: "TidemarkGraphQLStoreTests",
            dependencies: [
                "Tidemark", "TidemarkGraphQL", "TidemarkGraphQLStore", "TidemarkModel", "TidemarkStore",
                "TidemarkTestKit", "TidemarkTesting", "TidemarkWire",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "TidemarkHTTPRulesTests", dependencies: ["TidemarkHTTPRules", "TidemarkModel", "TidemarkTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "TidemarkGraphQLClientTests",
            dependencies: [
                "Tidemark", "TidemarkGraphQL", "TidemarkGraphQLClient", "TidemarkGraphQLStore",
                "TidemarkHTTP", "TidemarkHTTPRules",
                "TidemarkModel", "TidemarkOperations",
                "TidemarkStore", "TidemarkTestKit", "TidemarkTesting",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "TidemarkJetStreamTests",
            dependencies: [
                "CHeap", "CNats", "Tidemark", "TidemarkFaultDisk", "TidemarkJetStream",
                "TidemarkModel",
                "TidemarkSQLite", "TidemarkTestKit",
                "TidemarkTesting",
                "TidemarkWire",
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "TidemarkHTTPTests",
            dependencies: [
                "Tidemark", "TidemarkFaultDisk", "TidemarkHTTP", "TidemarkHTTPRules", "TidemarkModel",
                "TidemarkSQLite", "TidemarkStore", "TidemarkTestKit", "TidemarkTesting", "TidemarkURLSession",
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "TidemarkModel", "TidemarkReferenceModel", "TidemarkSimulation", "TidemarkTestKit", "TidemarkTesting",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "RepositoryTests", dependencies: ["TidemarkReferenceModel", "TidemarkTestKit", "TidemarkTesting"],
            swiftSettings: strict),
        // Settings of the process of all tests.
        .target(name: "CTestProcess", dependencies: ["CSQLiteShim"], path: "Tests/CTestProcess"),
        .testTarget(
            name: "TidemarkSQLiteTests",
            dependencies: [
                "Tidemark", "TidemarkFaultDisk", "TidemarkModel", "TidemarkReferenceModel", "TidemarkStore",
                "TidemarkSQLite", "TidemarkTestKit", "TidemarkTesting",
                "CSQLiteExtension", "CTestProcess", "CZstd",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "TidemarkTests",
            dependencies: [
                "Tidemark", "TidemarkFaultDisk", "TidemarkGraphQL", "TidemarkModel", "TidemarkReferenceModel",
                "TidemarkStore", "TidemarkSQLite", "TidemarkWire", "TidemarkTestKit", "TidemarkTesting",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "TidemarkCombineTests",
            dependencies: [
                "Tidemark", "TidemarkCombine", "TidemarkModel", "TidemarkTestKit",
                .product(
                    name: "OpenCombine", package: "OpenCombine",
                    condition: .when(platforms: [.linux, .android, .windows])),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "TidemarkServiceTests",
            dependencies: [
                "Tidemark", "TidemarkModel", "TidemarkService", "TidemarkTesting",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "TidemarkServerTests",
            dependencies: [
                "CZstd", "Tidemark", "TidemarkModel", "TidemarkServer",
                "TidemarkSession", "TidemarkStore", "TidemarkTestKit", "TidemarkTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ] + (hasSlowParts ? ["TidemarkServerTLS", .product(name: "NIOSSL", package: "swift-nio-ssl")] : []),
            exclude: hasSlowParts
                ? ["Security/NoTLSTests.swift"] : ["Fixtures/TLSConnection.swift", "Security/TLSTests.swift"],
            swiftSettings: strict),
        .testTarget(
            name: "TidemarkStoreTests",
            dependencies: [
                "TidemarkModel", "TidemarkReferenceModel", "TidemarkStore", "TidemarkWire", "TidemarkTestKit",
                "TidemarkTesting",
            ],
            swiftSettings: strict),
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

if let madeFor {
    // Optimizing them takes less than three minutes of processor time, and saves tests more than six. The other modules
    // take as long to optimize as tests gain. The frontend gets the flag, after the driver's `-Onone`; assertions stay.
    let optimized: Set = [
        "TidemarkGraphQLClient", "TidemarkModel", "TidemarkReferenceModel", "TidemarkSQLite", "TidemarkStore",
        "TidemarkWire",
    ]
    for target in package.targets where optimized.contains(target.name) {
        let flags = ["-Xfrontend", "-O", "-assert-config", "Debug"]
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(flags)]
    }
    #if os(Linux)
        // The tests start the command some two thousand times. It is there in two thirds of the time when Swift's
        // libraries are linked into it, as in the packages, and need not be loaded.
        let staticLibraries = [
            "CoreFoundation", "Foundation", "FoundationEssentials", "FoundationInternationalization",
            "_FoundationCShims", "_FoundationCollections", "_FoundationICU",
        ]
        for target in package.targets where target.name == "TidemarkTool" {
            target.linkerSettings = [.unsafeFlags(["-static-stdlib"] + staticLibraries.map { "-l\($0)" })]
        }
    #endif
    if madeFor.hasSuffix("tests") {
        package.products.removeAll { $0 is Product.Plugin }
        package.targets.removeAll { $0.type == .plugin }
    }
    if !hasSlowParts {
        let slowParts: Set = [
            "BenchmarkTests", "CReference", "TidemarkCombine", "TidemarkCombineTests", "TidemarkServerTLS",
            "tidemark-bench", "tidemark-peers",
        ]
        package.products.removeAll { slowParts.contains($0.name) }
        package.targets.removeAll { slowParts.contains($0.name) }
    }
}

if let onlyTests { package.targets.removeAll { $0.type == .test && $0.name != onlyTests } }
