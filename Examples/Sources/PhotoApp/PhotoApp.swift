#if canImport(SwiftUI)
    import Foundation
    import PhotoLibrary
    import Photos
    import SwiftUI
    import Tidemark
    import TidemarkSQLite

    /// An app over a cache of photos, with a server inside of it.
    @main struct PhotoApp: App {
        @State private var session = PhotoSession()
        @Environment(\.scenePhase) private var phase

        var body: some Scene {
            WindowGroup {
                if let library = session.library {
                    PhotoList(library: library, server: session.server)
                } else {
                    Text(session.failure ?? "Opening …").task { await session.open() }
                }
            }
            .onChange(of: phase) { _, phase in
                Task { await session.follow(phase) }
            }
        }
    }
#else
    /// The app needs SwiftUI, which this system does not have. Its model is in the module PhotoLibrary, with tests.
    @main struct PhotoApp {
        static func main() { print("photo-app needs SwiftUI: build it on macOS") }
    }
#endif
