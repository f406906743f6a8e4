// swift-tools-version:6.2
import PackageDescription

// Fuzzers are built only when they are asked for: their flags are unsafe in SwiftPM's sense, and no package can depend on
// one with such flags. No other variable changes what is built.
let isFuzzing = Context.environment["TIDEMARK_FUZZ"] == "1"

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// MARK: Products of other packages

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
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
func module(_ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil) -> Target {
    .target(name: name, dependencies: dependencies, path: path, swiftSettings: strict)
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
    _ name: String, _ dependencies: [Target.Dependency], path: String? = nil, exclude: [String] = []
) -> Target {
    .testTarget(name: name, dependencies: dependencies, path: path, exclude: exclude, swiftSettings: strict)
}

// MARK: The package

let package = Package(
    name: "tidemark",
    // Linux and macOS. zstd and simdjson come from the system, and Apple's other platforms have neither.
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Tidemark", targets: ["Tidemark"]),
        .library(name: "TidemarkModel", targets: ["TidemarkModel"]),
        .library(name: "TidemarkJSON", targets: ["TidemarkJSON"]),
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
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    ],
    targets: [
        // C and C++ shims, one folder each. simdjson stays behind a C header: interoperation with C++ would spread to every
        // client of the package.
        .target(name: "CSimdjson", linkerSettings: [.linkedLibrary("simdjson")]),
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
        .target(name: "CSQLiteExtension", linkerSettings: [.linkedLibrary("zstd")]),

        // The engine.
        module("TidemarkModel"),
        module("TidemarkJSON", ["TidemarkModel"]),
        module("TidemarkWire", ["CSimdjson", "TidemarkModel"]),
        module("TidemarkStore", ["CPrefetch", "TidemarkJSON", "TidemarkModel"]),
        module(
            "Tidemark", ["CHeap", "TidemarkJSON", "TidemarkModel", "TidemarkStore", "TidemarkWire", logging, metrics]),
        module(
            "TidemarkSQLite",
            ["CSQLiteShim", "CZstd", "Tidemark", "TidemarkJSON", "TidemarkModel", "TidemarkStore", grdb, grdbSQLite]),
        // Apart, so that only their users link OpenCombine and ServiceLifecycle.
        module("TidemarkCombine", ["Tidemark", openCombine]),
        module("TidemarkService", ["Tidemark", serviceLifecycle]),

        // GraphQL: the language, documents over a cache, a client, and typed operations with their generator.
        module("TidemarkGraphQL", ["TidemarkJSON", "TidemarkModel"]),
        module(
            "TidemarkGraphQLStore",
            ["Tidemark", "TidemarkGraphQL", "TidemarkJSON", "TidemarkModel", "TidemarkStore", logging]),
        module("TidemarkOperations", ["TidemarkJSON"]),
        module(
            "TidemarkGraphQLClient",
            [
                "Tidemark", "TidemarkGraphQL", "TidemarkGraphQLStore", "TidemarkHTTP", "TidemarkHTTPRules",
                "TidemarkJSON", "TidemarkModel", "TidemarkOperations", "TidemarkStore", "TidemarkWire",
            ]),
        module("TidemarkGraphQLGenerator", ["TidemarkGraphQL", "TidemarkJSON", "TidemarkModel"]),
        tool("tidemark-graphql-generate", ["TidemarkGraphQLGenerator", argumentParser]),
        .plugin(
            name: "TidemarkGraphQLPlugin", capability: .buildTool(), dependencies: ["tidemark-graphql-generate"]),

        // HTTP: RFC 9111 as functions of values, and a cache of responses behind a port to the network.
        module("TidemarkHTTPRules", ["TidemarkModel"]),
        module(
            "TidemarkHTTP",
            ["CCurlTransport", "Tidemark", "TidemarkHTTPRules", "TidemarkModel", "TidemarkStore", httpTypes]),
        // Apart: on Linux, Foundation's networking would be loaded at every start.
        module("TidemarkURLSession", ["TidemarkHTTP", "TidemarkHTTPRules", httpTypes]),

        // A stream of NATS JetStream as the log. libnats is loaded on first use.
        module("TidemarkJetStream", ["CNats", "Tidemark", "TidemarkJSON", "TidemarkModel", logging, metrics]),

        // A cache as a child process: JSON-RPC on standard input and output; its recordings.
        module(
            "TidemarkSession",
            [
                "Tidemark", "TidemarkGraphQL", "TidemarkGraphQLStore", "TidemarkHTTP", "TidemarkHTTPRules",
                "TidemarkJSON", "TidemarkModel", "TidemarkStore", "TidemarkWire", logging,
            ]),
        module(
            "TidemarkRecording",
            ["Tidemark", "TidemarkJSON", "TidemarkModel", "TidemarkSession", "TidemarkStore", "TidemarkWire", logging]),

        // A cache behind HTTP, with the inspector's page. Apart, so that only its users build Hummingbird.
        module("TidemarkInspector"),
        module(
            "TidemarkServer",
            [
                "CZlib", "CZstd", "Tidemark", "TidemarkHTTPRules", "TidemarkInspector", "TidemarkJSON", "TidemarkModel",
                "TidemarkRecording", "TidemarkSQLite", "TidemarkSession", "TidemarkStore", "TidemarkWire", httpTypes,
                hummingbird, hummingbirdCore, logging, nioCore, nioHTTP1, nioHTTPTypes, nioHTTPTypesHTTP1,
                serviceLifecycle,
            ]),
        // Apart, so that a server behind a proxy is built without BoringSSL.
        module("TidemarkServerTLS", ["TidemarkSQLite", "TidemarkServer", nioCore, nioSSL]),

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
                "Tidemark", "TidemarkFaultDisk", "TidemarkGraphQL", "TidemarkGraphQLStore", "TidemarkModel",
                "TidemarkReferenceModel", "TidemarkSQLite", "TidemarkTesting", logging,
            ]),

        // The command line, and its two executables: the second one has the server.
        module(
            "TidemarkCommand",
            [
                "CHeap", "Tidemark", "TidemarkGraphQL", "TidemarkGraphQLClient", "TidemarkGraphQLStore", "TidemarkHTTP",
                "TidemarkHTTPRules", "TidemarkJSON", "TidemarkJetStream", "TidemarkModel", "TidemarkRecording",
                "TidemarkSQLite", "TidemarkSession", "TidemarkSimulation", "TidemarkStore", "TidemarkTesting",
                "TidemarkWire", argumentParser, logging,
            ]),
        tool("TidemarkTool", ["TidemarkCommand"]),
        tool(
            "TidemarkServeTool",
            [
                "Tidemark", "TidemarkCommand", "TidemarkRecording", "TidemarkServer", "TidemarkServerTLS",
                "TidemarkSession",
            ]),

        // The bench, with the C programs it compares with, and the alternatives that are written in Swift.
        .target(
            name: "CReference", path: "Benchmarks/CReference",
            linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("sqlite3"), .linkedLibrary("zstd")]),
        tool(
            "tidemark-bench",
            [
                "CReference", "Tidemark", "TidemarkGraphQL", "TidemarkGraphQLClient", "TidemarkGraphQLStore",
                "TidemarkHTTP", "TidemarkHTTPRules", "TidemarkJSON", "TidemarkJetStream", "TidemarkModel",
                "TidemarkOperations", "TidemarkSQLite", "TidemarkStore", "TidemarkTestKit", "TidemarkTesting",
                "TidemarkWire", argumentParser, grdb, httpTypes,
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
            "FuzzTargets",
            [
                "Tidemark", "TidemarkFaultDisk", "TidemarkGraphQL", "TidemarkGraphQLClient", "TidemarkGraphQLStore",
                "TidemarkHTTPRules", "TidemarkJSON", "TidemarkJetStream", "TidemarkModel", "TidemarkReferenceModel",
                "TidemarkSQLite", "TidemarkSession", "TidemarkStore", "TidemarkTestKit", "TidemarkTesting",
                "TidemarkWire", grdbSQLite, logging,
            ], path: "Tests/Fuzzing/FuzzTargets"),

        tests(
            "FuzzCorpusTests", ["FuzzTargets", "TestTraits", "TidemarkModel", "TidemarkWire"],
            path: "Tests/Fuzzing/FuzzCorpusTests"),
        // The examples of doc comments, compiled as in a package of a user: without the settings of this one.
        .testTarget(
            name: "DocumentationExampleTests",
            dependencies: [
                "TestTraits", "Tidemark", "TidemarkCombine", "TidemarkFaultDisk", "TidemarkGraphQL",
                "TidemarkGraphQLClient", "TidemarkGraphQLStore", "TidemarkHTTP", "TidemarkInspector",
                "TidemarkJSON", "TidemarkJetStream", "TidemarkModel", "TidemarkOperations", "TidemarkRecording",
                "TidemarkReferenceModel", "TidemarkSQLite", "TidemarkServer", "TidemarkServerTLS",
                "TidemarkService", "TidemarkSession", "TidemarkSimulation", "TidemarkStore", "TidemarkTestKit",
                "TidemarkTesting",
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
            "CommandUnitTests", ["TestTraits", "Tidemark", "TidemarkCommand", "TidemarkJSON", "TidemarkModel", logging]),
        tests(
            "TidemarkCommandTests",
            [
                "TestTraits", "Tidemark", "TidemarkJSON", "TidemarkModel", "TidemarkReferenceModel", "TidemarkSQLite",
                "TidemarkStore", "TidemarkTestKit", "TidemarkTesting",
            ]),
        tests(
            "ProtocolTests",
            [
                "TestTraits", "TidemarkModel", "TidemarkReferenceModel", "TidemarkSQLite", "TidemarkStore",
                "TidemarkTestKit", "TidemarkTesting",
            ]),
        tests(
            "TidemarkSessionTests",
            [
                "TestTraits", "Tidemark", "TidemarkJSON", "TidemarkModel", "TidemarkSession", "TidemarkStore",
                "TidemarkTestKit", "TidemarkTesting", logging,
            ]),
        tests(
            "TidemarkRecordingTests",
            [
                "TestTraits", "Tidemark", "TidemarkModel", "TidemarkRecording", "TidemarkSQLite", "TidemarkStore",
                "TidemarkTestKit", "TidemarkTesting", "TidemarkWire",
            ]),
        tests(
            "TidemarkGraphQLTests",
            ["TestTraits", "TidemarkGraphQL", "TidemarkModel", "TidemarkTestKit", "TidemarkTesting"]),
        tests("TidemarkGraphQLGeneratorTests", ["TestTraits", "TidemarkGraphQL", "TidemarkGraphQLGenerator"]),
        tests(
            "TidemarkOperationsTests",
            [
                "TestTraits", "Tidemark", "TidemarkGraphQL", "TidemarkGraphQLClient", "TidemarkGraphQLGenerator",
                "TidemarkGraphQLStore", "TidemarkJSON", "TidemarkModel", "TidemarkOperations", "TidemarkStore",
                "TidemarkTestKit", "TidemarkTesting",
            ],
            exclude: [
                "StarWars/Documents", "StarWars/schema.graphqls", "Photos/Documents", "Photos/schema.graphqls",
                "Torture/Documents", "Torture/schema.graphqls",
            ]),
        tests(
            "TidemarkGraphQLStoreTests",
            [
                "TestTraits", "Tidemark", "TidemarkGraphQL", "TidemarkGraphQLStore", "TidemarkJSON", "TidemarkModel",
                "TidemarkStore", "TidemarkTestKit", "TidemarkTesting",
            ]),
        tests("TidemarkHTTPRulesTests", ["TestTraits", "TidemarkHTTPRules", "TidemarkModel", "TidemarkTesting"]),
        tests(
            "TidemarkGraphQLClientTests",
            [
                "TestTraits", "Tidemark", "TidemarkGraphQL", "TidemarkGraphQLClient", "TidemarkGraphQLStore",
                "TidemarkHTTP", "TidemarkHTTPRules", "TidemarkModel", "TidemarkOperations", "TidemarkStore",
                "TidemarkTestKit", "TidemarkTesting",
            ]),
        tests(
            "TidemarkJetStreamTests",
            [
                "CHeap", "CNats", "TestTraits", "Tidemark", "TidemarkFaultDisk", "TidemarkJetStream", "TidemarkModel",
                "TidemarkSQLite", "TidemarkTestKit", "TidemarkTesting", "TidemarkWire", metricsTestKit,
            ]),
        tests(
            "TidemarkHTTPTests",
            [
                "TestTraits", "Tidemark", "TidemarkFaultDisk", "TidemarkHTTP", "TidemarkHTTPRules", "TidemarkModel",
                "TidemarkSQLite", "TidemarkStore", "TidemarkTestKit", "TidemarkTesting", "TidemarkURLSession",
                grdbSQLite, httpTypes,
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
                "CSQLiteExtension", "CZstd", "TestTraits", "Tidemark", "TidemarkFaultDisk", "TidemarkModel",
                "TidemarkReferenceModel", "TidemarkSQLite", "TidemarkStore", "TidemarkTestKit", "TidemarkTesting", grdb,
                grdbSQLite,
            ]),
        tests(
            "TidemarkTests",
            [
                "TestTraits", "Tidemark", "TidemarkFaultDisk", "TidemarkGraphQL", "TidemarkJSON", "TidemarkModel",
                "TidemarkReferenceModel", "TidemarkSQLite", "TidemarkStore", "TidemarkTestKit", "TidemarkTesting",
                "TidemarkWire", logging, metrics, metricsTestKit,
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
                "CZstd", "TestTraits", "Tidemark", "TidemarkModel", "TidemarkServer", "TidemarkServerTLS",
                "TidemarkSession", "TidemarkStore", "TidemarkTestKit", "TidemarkTesting", httpTypes, hummingbird,
                nioCore, nioHTTP1, nioPosix, nioSSL,
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
