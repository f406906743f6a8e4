import TidemarkJSON
import TidemarkModel

/// What tells a row of a result from the others, for those who read results.
package enum ViewRowKey: Hashable, Sendable {
    /// The entities of the sources in order; nil for a left join without a match.
    case entities([ViewKey?])
    /// The values of a group in their canonical spelling; nil for an absent one.
    case group([[UInt8]?])

    /// The key as JSON: an array of `type:id`, or of the group's values; null for none.
    package var text: [UInt8] {
        var line = JSONLine()
        line.array { line in
            switch self {
            case .entities(let keys):
                for key in keys {
                    if let key { line.value(key.text) } else { line.value(json: Array("null".utf8)) }
                }
            case .group(let values):
                for value in values { line.value(json: value ?? Array("null".utf8)) }
            }
        }
        return line.bytes
    }
}

/// The rows of a window, all of one state of the entities.
package struct ViewResult: Sendable {
    /// The rows as JSON.
    package var rows: [[UInt8]]
    /// The keys of the rows.
    package var keys: [ViewRowKey]
    /// The number of rows before the window was cut.
    package var total: Int
    /// The number of different entities that were asked for by `@key` and that the cache does not know.
    package var missing: Int
    /// True if the result has more rows than ``ViewLimits/rowCountMax``. It then has none.
    package var isTooLarge: Bool
}

/// The change of a window.
package struct ViewUpdate: Sendable {
    /// The window that changed.
    package var window: ViewWindowID
    /// The operations that turn the rows that were told last into the current ones; empty if only a number changed.
    package var patch: [ViewPatchOperation]
    /// The keys of the added rows, in the order of their operations.
    package var addedKeys: [ViewRowKey]
    /// The number of rows before the window was cut.
    package var total: Int
    /// The number of different entities that were asked for by `@key` and that the cache does not know.
    package var missing: Int
    /// True if the result became too large. The window shows no rows from now on.
    package var isTooLarge: Bool
}
