/// The three kinds of operations. The raw value is the word in a document.
package enum OperationKind: String, Hashable, Sendable, CaseIterable {
    case query
    case mutation
    case subscription
}
