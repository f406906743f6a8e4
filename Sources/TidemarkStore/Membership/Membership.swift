import TidemarkModel

/// A query's rule: which resources are in its list, and in which order.
///
/// Only the resource itself decides. The result depends neither on other resources nor on the time.
///
/// - Source: Protocol/queries.md, membership.
package struct Membership: Sendable {
    /// The type of the resources in the list.
    package let resourceType: ByteString
    /// The most elements in the list, counted from its start; nil for no limit.
    package let limit: Int?

    let predicate: Predicate
    let scope: MembershipScope?
    let order: [MembershipOrder]
    /// The ways in which ``MembershipCandidates`` may file this rule. A resource can fulfil the rule only if it has at
    /// least one key of each filing.
    let filings: [MembershipFiling]

    /// Parses a rule.
    ///
    /// - Parameter json: One valid JSON object without insignificant white space. Parts of it are copied.
    /// - Throws: ``MembershipError`` with the place in the rule, what is wrong there, and what to write instead.
    /// - Complexity: O(json.count), plus sorting the members of objects.
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

    /// Returns true if a resource is in the list: both `where` and `scope` hold.
    ///
    /// - Parameter resource: One validated object of the rule's type, without insignificant white space.
    /// - Complexity: O(resource.count + predicates · members).
    package func matches(_ resource: UnsafeRawBufferPointer) -> Bool {
        matches(ResourceView(resource))
    }

    /// Returns true if a resource is in the list. Use this form if many rules are evaluated over one resource.
    ///
    /// - Complexity: O(predicates · members), plus the values that they lead to.
    package func matches(_ resource: ResourceView) -> Bool {
        predicate.matches(resource) && (scope?.matches(resource) ?? true)
    }

    /// Returns the sort key of a resource: the components of `order`, then the id. The byte order of sort keys is the
    /// order of the list.
    ///
    /// - Parameters:
    ///   - resource: One validated object without insignificant white space.
    ///   - id: The entity's id, which makes the sort key unique.
    /// - Returns: The sort key. A key that is a prefix of another sorts before it.
    /// - Complexity: O(resource.count + order.count · members); O(1) without an order.
    package func sortKey(of resource: UnsafeRawBufferPointer, id: ByteString) -> [UInt8] {
        order.isEmpty ? id.bytes : sortKey(of: ResourceView(resource), id: id)
    }

    /// Returns the sort key of a resource. Use this form if many rules are evaluated over one resource.
    ///
    /// - Complexity: O(order.count · members), plus the values that they lead to.
    package func sortKey(of resource: ResourceView, id: ByteString) -> [UInt8] {
        var key: [UInt8] = []
        for component in order { component.append(resource, to: &key) }
        key.append(contentsOf: id.bytes)
        return key
    }
}
