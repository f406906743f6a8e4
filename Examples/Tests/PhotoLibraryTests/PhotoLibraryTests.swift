import Foundation
import PhotoLibrary
import Photos
import Testing
import Tidemark
import TidemarkSQLite
import TidemarkTesting

/// The model of the app, without its views: the same on Linux, macOS and a phone.
@MainActor @Suite(.timeLimit(.minutes(1))) struct PhotoLibraryTests {
    private let folder: TemporaryFolder
    private let server = DemoServer()

    init() throws { folder = try TemporaryFolder() }

    private func open() async throws -> PhotoLibrary {
        let cache = try await SyncCache.open(
            path: folder.path("photos.db"), upstream: server, queryUpstream: BestPhotos(), mutationUpstream: server)
        let library = try PhotoLibrary(cache)
        library.start(server.lines)
        await server.connect()
        return library
    }

    /// Waits until the library shows what it should; the suite's time limit ends a test that waits in vain.
    private func until(_ library: PhotoLibrary, _ holds: (PhotoLibrary) -> Bool) async {
        while !holds(library) {
            await library.update()
            await Task.yield()
        }
    }

    private func names(_ library: PhotoLibrary) -> [String] { library.photos.items.map(\.name) }

    @Test func `photos arrive, and a rename reaches the server`() async throws {
        let library = try await open()
        await until(library) { names($0) == ["Shore", "Dune", "Sea"] }
        let dune = try #require(library.photos.items.first { $0.id == "2" })
        await library.rename(dune, to: "Great dune")
        await until(library) { names($0) == ["Great dune", "Shore", "Sea"] && $0.pendingCount == 0 }
        #expect(await server.name(of: "2") == "Great dune")
        #expect(library.failure == nil)
        try await library.close()
    }

    @Test func `a rename while the server cannot be reached is shown at once and sent later`() async throws {
        let library = try await open()
        await until(library) { $0.photos.items.count == 3 }
        await server.disconnect()
        let sea = try #require(library.photos.items.first { $0.id == "1" })
        await library.rename(sea, to: "Open sea")
        await until(library) { names($0).contains("Open sea") && $0.pendingCount == 1 }
        #expect(await server.name(of: "1") == "Sea")
        // The edit outlives the app.
        try await library.close()
        let again = try await open()
        await until(again) { names($0).contains("Open sea") && $0.pendingCount == 0 }
        #expect(await server.name(of: "1") == "Open sea")
        try await again.close()
    }

    @Test func `a rename that somebody else was faster with is a conflict`() async throws {
        let library = try await open()
        await until(library) { $0.photos.items.count == 3 }
        await server.disconnect()
        let sea = try #require(library.photos.items.first { $0.id == "1" })
        await server.rename("1", to: "Bay")
        await library.rename(sea, to: "Open sea")
        await server.connect()
        await until(library) { !$0.conflicts.isEmpty }
        let conflict = try #require(library.conflicts.first)
        #expect(conflict.reason.contains("'Bay'"))
        #expect(names(library).contains("Open sea"))
        await library.giveUp(conflict)
        await until(library) { names($0).contains("Bay") && $0.conflicts.isEmpty && $0.pendingCount == 0 }
        try await library.close()
    }

    @Test func `a lost event is noticed and asked for`() async throws {
        let library = try await open()
        await until(library) { $0.photos.items.count == 3 }
        await server.loseNextEvent()
        await server.rename("1", to: "Bay")
        await server.rename("2", to: "Hill")
        await until(library) { Set(names($0)) == ["Shore", "Hill", "Bay"] && $0.freshness == .current }
        try await library.close()
    }

    @Test func `events of a pause are there after it`() async throws {
        let library = try await open()
        await until(library) { $0.photos.items.count == 3 }
        await library.enterBackground()
        let sea = try #require(library.photos.items.first { $0.id == "1" })
        await library.rename(sea, to: "Open sea")
        #expect(library.failure?.contains("suspended") == true)
        await server.rename("3", to: "Beach")
        await library.relieveMemory()
        await library.enterForeground()
        #expect(library.failure == nil)
        await server.rename("2", to: "Hill")
        await until(library) { Set(names($0)) == ["Sea", "Hill", "Beach"] }
        try await library.close()
    }
}
