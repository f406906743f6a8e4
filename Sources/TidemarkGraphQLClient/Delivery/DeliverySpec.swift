/// The forms in which a server delivers an answer in parts, told apart by a parameter of its `Content-Type`.
///
/// - Source: Protocol/graphql.md, incremental delivery.
package enum DeliverySpec: String, Hashable, Sendable, CaseIterable {
    /// Items with `path`, `data` and `label` in `incremental`.
    case defer20220824 = "deferSpec=20220824"
    /// `pending` names fragments, `incremental` refers to them by `id` and `subPath`, `completed` ends them.
    case incremental02 = "incrementalSpec=v0.2"
    /// Each part is a payload of a subscription.
    case subscription1 = "subscriptionSpec=1.0"

    /// Returns the spec of a type; nil when the type names none that is known.
    package init?(_ type: MediaType) {
        let found = DeliverySpec.allCases.first { spec in
            let parts = spec.rawValue.split(separator: "=")
            return type.parameters[parts[0].lowercased()]?.lowercased() == parts[1].lowercased()
        }
        guard let found else { return nil }
        self = found
    }

    /// The value of `Accept` for queries and mutations.
    package static let acceptAnswers =
        "multipart/mixed;deferSpec=20220824, multipart/mixed;incrementalSpec=v0.2, "
        + "application/graphql-response+json, application/json"
    /// The value of `Accept` for subscriptions.
    package static let acceptSubscriptions = "multipart/mixed;subscriptionSpec=1.0"
}
