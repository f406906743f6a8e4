/// One element of a batch: a resource, or the reason why it cannot be used.
package enum ReferenceBatchMember: Equatable, Sendable {
    case good(ReferenceResource)
    case bad(ReferenceReason)
}
