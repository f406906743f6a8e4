import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkJSON

/// The first line of a recording: the parts of the cache's configuration that affect the outcomes of steps.
///
/// - Source: Protocol/recordings.md, the first line.
package struct RecordingSetup: Sendable {
    /// The format version that this code writes, and the only one that it reads.
    package static let formatVersion: Int64 = 2

    /// The command that recorded: `run`, `serve`, `ingest` or `replay`.
    package var command: ByteString
    /// When the cache was opened, in milliseconds since 1970.
    package var openedAt: Int64
    /// How many earlier entries were dropped when the recording was shortened.
    package var droppedCount: Int64 = 0
    /// The number of requests to each library's upstream before the first entry. Later requests are numbered from
    /// there; libraries without earlier requests are missing.
    package var attempts: [ByteString: UInt64] = [:]
    /// How the recording stores the database with which it began.
    package var base: Base
    /// True if the cache had an upstream.
    package var hasUpstream: Bool
    /// The library of events that name none.
    package var defaultLibrary: ByteString
    /// Other names of types, as on the wire, with the types that they name.
    package var typeAliases: [ByteString: ByteString] = [:]
    /// How long an event after a gap waits for the missing ones, in milliseconds.
    package var reorderWindow: Int64
    /// The limits of accepted input. Only those that affect outcomes are in the line.
    package var limits: Limits
    /// The types whose entities are never evicted.
    package var keptTypes: Set<ByteString> = []
    /// By type, the fields that stay when an entity is evicted.
    package var keptFields: [ByteString: Set<ByteString>] = [:]
    /// The types whose entities are kept in memory only.
    package var diskExcludedTypes: Set<ByteString> = []
    /// The types whose events are merged into the stored entity instead of replacing it.
    package var mergedTypes: Set<ByteString> = []
    /// The text of the policy file; empty when there is none.
    package var policy: [UInt8] = []

    /// How a recording stores the database with which it began.
    package enum Base: String, Sendable {
        /// There was no database, or an empty one.
        case empty
        /// The lines after the first contain the database.
        case included
        /// The database is too large for the recording: a replay needs a copy of it.
        case external
    }

    /// Creates the setup for a new recording.
    ///
    /// - Parameters:
    ///   - configuration: The cache's configuration. Settings that only bound memory are not recorded.
    ///   - command: The command that records.
    ///   - openedAt: When the cache was opened, in milliseconds since 1970.
    ///   - base: How the recording stores the database with which it begins.
    ///   - hasUpstream: True if the cache has an upstream.
    ///   - policy: The text of the policy file; empty when there is none.
    package init(
        _ configuration: CacheConfiguration, command: ByteString, openedAt: Int64, base: Base, hasUpstream: Bool,
        policy: [UInt8] = []
    ) {
        self.command = command
        self.openedAt = openedAt
        self.base = base
        self.hasUpstream = hasUpstream
        self.policy = policy
        defaultLibrary = configuration.defaultLibrary
        typeAliases = configuration.typeAliases
        reorderWindow = configuration.reorderWindow.wholeMilliseconds
        limits = configuration.limits
        keptTypes = configuration.eviction.keptTypes
        keptFields = configuration.eviction.keptFields
        diskExcludedTypes = configuration.diskExcludedTypes
        mergedTypes = configuration.mergedTypes
    }

    /// Returns the configuration for a replay. It never evicts on its own, since the recording contains the evictions
    /// of entities and queries as steps.
    ///
    /// - Parameter policy: The policy, parsed from ``policy``.
    package func configuration(policy: CachePolicy) -> CacheConfiguration {
        var configuration = CacheConfiguration()
        configuration.defaultLibrary = defaultLibrary
        configuration.typeAliases = typeAliases
        configuration.reorderWindow = .milliseconds(reorderWindow)
        configuration.limits = limits
        configuration.limits.queryCountMax = .max
        configuration.eviction.keptTypes = keptTypes
        configuration.eviction.keptFields = keptFields
        configuration.diskExcludedTypes = diskExcludedTypes
        configuration.mergedTypes = mergedTypes
        configuration.policy = policy
        configuration.flush = .bulk
        // Entities of types that are excluded from the disk must stay in memory, because no journal has them.
        if !diskExcludedTypes.isEmpty { configuration.memoryByteCountMax = 1 << 50 }
        return configuration
    }

    // MARK: As a line

    /// The setup as the first line of a recording, without an LF.
    package var line: [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("recording", RecordingSetup.formatVersion)
            line.member("command", Optional(command))
            line.member("opened_at", openedAt)
            line.member("dropped", droppedCount)
            line.name("attempts")
            line.object { line in
                for (library, attempt) in attempts.sorted(by: { $0.key < $1.key }) { line.member(library, attempt) }
            }
            line.member("base", Optional(ByteString(base.rawValue)))
            line.name("configuration")
            line.object { write(to: &$0) }
        }
        return line.bytes
    }

    private func write(to line: inout JSONLine) {
        line.member("has_upstream", hasUpstream)
        line.member("default_library", Optional(defaultLibrary))
        line.name("type_aliases")
        line.object { line in
            for (name, type) in typeAliases.sorted(by: { $0.key < $1.key }) { line.member(name, Optional(type)) }
        }
        line.member("reorder_window", reorderWindow)
        line.name("limits")
        line.object { line in
            for (name, path) in RecordingSetup.limitNames { line.member(name, limits[keyPath: path]) }
            line.member("tombstone_age", limits.tombstoneAgeMax)
        }
        line.names("kept_types", keptTypes)
        line.name("kept_fields")
        line.object { line in
            for (type, fields) in keptFields.sorted(by: { $0.key < $1.key }) { line.names(type, fields) }
        }
        line.names("disk_excluded_types", diskExcludedTypes)
        line.names("merged_types", mergedTypes)
        line.member("policy", Optional(ByteString(policy)))
    }

    /// Parses the first line of a recording.
    ///
    /// - Throws: ``/Tidemark/CacheError`` that describes the mistake in the line, also for another format version.
    package init(_ value: JSONSlice) throws(CacheError) {
        let params = try Params(value, path: "the first line")
        guard let version = try params.integer("recording", in: 0...Int64.max), version <= RecordingSetup.formatVersion
        else {
            throw CacheError(
                .invalidParams,
                "the recording is of a newer format than \(RecordingSetup.formatVersion): use a newer tidemark")
        }
        guard version == RecordingSetup.formatVersion else {
            throw CacheError(
                .invalidParams,
                "the recording is of format \(version), made when broken lines moved cursors and lost events stayed lost: "
                    + "replay it with the tidemark that made it")
        }
        guard let nested = params.value("configuration") else { throw params.wrong("configuration", "an object") }
        let setup = try Params(nested, path: "configuration")
        command = try params.requiredText("command")
        openedAt = try params.integer("opened_at", in: Int64.min...Int64.max) ?? 0
        droppedCount = try params.integer("dropped", in: 0...Int64.max) ?? 0
        for (library, attempt) in params.value("attempts")?.members ?? [:] {
            attempts[ByteString(library)] = attempt.integer.map { UInt64(clamping: $0) }
        }
        guard let base = Base(rawValue: try params.requiredText("base").description) else {
            throw params.wrong("base", "empty, included or external")
        }
        self.base = base
        hasUpstream = try setup.flag("has_upstream")
        defaultLibrary = try setup.text("default_library") ?? ""
        reorderWindow =
            try setup.integer("reorder_window", in: 0...Int64.max)
            ?? CacheConfiguration().reorderWindow.wholeMilliseconds
        limits = Limits()
        let given = try setup.value("limits").map { (value) throws(CacheError) in
            try Params(value, path: "configuration.limits")
        }
        if let given {
            for (name, path) in RecordingSetup.limitNames {
                if let value = try given.integer(name.description, in: 0...Int64.max) {
                    limits[keyPath: path] = Int(value)
                }
            }
            limits.tombstoneAgeMax = try given.integer("tombstone_age", in: 0...Int64.max) ?? limits.tombstoneAgeMax
        }
        for (name, type) in setup.value("type_aliases")?.members ?? [:] {
            if let type = type.text { typeAliases[ByteString(name)] = ByteString(type) }
        }
        keptTypes = Set(try setup.texts("kept_types", countMax: .max) ?? [])
        diskExcludedTypes = Set(try setup.texts("disk_excluded_types", countMax: .max) ?? [])
        mergedTypes = Set(try setup.texts("merged_types", countMax: .max) ?? [])
        for (type, fields) in setup.value("kept_fields")?.members ?? [:] {
            keptFields[ByteString(type)] = Set((fields.elements ?? []).compactMap { $0.text.map { ByteString($0) } })
        }
        policy = setup.value("policy")?.text ?? []
    }

    /// The limits that decide which events are accepted and held, with their names in a recording. Limits that only
    /// bound a session are left out.
    private static var limitNames: [(ByteString, WritableKeyPath<Limits, Int>)] {
        [
            ("line_bytes", \.lineByteCountMax), ("nesting_depth", \.nestingDepthMax),
            ("batch_members", \.batchMemberCountMax), ("id_bytes", \.idByteCountMax),
            ("type_bytes", \.typeByteCountMax), ("libraries", \.libraryCountMax), ("types", \.typeCountMax),
            ("held_events", \.heldEventCountMax), ("held_bytes", \.heldByteCountMax),
            ("entity_bytes", \.entityByteCountMax),
            ("quarantine_bytes", \.quarantineByteCountMax), ("quarantine_records", \.quarantineRecordCountMax),
            ("cascades", \.cascadeCountMax), ("tombstones", \.tombstoneCountMax),
            ("evicted_keys", \.evictedKeyCountMax), ("lost_ranges", \.lostRangeCountMax),
            ("ignored_kinds", \.ignoredKindCountMax), ("query_elements", \.queryElementCountMax),
            ("layers", \.layerCountMax), ("layer_bytes", \.layerByteCountMax),
        ]
    }
}

extension JSONLine {
    /// Appends an array of names, sorted.
    mutating func names(_ name: ByteString, _ names: some Collection<ByteString>) {
        self.name(name)
        array { line in
            for name in names.sorted() { line.value(name) }
        }
    }

    /// Appends an array of texts in the given order.
    mutating func texts(_ name: ByteString, _ texts: some Collection<ByteString>) {
        self.name(name)
        array { line in
            for text in texts { line.value(text) }
        }
    }
}
