import Tidemark
import TidemarkGraphQLStore
import TidemarkModel
import TidemarkStore

/// A request about GraphQL documents, with checked parameters.
///
/// - Source: Protocol/graphql.md, methods.
enum GraphMethod: Sendable {
    /// The entity and the fragment that a request names.
    struct Fragment: Sendable {
        var document: ByteString
        var name: ByteString?
        var variables: ByteString?
        var key: EntityKey
    }

    case read(GraphReadRequest)
    case observe(GraphReadRequest)
    case write(GraphRequest, AnswerParts, asOf: EventSequence?, isPartial: Bool)
    case readFragment(Fragment)
    case writeFragment(Fragment, AnswerParts, asOf: EventSequence?, isPartial: Bool)
    case mutate(GraphMutation)
    case stop(SubscriptionID)
    /// A further payload of a fetch in progress.
    case part(fetch: UInt64, JSONSlice)
}
