import Tidemark
import TidemarkJSON
import TidemarkModel
import TidemarkViews

/// The result of a defined view as it is stored beside its definition, so that it is there right after an opening.
struct StoredResult {
    /// The kind of the records of results.
    static let kind: ByteString = "view-result"
    /// The most rows that are stored: 1,000. A window behind them is computed.
    static let rowCountMax = 1_000
    /// The most bytes of a stored result: 256 KiB. A larger one is computed after an opening.
    static let byteCountMax = 256 << 10

    var rows: [[UInt8]]
    /// The keys of the rows as JSON.
    var keys: [[UInt8]]
    /// The number of rows before any window is cut.
    var total: Int
    var missing: Int
    var isPending: Bool
    /// True if an entity of the view's types was evicted from both tiers since the definition.
    var hasLoss: Bool
    /// True if there are rows behind the stored ones.
    var isCut: Bool

    /// The most rows that are stored of a rule's result, from its first one.
    static func limit(of rule: ViewRule) -> Int {
        guard let limit = rule.limit else { return rowCountMax }
        return min(min(limit, rowCountMax) + rule.offset, rowCountMax)
    }

    /// The rows of a window; nil if they are not all stored.
    func window(offset: Int, limit: Int?) -> Range<Int>? {
        let end = limit.map { offset.addingReportingOverflow($0) }.map { $0.overflow ? Int.max : $0.partialValue }
        if isCut, end ?? .max > rows.count { return nil }
        let start = min(offset, rows.count)
        return start..<max(start, min(end ?? rows.count, rows.count))
    }

    /// The record's body; nil if it would be too large.
    var body: [UInt8]? {
        guard rows.reduce(0, { $0 + $1.count }) <= StoredResult.byteCountMax else { return nil }
        var line = JSONLine()
        line.object { line in
            line.member("total", total)
            line.member("missing", missing)
            line.member("pending", isPending)
            line.member("loss", hasLoss)
            line.member("cut", isCut)
            line.name("rows")
            line.array { line in
                for row in rows { line.value(json: row) }
            }
            line.name("keys")
            line.array { line in
                for key in keys { line.value(json: key) }
            }
        }
        return line.bytes
    }
}

extension StoredResult {
    /// Reads a record's body; nil if it is none. The record's checksum was checked, so its JSON is as it was written.
    init?(body: [UInt8]) {
        let slice = JSONSlice(validated: body[...])
        guard slice.kind == .object, let members = slice.members,
            let total = members[Array("total".utf8)]?.integer, let missing = members[Array("missing".utf8)]?.integer,
            let pending = members[Array("pending".utf8)]?.bool, let loss = members[Array("loss".utf8)]?.bool,
            let cut = members[Array("cut".utf8)]?.bool, let rows = members[Array("rows".utf8)]?.elements,
            let keys = members[Array("keys".utf8)]?.elements, keys.count == rows.count
        else { return nil }
        self.init(
            rows: rows.map { Array($0.bytes) }, keys: keys.map { Array($0.bytes) }, total: Int(total),
            missing: Int(missing), isPending: pending, hasLoss: loss, isCut: cut)
    }
}
