/// The summary that `tidemark ingest` prints, without the fields that depend on time and disk.
package struct ReferenceSummary: Equatable, Sendable {
    /// One library in the summary.
    package struct Library: Equatable, Sendable {
        /// The epoch of the library's log; empty if no event named one.
        package let epoch: [UInt8]
        /// The cursor; nil if there is none.
        package let sequence: Int64?
        /// The state, such as `live` or `gap`.
        package let state: String
        /// The lost ranges, in order.
        package let lost: [ClosedRange<Int64>]

        /// Creates the entry of a library.
        package init(epoch: [UInt8], sequence: Int64?, state: String, lost: [ClosedRange<Int64>]) {
            self.epoch = epoch
            self.sequence = sequence
            self.state = state
            self.lost = lost
        }
    }

    /// The counters of the run.
    package let counts: ReferenceCounts
    /// The number of all entities in the cache, not only those of this run.
    package let entities: Int
    /// The libraries by id.
    package let libraries: [[UInt8]: Library]

    /// Creates a summary.
    package init(counts: ReferenceCounts, entities: Int, libraries: [[UInt8]: Library]) {
        self.counts = counts
        self.entities = entities
        self.libraries = libraries
    }

    /// The summary as one line of JSON, with libraries sorted by bytes.
    package var line: [UInt8] {
        let events = Self.object([
            ("applied", Self.number(counts.applied)), ("duplicate", Self.number(counts.duplicate)),
            ("ignored", Self.number(counts.ignored)), ("quarantined", Self.number(counts.quarantined)),
            ("held", Self.number(counts.held)),
        ])
        let ids = libraries.keys.sorted { $0.lexicographicallyPrecedes($1) }
        let members = ids.compactMap { id in
            libraries[id].map { ReferenceMember(key: ReferenceString(id), value: Self.json(of: $0)) }
        }
        return Self.object([
            ("lines", Self.number(counts.lines)), ("events", events),
            ("members_quarantined", Self.number(counts.membersQuarantined)),
            ("reconciled", Self.number(counts.reconciled)), ("late", Self.number(counts.late)),
            ("blank", Self.number(counts.blank)),
            ("control", Self.number(counts.control)), ("messages", Self.number(counts.messages)),
            ("entities", Self.number(entities)), ("libraries", .object(members)),
        ]).written
    }

    private static func json(of library: Library) -> ReferenceJSON {
        let lost = library.lost.map { range in
            ReferenceJSON.array([number(range.lowerBound), number(range.upperBound)])
        }
        return object([
            ("epoch", .string(ReferenceString(library.epoch))),
            ("sequence", library.sequence.map { number($0) } ?? .null),
            ("state", .string(ReferenceString(Array(library.state.utf8)))), ("lost", .array(lost)),
        ])
    }

    private static func object(_ members: [(String, ReferenceJSON)]) -> ReferenceJSON {
        .object(members.map { ReferenceMember(key: ReferenceString(Array($0.0.utf8)), value: $0.1) })
    }

    private static func number(_ value: some BinaryInteger) -> ReferenceJSON { .number(Array(String(value).utf8)) }
}
