import Tidemark
import TidemarkJSON
import TidemarkModel

/// Applies the notifications of a view's observer to its last rows. Only rows that changed are decoded.
///
/// The notifications have whole rows; see ``ViewRequest/wantsWholeRows``.
struct ChangeReader<Row: Decodable & Sendable> {
    private let decoder = RowDecoder<Row>()

    /// Applies a `view.changed`.
    ///
    /// - Throws: ``ViewRowError`` if a row cannot be decoded.
    func apply(_ params: [UInt8], to last: inout ViewRows<Row>) throws(ViewRowError) {
        let members = JSONSlice(compact: params[...]).members ?? [:]
        func member(_ name: String) -> JSONSlice? { members[Array(name.utf8)] }
        last.changes = []
        for operation in member("patch")?.elements ?? [] {
            let change = try change(operation.members ?? [:])
            change.apply(to: &last.rows)
            last.changes.append(change)
        }
        last.total = member("total")?.integer.map { Int($0) }
        last.asOf = member("as_of")?.integer.map { EventSequence($0) }
        last.isStale = member("stale")?.bool ?? false
        last.isPending = member("pending")?.bool ?? false
        last.missing = Int(member("missing")?.integer ?? 0)
        last.missed = Int(member("missed")?.integer ?? 0)
    }

    private func change(_ operation: [[UInt8]: JSONSlice]) throws(ViewRowError) -> ListChange<Row> {
        let index = index(operation, "path")
        switch operation[Array("op".utf8)]?.text {
        case Array("add".utf8): return .insert(try row(operation, at: index), at: index)
        case Array("replace".utf8): return .update(try row(operation, at: index), at: index)
        case Array("remove".utf8): return .remove(at: index)
        case Array("move".utf8): return .move(from: self.index(operation, "from"), to: index)
        case let other: preconditionFailure("a patch of a view has the operation \(String(describing: other))")
        }
    }

    private func row(_ operation: [[UInt8]: JSONSlice], at index: Int) throws(ViewRowError) -> Row {
        try decoder.row(operation[Array("value".utf8)].map { Array($0.bytes) } ?? [], at: index)
    }

    private func index(_ operation: [[UInt8]: JSONSlice], _ name: String) -> Int {
        guard let text = operation[Array(name.utf8)]?.text,
            let index = Int(String(decoding: text.dropFirst(), as: UTF8.self))
        else { preconditionFailure("a patch of a view with whole rows has a \(name) that is no row") }
        return index
    }
}
