/// The code by which programs recognize a finding. A code never changes once it is published.
///
/// - Source: Protocol/schema/doctor.schema.json lists the same codes.
public enum FindingCode: String, Hashable, Sendable, CaseIterable {
    // The file.
    case missing
    case empty
    case notDatabase = "not_a_database"
    case notOurs = "not_ours"
    case newerFormat = "newer_format"
    case olderFormat = "older_format"
    case format
    case schemaDamaged = "schema_damaged"
    case quickCheck = "quick_check"
    case unreadable
    case journalMode = "journal_mode"

    // The machine.
    case sqliteVersion = "sqlite_version"
    case sqliteDefect = "sqlite_defect"
    case fileSystem = "file_system"
    case networkFileSystem = "network_file_system"
    case volatileFileSystem = "volatile_file_system"
    case layeredFileSystem = "layered_file_system"
    case readOnlyFileSystem = "read_only_file_system"
    case room
    case rights
    case owner

    // The neighbours.
    case lockFree = "lock_free"
    case writerRunning = "writer_running"
    case lockLeft = "lock_left"
    case severalNames = "several_names"
    case log
    case logLarge = "log_large"
    case logForeign = "log_foreign"
    case logUnread = "log_unread"
    case rollbackJournal = "rollback_journal"
    case unfinished
    case rebuildUnfinished = "rebuild_unfinished"
    case movedAside = "moved_aside"

    // The contents.
    case libraries
    case lost
    case stale
    case quarantine
    case dictionary
    case dictionaryDamaged = "dictionary_damaged"
    case dictionaryMissing = "dictionary_missing"
    case index
    case indexBuilding = "index_building"
    case indexDamaged = "index_damaged"
    case layers
    case layerOrphaned = "layer_orphaned"
    case layerDamaged = "layer_damaged"
    case evicted
    case evictedDamaged = "evicted_damaged"
    case queryDamaged = "query_damaged"
    case http
    case httpDamaged = "http_damaged"
}
