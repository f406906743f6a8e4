import Tidemark
import TidemarkModel
import TidemarkViews

/// The view that a request is about.
package enum RequestedView: Sendable {
    /// A rule.
    case rule(ViewRule)
    /// The name of a defined view.
    case name(ByteString)
}

/// A request for the result of a view.
package struct ViewRequest: Sendable {
    /// The library.
    package var library: ByteString
    /// The view.
    package var view: RequestedView
    /// The values of the view's parameters as a JSON object; nil for none.
    package var params: [UInt8]?
    /// The rows before the window; nil for the rule's.
    package var offset: Int?
    /// The most rows; nil for the rule's.
    package var limit: Int?
    /// True if the keys of the rows are wanted too.
    package var wantsKeys = false
    /// True if an observer wants rows that changed inside as whole rows in its patches, because it decodes whole rows.
    package var wantsWholeRows = false

    /// Creates a request for the whole result, as its rule cuts it.
    package init(library: ByteString, view: RequestedView) {
        self.library = library
        self.view = view
    }
}

/// The state of a view's result, at one position of the library's log.
package struct ViewStatus: Hashable, Sendable {
    /// The position; nil before the first event.
    package var asOf: EventSequence?
    /// True if the library is known to lack events, or entities of the view's types were evicted from both tiers.
    package var isStale: Bool
    /// True if an edit covers an entity behind a shown row.
    package var isPending: Bool
}

/// A result of a view, with its state.
package struct ViewReply: Sendable {
    /// The rows of the window as JSON.
    package var rows: [[UInt8]]
    /// The keys of the rows as JSON: arrays of the entities' keys, or of a group's values.
    package var keys: [[UInt8]]
    /// The number of rows before the window is cut.
    package var total: Int
    /// The number of different entities that were asked for by `@key` and that the cache does not know.
    package var missing: Int
    /// True if the rule asks for the number of all rows.
    package var hasTotal: Bool
    /// True if the keys were asked for.
    package var hasKeys: Bool
    /// The state of the result.
    package var status: ViewStatus
    /// The number of the observer; nil for a read.
    package var subscription: SubscriptionID?
}

/// What `view.list` says of a defined view.
package struct ViewListing: Sendable {
    /// The name.
    package var name: ByteString
    /// The rule.
    package var rule: ViewRule
    /// The number of its observers.
    package var observerCount: Int
    /// The rows before any window is cut; nil for a view with parameters.
    package var rowCount: Int?
    /// An estimate of the memory that it takes, relations included that it may share with others.
    package var byteCount: Int
    /// True while the result is being computed.
    package var isBuilding: Bool
}

extension CacheError {
    /// Creates the error of a rule, or of parameters, that cannot be used.
    package init(_ error: ViewRuleError) {
        self.init(.invalidParams, error.message)
    }
}
