import TidemarkModel
import TidemarkReferenceModel
import TidemarkStore

/// A rule and its reference side by side, evaluated on JSON text.
struct MembershipFixture {
    let membership: Membership
    let reference: ReferenceMembership

    init(_ rule: String) throws {
        membership = try Membership(json: Array(rule.utf8))
        reference = ReferenceMembership(rule: try ReferenceJSONParser.parse(Array(rule.utf8)))
    }

    func matches(_ resource: String) -> Bool {
        Array(resource.utf8).withUnsafeBytes { membership.matches($0) }
    }

    func sortKey(_ resource: String, id: String) -> [UInt8] {
        Array(resource.utf8).withUnsafeBytes { membership.sortKey(of: $0, id: ByteString(id)) }
    }

    /// Returns the ids of resources in the order of their sort keys.
    func sorted(_ resources: [(id: String, resource: String)]) -> [String] {
        resources.map { (key: sortKey($0.resource, id: $0.id), id: $0.id) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.id)
    }
}

extension MembershipCandidates {
    func candidates(for resource: String) -> [QueryID] {
        Array(resource.utf8).withUnsafeBytes { candidates(for: $0) }
    }
}
