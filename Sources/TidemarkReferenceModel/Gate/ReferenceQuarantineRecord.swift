/// One record of the quarantine.
package struct ReferenceQuarantineRecord: Equatable, Sendable {
    /// The position of the line.
    package let place: ReferencePlace
    /// Why the line or member is unusable.
    package let reason: ReferenceReason
    /// The library that the line names; nil if it names no readable one.
    package let library: [UInt8]?
    /// The sequence of the line; nil if it names no valid one.
    package let sequence: Int64?
    /// The index of the member in its batch; nil for a whole line.
    package let member: Int?

    /// Creates a record.
    package init(
        place: ReferencePlace, reason: ReferenceReason, library: [UInt8]?, sequence: Int64?, member: Int? = nil
    ) {
        self.place = place
        self.reason = reason
        self.library = library
        self.sequence = sequence
        self.member = member
    }

    /// The record in the format of `tidemark quarantine --json`, without the kept bytes.
    package var json: ReferenceJSON {
        func number(_ value: some BinaryInteger) -> ReferenceJSON { .number(Array(String(value).utf8)) }
        func string(_ bytes: [UInt8]) -> ReferenceJSON { .string(ReferenceString(bytes)) }
        let members: [(String, ReferenceJSON)] = [
            ("line", number(place.line)), ("offset", number(place.offset)),
            ("reason", string(Array(reason.rawValue.utf8))), ("library_id", library.map { string($0) } ?? .null),
            ("sequence", sequence.map { number($0) } ?? .null), ("member", member.map { number($0) } ?? .null),
        ]
        return .object(members.map { ReferenceMember(key: ReferenceString(Array($0.0.utf8)), value: $0.1) })
    }
}
