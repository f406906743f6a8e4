import Foundation

/// The identity, the size and the time of the last change of a database and its log.
struct FileState: Equatable, Sendable {
    /// The same of one file.
    struct Part: Equatable, Sendable {
        var identity: FileIdentity
        var byteCount: Int64
        /// When the content was last changed, in nanoseconds since 1970.
        var modifiedAt: Int64

        /// Reads the state of a file; nil when there is none, or it cannot be read.
        init?(path: String) {
            var status = stat()
            guard stat(path, &status) == 0, let identity = FileIdentity(path: path) else { return nil }
            self.identity = identity
            byteCount = Int64(status.st_size)
            #if canImport(Darwin)
                let time = status.st_mtimespec
            #else
                let time = status.st_mtim
            #endif
            modifiedAt = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
        }
    }

    /// The database.
    let database: Part
    /// The log; nil when there is none or it is empty. A reader creates an empty one.
    let log: Part?

    /// Reads the state of a data file; nil when there is no database, or its state cannot be read.
    init?(_ file: DataFilePath) {
        guard let database = Part(path: file.path) else { return nil }
        self.database = database
        log = Part(path: file.writeAheadLog).flatMap { $0.byteCount > 0 ? $0 : nil }
    }
}
