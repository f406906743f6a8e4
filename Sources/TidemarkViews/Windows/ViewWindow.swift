import TidemarkModel

/// The number of an observed window.
package struct ViewWindowID: Hashable, Comparable, Sendable {
    let rawValue: UInt32

    /// Orders windows by their opening.
    package static func < (left: ViewWindowID, right: ViewWindowID) -> Bool { left.rawValue < right.rawValue }
}

/// The part of a result that one observer sees.
struct ViewWindow: Sendable {
    /// A shown row, with what its rendering read.
    struct Shown: Sendable {
        var row: RenderedRow
        var reads = FewSet<UInt64>()
        var missing = FewSet<ViewKey>()
        var entities = FewSet<ViewKey>()
        /// The groups of includes, by their index, where a change of one match can be added to them.
        var groups: [Int: GroupSet] = [:]
    }

    var shape: Int
    var use: UseNumber
    var offset: Int
    var limit: Int?
    /// The rows in order, at most ``ViewLimits/rowCountMax``.
    var order: [RowNumber] = []
    var shown: [RowNumber: Shown] = [:]
    /// For each entity that an include of a shown row asks for and that the cache does not know, how often.
    var missing = AskCounts()
    /// What the observer was told last.
    var total = 0
    var missingCount = 0
    /// The rows that the observer was told last, while it does not read; nil while it does.
    var suspended: [RenderedElement]?
    /// True if the result has more rows than are allowed. It then shows none.
    var isTooLarge = false

    /// An estimate of the bytes that the window takes.
    var byteCount: Int {
        missing.byteCount
            + shown.reduce(order.count * 4) { $0 + 200 + $1.value.byteCount }
    }
}

extension ViewWindow.Shown {
    fileprivate var byteCount: Int {
        groups.reduce(row.byteCount + reads.count * 40 + entities.count * 40) { $0 + $1.value.byteCount }
    }
}

extension RenderedRow {
    fileprivate var byteCount: Int {
        includes.reduce(own.count + 16) { sum, include in
            switch include.content {
            case .object(let object): sum + object.count
            case .one(let element): sum + (element?.row.byteCount ?? 0)
            case .list(let elements): elements.reduce(sum) { $0 + $1.row.byteCount + $1.key.count + 64 }
            }
        }
    }
}
