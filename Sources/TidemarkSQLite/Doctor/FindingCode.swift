import Tidemark

/// The code by which programs recognize a finding. A code never changes once it is published.
///
/// - Source: Protocol/schema/doctor.schema.json lists the same codes.
public enum FindingCode: String, Hashable, Sendable, CaseIterable {
    // The file.
    /// The data file does not exist.
    case missing
    /// The data file has no bytes yet.
    case empty
    /// The data file is not a SQLite database.
    case notDatabase = "not_a_database"
    /// The file belongs to another program.
    case notOurs = "not_ours"
    /// The file has a newer format than this program can read.
    case newerFormat = "newer_format"
    /// The file has data that is compressed by a method that this build does not have.
    case codecMissing = "codec_missing"
    /// The file is encrypted, and no key was given.
    case keyNeeded = "key_needed"
    /// The file is encrypted with another key.
    case wrongKey = "wrong_key"
    /// A key was given, and the file is not encrypted.
    case notEncrypted = "not_encrypted"
    /// The file has an older format, which the next writer upgrades.
    case olderFormat = "older_format"
    /// The file has a current format.
    case format
    /// A table is missing or has other columns.
    case schemaDamaged = "schema_damaged"
    /// The result of SQLite's own quick check.
    case quickCheck = "quick_check"
    /// The file, or a part of it, cannot be read.
    case unreadable
    /// The kind of the file's journal: a write-ahead log, unless another program has switched it off.
    case journalMode = "journal_mode"

    // The machine.
    /// The version of the SQLite library, without known defects.
    case sqliteVersion = "sqlite_version"
    /// A known defect of the SQLite library that can damage the file.
    case sqliteDefect = "sqlite_defect"
    /// The file system, a local one or one that the system does not name.
    case fileSystem = "file_system"
    /// The file system is on another machine: the write-ahead log and the locks may fail.
    case networkFileSystem = "network_file_system"
    /// The file system is in memory and is lost when the machine stops.
    case volatileFileSystem = "volatile_file_system"
    /// The file system is an overlay, as in a container, and is lost with the container.
    case layeredFileSystem = "layered_file_system"
    /// The file system is read-only: no writer can open the file.
    case readOnlyFileSystem = "read_only_file_system"
    /// How much disk space is free.
    case room
    /// The permissions of the file and its folder: who besides the owner may read or replace the file.
    case rights
    /// The file belongs to another user, or this user cannot write it.
    case owner

    // The neighbours.
    /// No process has the file open for writing.
    case lockFree = "lock_free"
    /// A process has the file open for writing.
    case writerRunning = "writer_running"
    /// The lock names a process that no longer holds it, as after a kill.
    case lockLeft = "lock_left"
    /// The file has several hard links; its log is only found beside one of them.
    case severalNames = "several_names"
    /// The size of the write-ahead log, or a log that a writer left.
    case log
    /// The write-ahead log is larger than the size at which it is copied back.
    case logLarge = "log_large"
    /// The write-ahead log belongs to another database.
    case logForeign = "log_foreign"
    /// The write-ahead log cannot be read; the other findings do not include it.
    case logUnread = "log_unread"
    /// A rollback journal is left, which the next writer rolls back.
    case rollbackJournal = "rollback_journal"
    /// A new file was being written when the process ended.
    case unfinished
    /// A complete replacement of a damaged file exists and has not taken its name yet.
    case rebuildUnfinished = "rebuild_unfinished"
    /// A damaged file was moved aside and still exists.
    case movedAside = "moved_aside"

    // The contents.
    /// How many entities and libraries the file has.
    case libraries
    /// A library has lost sequences that no upstream had.
    case lost
    /// A library is stale although it has no lost sequences.
    case stale
    /// How many lines and members are in quarantine.
    case quarantine
    /// A compression dictionary, and how many rows use it.
    case dictionary
    /// A compression dictionary fails its check or cannot be opened.
    case dictionaryDamaged = "dictionary_damaged"
    /// Rows need a compression dictionary that the file does not have.
    case dictionaryMissing = "dictionary_missing"
    /// A complete field index.
    case index
    /// A field index that is being built or dropped.
    case indexBuilding = "index_building"
    /// The record of a field index fails its check.
    case indexDamaged = "index_damaged"
    /// How many edits are pending.
    case layers
    /// Pending edits change entities that were deleted meanwhile.
    case layerOrphaned = "layer_orphaned"
    /// A pending edit fails its check.
    case layerDamaged = "layer_damaged"
    /// How many evicted keys the file remembers.
    case evicted
    /// A row of the evicted keys fails its check.
    case evictedDamaged = "evicted_damaged"
    /// Stored queries fail their checks.
    case queryDamaged = "query_damaged"
    /// How many HTTP responses are stored.
    case http
    /// Stored HTTP responses fail their checks.
    case httpDamaged = "http_damaged"
    /// How many views are defined, and how much of their results is stored.
    case views
    /// Records of other parts of the cache, such as definitions of views, fail their checks.
    case recordDamaged = "record_damaged"
}

extension FindingCode {
    /// The code for a file whose key was refused.
    init(refusal code: StorageError.Code) {
        self =
            switch code {
            case .keyNeeded: .keyNeeded
            case .wrongKey: .wrongKey
            case .notEncrypted: .notEncrypted
            default: .unreadable
            }
    }
}
