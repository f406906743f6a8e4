#if canImport(Darwin)
    import Foundation
    import Tidemark

    extension SQLiteJournal.Configuration {
        /// Creates the default options for a file that an app shares with its extensions.
        ///
        /// One process at a time can write the file; others read it with ``SQLiteReader``. An app that holds the file
        /// calls ``/Tidemark/SyncCache/suspend()`` before the system suspends it: iOS ends apps that are suspended with
        /// a lock on a file in a shared container.
        ///
        /// - Parameters:
        ///   - group: The identifier of the App Group, such as `group.org.example.photos`.
        ///   - name: The path of the file within the group's container.
        /// - Throws: ``/Tidemark/StorageError`` `.notFound` when the app is not in the group.
        public init(appGroup group: String, name: String) throws(StorageError) {
            guard let container = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group) else {
                throw StorageError(
                    .notFound, "there is no container of the App Group \(group)",
                    advice: "add the group to the entitlements of this program")
            }
            self.init(path: container.appendingPathComponent(name).path)
        }
    }
#endif
