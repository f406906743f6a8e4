import Tidemark
import TidemarkModel

/// The rows of a view, all of one state of the cache, and what changed since the last update.
public struct ViewRows<Row: Sendable>: Sendable {
    /// The rows of the window, in order.
    public var rows: [Row]
    /// The steps from the last update's rows to these, to be applied in order. Empty in the first update, in a read,
    /// and where only another property changed.
    public var changes: [ListChange<Row>]
    /// The number of rows before the window is cut; nil if the view does not ask for it with ``View/total()``.
    public var total: Int?
    /// The library's cursor: every row is as of this position. nil before the first event.
    public var asOf: EventSequence?
    /// True if the library lacks events, or if the cache evicted entities of the view's types.
    public var isStale: Bool
    /// True if an edit that no server has confirmed covers an entity behind a row.
    public var isPending: Bool
    /// The number of entities that the view refers to and that the cache does not know. Rows or members may be absent
    /// for this reason.
    public var missing: Int
    /// How many earlier updates were merged into this one because the reader was slow, at most.
    public var missed: Int

    init(_ reply: ViewReply, _ decoder: RowDecoder<Row>) throws(ViewRowError) where Row: Decodable {
        var rows: [Row] = []
        rows.reserveCapacity(reply.rows.count)
        for (index, row) in reply.rows.enumerated() { rows.append(try decoder.row(row, at: index)) }
        self.rows = rows
        changes = []
        total = reply.hasTotal ? reply.total : nil
        asOf = reply.status.asOf
        isStale = reply.status.isStale
        isPending = reply.status.isPending
        missing = reply.missing
        missed = 0
    }
}

extension ViewRows: Equatable where Row: Equatable {}
