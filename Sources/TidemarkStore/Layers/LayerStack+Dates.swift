import TidemarkModel

/// The ages of the fields that layers write.
extension LayerStack {
    /// The times when layers wrote the fields of an entity.
    struct Dates {
        /// The time of the last replacement of the whole by a layer, in milliseconds since 1970; nil when there was
        /// none.
        var whole: Int64?
        /// The times of single fields since, by top-level field.
        var named: [ByteString: Int64] = [:]

        /// - Parameter base: The time when the stored field was written; nil when nothing is stored.
        func date(of field: ByteString, base: Int64?) -> Int64? { named[field] ?? whole ?? base }
    }

    func dates(over handle: ListHandle) -> Dates {
        var dates = Dates()
        for touch in overlays[handle]?.touches ?? [] {
            guard let layer = layers[touch.layer] else { continue }
            switch layer.changes[touch.change] {
            case .put:
                dates = Dates(whole: layer.createdAt)
            case .patch(_, let fields, _):
                guard !fields.isEmpty else { continue }
                for name in fields.withUnsafeBytes({ JSONObject.fieldNames(of: $0) }) {
                    dates.named[name] = layer.createdAt
                }
            case .merge(_, let fields):
                for path in fields.withUnsafeBytes({ Merge.graph($0, into: $0).paths }) {
                    dates.named[path] = layer.createdAt
                }
            case .removeField: break
            case .delete: dates = Dates()
            }
        }
        return dates
    }
}
