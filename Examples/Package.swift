// swift-tools-version:6.2
import PackageDescription

// Programs, an app and a journal as a user would write them: only what is public is used. A package of your own names
// Tidemark by the address of its repository instead: .package(url: "https://your.host/tidemark.git", from: "0.2.0").
let tidemark: (String) -> Target.Dependency = { .product(name: $0, package: "tidemark") }

let package = Package(
    name: "tidemark-examples",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [
        .package(name: "tidemark", path: ".."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(name: "Photos", dependencies: [tidemark("Tidemark"), tidemark("TidemarkModel")]),
        .target(
            name: "PhotoLibrary", dependencies: ["Photos", tidemark("Tidemark"), tidemark("TidemarkModel")]),
        .testTarget(
            name: "PhotoLibraryTests",
            dependencies: [
                "PhotoLibrary", "Photos", tidemark("Tidemark"), tidemark("TidemarkSQLite"),
                tidemark("TidemarkTesting"),
            ]),
        // The app: SwiftUI on macOS and iOS, a sentence elsewhere.
        .executableTarget(
            name: "photo-app",
            dependencies: ["PhotoLibrary", "Photos", tidemark("Tidemark"), tidemark("TidemarkSQLite")],
            path: "Sources/PhotoApp"),
        .target(
            name: "OwnJournal",
            dependencies: [tidemark("Tidemark"), tidemark("TidemarkModel"), tidemark("TidemarkStore")]),
        .testTarget(
            name: "OwnJournalTests",
            dependencies: [
                "OwnJournal", tidemark("Tidemark"), tidemark("TidemarkModel"), tidemark("TidemarkTesting"),
            ]),
        .executableTarget(
            name: "sync-service",
            dependencies: [
                "Photos", tidemark("Tidemark"), tidemark("TidemarkModel"), tidemark("TidemarkSQLite"),
                tidemark("TidemarkService"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Sources/SyncService"),
        .executableTarget(
            name: "watch-list",
            dependencies: ["Photos", tidemark("Tidemark"), tidemark("TidemarkSQLite")],
            path: "Sources/WatchList"),
        .executableTarget(
            name: "heroes", dependencies: [tidemark("Tidemark"), tidemark("TidemarkGraphQLTypes")],
            path: "Sources/Heroes", plugins: [.plugin(name: "TidemarkGraphQLPlugin", package: "tidemark")]),
        .testTarget(
            name: "PhotosTests",
            dependencies: [
                "Photos", tidemark("Tidemark"), tidemark("TidemarkModel"), tidemark("TidemarkSQLite"),
                tidemark("TidemarkTesting"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
