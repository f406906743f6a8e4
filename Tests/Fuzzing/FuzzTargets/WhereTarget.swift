import TidemarkModel
import TidemarkReferenceModel
import TidemarkStore

/// Rules of lists: a line of a rule, then lines of resources.
///
/// An accepted rule chooses and orders the resources as the reference does, and is found for every resource that
/// fulfils it, by the reverse index and by the ranges of field indexes. A refused rule has an error with its place.
enum WhereTarget {
    static let target = FuzzTarget("where", byteCountMax: 4_096, .now(check))

    private static func check(_ bytes: [UInt8]) throws {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
        guard let first = lines.first, let rule = ReferenceJSON.accepted(first) else { return }
        let membership: Membership
        do throws(MembershipError) {
            membership = try Membership(json: rule.written)
        } catch {
            return try require(
                error.message.count > 10 && !error.message.contains("\n"), "a rule is refused with \(error.message)")
        }
        let reference = ReferenceMembership(rule: rule)
        try requireEqual(membership.limit, reference.limit, "the limit of \(rule)")
        let resources = lines.dropFirst().prefix(8).compactMap(ReferenceJSON.accepted).filter { $0.members != nil }
            .enumerated().map { (id: Array("\($0.offset)".utf8), resource: $0.element) }
        for (_, resource) in resources { try ask(membership, reference, of: resource, rule) }
        let keys = resources.map { member in
            (
                member.resource.written.withUnsafeBytes { membership.sortKey(of: $0, id: ByteString(member.id)) },
                member.id
            )
        }
        let sorted = keys.sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
        let wanted = resources.sorted { reference.precedes($0, $1) }.map(\.id)
        try requireEqual(sorted.map(\.text), wanted.map(\.text), "the order by \(rule) of \(resources.map(\.resource))")
    }

    private static func ask(
        _ membership: Membership, _ reference: ReferenceMembership, of resource: ReferenceJSON, _ rule: ReferenceJSON
    ) throws {
        let isMember = reference.matches(resource)
        try resource.written.withUnsafeBytes { bytes in
            try requireEqual(membership.matches(bytes), isMember, "\(resource) by \(rule)")
            let view = ResourceView(bytes)
            try requireEqual(membership.matches(view), isMember, "a view of \(resource) by \(rule)")
            guard isMember else { return }
            var candidates = MembershipCandidates()
            candidates.insert(7, membership)
            candidates.checkInvariants()
            try requireEqual(candidates.candidates(for: bytes), [7], "candidates for \(resource), of \(rule)")
            candidates.remove(7, membership)
            try require(candidates.isEmpty, "what is left of \(rule) when it is taken out")
            for (text, ranges) in membership.constraint.ranges {
                let path = try FieldPath(text)
                let code = FieldCode.kept(path, of: bytes, .whole)
                let isInside = ranges.contains {
                    !code.lexicographicallyPrecedes($0.lower) && code.lexicographicallyPrecedes($0.upper)
                }
                try require(isInside, "\(rule) asks of \(text) what \(resource) has not: \(ranges), \(code)")
            }
        }
    }
}
