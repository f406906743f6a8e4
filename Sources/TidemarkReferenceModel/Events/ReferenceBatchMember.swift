/// One element of a batch: a resource, or the reason why it cannot be used.
package enum ReferenceBatchMember: Equatable, Sendable {
    /// A usable resource.
    case good(ReferenceResource)
    /// An unusable element.
    case bad(ReferenceReason)
}
