import TidemarkJSON
import TidemarkModel

/// When layers wrote the entities that they show.
extension LayerStack {
    /// One layer's write to an entity.
    struct Write {
        /// The fields that it wrote; nil for the whole entity.
        var fields: WrittenFields?
        /// When it was made, in milliseconds since 1970.
        var writtenAt: Int64
    }

    /// Returns what layers wrote to an entity, oldest first. Writes that a later `put` or `delete` undoes are left out.
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
                    visible.withUnsafeBytes { Merge.byPath(fields, into: $0) }
                }
                writes.append(Write(fields: merged.written, writtenAt: layer.createdAt))
            case .removeField: break
            case .delete: writes = []
            }
        }
        return writes
    }

    /// When layers wrote the top-level fields of an entity.
    struct Dates {
        /// When a layer last replaced the whole entity, in milliseconds since 1970; nil if none did.
        var whole: Int64?
        /// When layers wrote single fields after that.
        var named: [ByteString: Int64] = [:]

        /// Returns when a field was written; nil if it has no value.
        ///
        /// - Parameter base: When the stored field was written; nil if nothing is stored.
        func date(of field: ByteString, base: Int64?) -> Int64? { named[field] ?? whole ?? base }
    }

    /// Returns when layers wrote the top-level fields of an entity.
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
