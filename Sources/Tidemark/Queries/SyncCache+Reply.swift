import TidemarkModel

/// The first answer to a read, and the observer that was made in the same step.
package struct QueryReply: Sendable {
    package var answer: QueryAnswer
    /// The number of the observer; nil when none was asked for.
    package var subscription: SubscriptionID?

    package init(answer: QueryAnswer, subscription: SubscriptionID?) {
        self.answer = answer
        self.subscription = subscription
    }
}
