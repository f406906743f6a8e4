import Tidemark
import TidemarkViews
import TidemarkModel

/// A view that is defined under a name, as ``Tidemark/SyncCache/definedViews(library:)`` lists it.
public struct DefinedView: Hashable, Sendable {
    /// The name.
    public let name: String
    /// The rule as JSON.
    public let json: String
    /// The names of the rule's parameters, in the order in which the rule uses them.
    public let parameters: [String]
    /// The number of its observers.
    public let observerCount: Int
    /// The number of rows before any window is cut; nil for a view with parameters, which has rows only for its uses.
    public let rowCount: Int?
    /// An estimate of the memory that the view takes in bytes. It includes what the view shares with others.
    public let byteCount: Int
    /// True while the view is being computed. Reads of it wait until it is true.
    public let isBuilding: Bool

    init(_ listing: ViewListing) {
        name = listing.name.description
        json = String(decoding: listing.rule.canonical, as: UTF8.self)
        parameters = listing.rule.parameters.map(\.description)
        observerCount = listing.observerCount
        rowCount = listing.rowCount
        byteCount = listing.byteCount
        isBuilding = listing.isBuilding
    }
}
