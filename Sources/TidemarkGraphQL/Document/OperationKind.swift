/// The three operations of GraphQL; the raw value is the word in a document.
package enum OperationKind: String, Hashable, Sendable, CaseIterable {
    case query
    case mutation
    case subscription
}
