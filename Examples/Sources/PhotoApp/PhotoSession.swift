#if canImport(SwiftUI)
    import Foundation
    import PhotoLibrary
    import Photos
    import SwiftUI
    import Tidemark
    import TidemarkSQLite

    /// The cache, its library and its server, as long as the app runs.
    @MainActor @Observable final class PhotoSession {
        let server = DemoServer()
        /// The photos, once the cache is open.
        private(set) var library: PhotoLibrary?
        /// Why the cache could not be opened; nil when it was.
        private(set) var failure: String?

        /// Opens the cache in the folder for caches, which an app may write on every system.
        func open() async {
            do {
                let folder = try FileManager.default.url(
                    for: .cachesDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
                var file = SQLiteJournal.Configuration(path: folder.appendingPathComponent("photos.db").path)
                // The app follows events in the background too, so the file stays readable once it was.
                file.fileProtection = .completeUntilFirstUserAuthentication
                let cache = try await SyncCache.open(
                    journal: try await SQLiteJournal.open(file), upstream: server, queryUpstream: BestPhotos(),
                    mutationUpstream: server)
                let library = try PhotoLibrary(cache)
                library.start(server.lines)
                await server.connect()
                self.library = library
            } catch {
                failure = "\(error)"
            }
        }

        /// Closes the file while the app is in the background, and opens it again.
        func follow(_ phase: ScenePhase) async {
            switch phase {
            case .background: await library?.enterBackground()
            case .active: await library?.enterForeground()
            default: break
            }
        }
    }
#endif
