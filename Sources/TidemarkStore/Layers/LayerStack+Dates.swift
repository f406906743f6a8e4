import TidemarkModel

/// The dates of what layers wrote.
extension LayerStack {
    /// One write of a layer to an entity.
    struct Write {
        /// The fields; nil for the whole entity.
        var fields: WrittenFields?
        /// Milliseconds since 1970.
        var writtenAt: Int64
    }

    /// Returns the writes of layers to an entity, oldest first.
    ///
    /// - Complexity: O(changes + the visible resource for each merge).
    func writes(over handle: ListHandle) -> [Write] {
        var writes: [Write] = []
        for touch in overlays[handle]?.touches ?? [] {
            guard let layer = layers[touch.layer] else { continue }
            switch layer.changes[touch.change] {
            case .put: writes = [Write(fields: nil, writtenAt: layer.createdAt)]
            case .patch(_, let fields, _):
                guard !fields.isEmpty else { continue }
                let names = fields.withUnsafeBytes { JSONObject.fieldNames(of: $0) }
                writes.append(Write(fields: WrittenFields(names), writtenAt: layer.createdAt))
            case .merge(_, let fields):
                let visible = overlays[handle]?.visible ?? fields
                let merged = fields.withUnsafeBytes { fields in
                    visible.withUnsafeBytes { Merge.graph(fields, into: $0) }
                }
                writes.append(Write(fields: merged.written, writtenAt: layer.createdAt))
            case .removeField: break
            case .delete: writes = []
            }
        }
        return writes
    }

    /// The times when layers wrote the top-level fields of an entity.
    struct Dates {
        /// The time of the last replacement of the whole by a layer, in milliseconds since 1970; nil when there was
        /// none.
        var whole: Int64?
        /// The times of single fields since.
        var named: [ByteString: Int64] = [:]

        /// - Parameter base: The time when the stored field was written; nil when nothing is stored.
        func date(of field: ByteString, base: Int64?) -> Int64? { named[field] ?? whole ?? base }
    }

    func dates(over handle: ListHandle) -> Dates {
        var dates = Dates()
        for write in writes(over: handle) {
            if let fields = write.fields {
                fields.date(&dates.named, rest: write.writtenAt, as: write.writtenAt)
            } else {
                dates.whole = write.writtenAt
            }
        }
        return dates
    }
}
