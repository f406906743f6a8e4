import TidemarkModel

/// A query's rule for what belongs to its list, and in which order.
///
/// Only the resource decides: neither the rule nor what it says depends on other resources or on the time.
/// - Source: Protocol/queries.md, membership.
package struct Membership: Sendable {
    /// The type whose resources the list holds.
    package let resourceType: ByteString
    /// Elements that the list holds at most, the first ones in its order; nil for all.
    package let limit: Int?

    let predicate: Predicate
    let scope: MembershipScope?
    let order: [MembershipOrder]
    /// Where ``MembershipCandidates`` may file this rule: it can be fulfilled only where one key of each is met.
    let filings: [MembershipFiling]

    /// - Parameter json: One valid JSON object without insignificant white space. Copied as far as it is needed.
    /// - Throws: What is wrong, at which JSON Pointer inside the rule, and what to write instead.
    /// - Complexity: O(json.count), and the order of objects' members.
    package init(json: [UInt8]) throws(MembershipError) {
        let rule = json.withUnsafeBytes { bytes in
            Result { () throws(MembershipError) in
                var parser = MembershipParser(bytes)
                return try parser.rule()
            }
        }
        self = try rule.get()
    }

    init(
        resourceType: ByteString, limit: Int?, predicate: Predicate, scope: MembershipScope?, order: [MembershipOrder]
    ) {
        self.resourceType = resourceType
        self.limit = limit
        self.predicate = predicate
        self.scope = scope
        self.order = order
        filings = MembershipFiling.choices(predicate: predicate, scope: scope)
    }

    /// Whether a resource belongs to the list: its `where` and its `scope` hold.
    ///
    /// - Parameter resource: One validated object without insignificant white space, of the rule's type.
    /// - Complexity: O(resource.count + predicates · members).
    package func matches(_ resource: UnsafeRawBufferPointer) -> Bool {
        matches(ResourceView(resource))
    }

    /// As ``matches(_:)-(UnsafeRawBufferPointer)``, for a resource that many rules are asked about.
    ///
    /// - Complexity: O(predicates · members), and the values that they lead to.
    package func matches(_ resource: ResourceView) -> Bool {
        predicate.matches(resource) && (scope?.matches(resource) ?? true)
    }

    /// The resource's place in the list, as bytes whose order is the list's: the components of `order`, then the id.
    ///
    /// - Parameters:
    ///   - resource: One validated object without insignificant white space.
    ///   - id: The part of the entity's key behind its type, which makes the key one of a kind.
    /// - Returns: Bytes to be compared as bytes, a beginning before the whole.
    /// - Complexity: O(resource.count + order.count · members); O(1) without an order.
    package func sortKey(of resource: UnsafeRawBufferPointer, id: ByteString) -> [UInt8] {
        order.isEmpty ? id.bytes : sortKey(of: ResourceView(resource), id: id)
    }

    /// As ``sortKey(of:id:)-(UnsafeRawBufferPointer,_)``, for a resource that many rules are asked about.
    ///
    /// - Complexity: O(order.count · members), and the values that they lead to.
    package func sortKey(of resource: ResourceView, id: ByteString) -> [UInt8] {
        var key: [UInt8] = []
        for component in order { component.append(resource, to: &key) }
        key.append(contentsOf: id.bytes)
        return key
    }
}
