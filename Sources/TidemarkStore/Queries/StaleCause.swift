/// The cause for which a list is known to be older than the server's.
package enum StaleCause: String, Sendable, CaseIterable {
    /// A bulk operation, a refresh or an index operation of the server concerns it.
    case event
    /// A request invalidated it.
    case request = "invalidated"
    /// Numbers of its library's log were lost, or the log began anew.
    case log
    /// A change whose effect on the list cannot be known, such as a removal, or too few elements are left.
    case list
    /// The answer was older than writes that were made while it was fetched.
    case answer
    /// The time to live of the answer is over.
    case expired
    /// An entity of the list is in no tier, or layers hide more elements than are known to follow.
    case missing
    /// No answer came yet.
    case unanswered
    /// The list became stale in an earlier session, which did not store why.
    case earlier
}
