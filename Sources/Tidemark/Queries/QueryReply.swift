import TidemarkModel

/// The first answer to a read, with the observer that was made in the same step.
package struct QueryReply: Sendable {
    /// The list, and who answered.
    package var answer: QueryAnswer
    /// The number of the observer; nil when the read made none.
    package var subscription: SubscriptionID?

    package init(answer: QueryAnswer, subscription: SubscriptionID?) {
        self.answer = answer
        self.subscription = subscription
    }
}
