import Tidemark
import TidemarkModel
import TidemarkViews

/// An observer of a window of a view.
final class ViewObserver {
    /// What a slow observer has not been told.
    struct Lag {
        var patch: [ViewPatchOperation]
        var addedKeys: [ViewRowKey]
        /// How many changes could not be told.
        var count: Int
        /// True if something shows even if the patch is empty in the end.
        var mustTell = true
    }

    let subscription: SubscriptionID
    let sink: any ObserverSink
    /// The rule; another one if the view that is observed by name was defined anew.
    var rule: ViewRule
    /// The cache's own names of the view's types.
    var types: Set<ByteString>
    /// The name of the defined view that is observed; nil for a rule.
    let name: ByteString?
    let params: [UInt8]?
    let wantsKeys: Bool
    let wantsWholeRows: Bool
    /// The rows before the window, and the most rows, as the observer asked for them; nil for the rule's.
    var offset: Int?
    var limit: Int?
    let window: ViewWindowID
    var use: ViewUseID
    /// The state that the observer was told last.
    var told: ViewStatus
    /// True if an entity of the view's types was evicted from both tiers since the observation began.
    var hasLoss = false
    /// nil while the observer is up to date.
    var lag: Lag?

    init(
        _ subscription: SubscriptionID, _ request: ViewRequest, rule: ViewRule, types: Set<ByteString>,
        window: ViewWindowID, use: ViewUseID, told: ViewStatus, sink: any ObserverSink
    ) {
        self.subscription = subscription
        self.sink = sink
        self.rule = rule
        self.types = types
        if case .name(let name) = request.view { self.name = name } else { name = nil }
        params = request.params
        wantsKeys = request.wantsKeys
        wantsWholeRows = request.wantsWholeRows
        (offset, limit) = (request.offset, request.limit)
        self.window = window
        self.use = use
        self.told = told
    }
}
