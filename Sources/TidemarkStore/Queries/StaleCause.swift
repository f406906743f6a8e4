/// Why a list is known to be older than the server's.
package enum StaleCause: String, Sendable, CaseIterable {
    /// A bulk operation, refresh or index event of the server concerns it.
    case event
    /// A request invalidated it.
    case request = "invalidated"
    /// Events of its library were lost, or the log was replaced.
    case log
    /// A change with an unknown effect on the list, such as a removal; or too few elements are left.
    case list
    /// The response was older than writes that were made while it was fetched.
    case answer
    /// The answer's time to live is over.
    case expired
    /// An entity of the list is in neither tier, or layers hide more elements than are known to follow.
    case missing
    /// No response has arrived yet.
    case unanswered
    /// The list became stale in an earlier session, which did not store why.
    case earlier
}
