import Foundation
import Tidemark

/// When iOS and its relatives give access to a data file. Other systems ignore it.
///
/// ```swift
/// var configuration = SQLiteJournal.Configuration(path: "cache.db")
/// configuration.fileProtection = .complete
/// let journal = try await SQLiteJournal.open(configuration)
/// let cached = try await SyncCache.open(journal: journal)
/// ```
///
/// While access is refused, calls that need the file throw `.protected`, and unwritten changes stay in memory until
/// writing works again. Nothing is lost, unless the process ends first: then changes are lost that were not
/// acknowledged.
public enum FileProtection: String, Sendable, CaseIterable {
    /// Only while the device is unlocked.
    case complete
    /// While the device is unlocked; files that are open stay accessible.
    case completeUnlessOpen
    /// From the first unlocking after a start of the device.
    case completeUntilFirstUserAuthentication
    /// Always.
    case none

    /// Protects the files of a database that exist. SQLite gives new files beside it the protection of the database.
    ///
    /// - Throws: ``/Tidemark/StorageError`` `.inputOutput`.
    func protect(_ file: DataFilePath) throws(StorageError) {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
            for path in [file.path, file.writeAheadLog, file.sharedMemory] where DataFilePath.byteCount(path) != nil {
                do {
                    try FileManager.default.setAttributes([.protectionKey: type], ofItemAtPath: path)
                } catch {
                    throw StorageError(
                        .inputOutput, "the protection of \(path) cannot be changed", cause: "\(error)",
                        advice: "open the cache while the device is unlocked")
                }
            }
        #endif
    }

    #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        private var type: FileProtectionType {
            switch self {
            case .complete: .complete
            case .completeUnlessOpen: .completeUnlessOpen
            case .completeUntilFirstUserAuthentication: .completeUntilFirstUserAuthentication
            case .none: .none
            }
        }
    #endif
}
