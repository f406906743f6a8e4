import TidemarkModel

/// A query's rule: which resources belong to its list, and in which order.
///
/// Only the resource decides: the result depends neither on other resources nor on the time.
/// - Source: Protocol/queries.md, membership.
package struct Membership: Sendable {
    /// The type whose resources the list holds.
    package let resourceType: ByteString
    /// The number of elements that the list holds at most, the first ones in its order; nil for all.
    package let limit: Int?

    let predicate: Predicate
    let scope: MembershipScope?
    let order: [MembershipOrder]
    /// The filings under which ``MembershipCandidates`` may store this rule: a resource can fulfil the rule only if it
    /// meets one key of each filing.
    let filings: [MembershipFiling]

    /// Parses a rule.
    ///
    /// - Parameter json: One valid JSON object without insignificant white space. Copied as far as it is needed.
    /// - Throws: An error that says what is wrong, at which JSON Pointer inside the rule, and what to write instead.
    /// - Complexity: O(json.count), and sorting the members of objects.
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

    /// Tells whether a resource belongs to the list: its `where` and its `scope` hold.
    ///
    /// - Parameter resource: One validated object without insignificant white space, of the rule's type.
    /// - Complexity: O(resource.count + predicates · members).
    package func matches(_ resource: UnsafeRawBufferPointer) -> Bool {
        matches(ResourceView(resource))
    }

    /// Does the same as ``matches(_:)-(UnsafeRawBufferPointer)``, for a resource that many rules are evaluated over.
    ///
    /// - Complexity: O(predicates · members), and the values that they lead to.
    package func matches(_ resource: ResourceView) -> Bool {
        predicate.matches(resource) && (scope?.matches(resource) ?? true)
    }

    /// Returns the sort key of a resource: bytes whose order is the list's. The components of `order` come first, then
    /// the id.
    ///
    /// - Parameters:
    ///   - resource: One validated object without insignificant white space.
    ///   - id: The part of the entity's key after its type, which makes the sort key unique.
    /// - Returns: Bytes to be compared as bytes; a prefix sorts before the longer key.
    /// - Complexity: O(resource.count + order.count · members); O(1) without an order.
    package func sortKey(of resource: UnsafeRawBufferPointer, id: ByteString) -> [UInt8] {
        order.isEmpty ? id.bytes : sortKey(of: ResourceView(resource), id: id)
    }

    /// Does the same as ``sortKey(of:id:)-(UnsafeRawBufferPointer,_)``, for a resource that many rules are evaluated
    /// over.
    ///
    /// - Complexity: O(order.count · members), and the values that they lead to.
    package func sortKey(of resource: ResourceView, id: ByteString) -> [UInt8] {
        var key: [UInt8] = []
        for component in order { component.append(resource, to: &key) }
        key.append(contentsOf: id.bytes)
        return key
    }
}
