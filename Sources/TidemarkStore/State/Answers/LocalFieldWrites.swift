import TidemarkModel

/// The fields that were written without a sequence while answers were on their way.
///
/// An answer that is stored part by part leaves them as they are. At most ``countMax`` are remembered; when more are
/// written, every entity counts as written whole.
struct LocalFieldWrites {
    private struct Write {
        var ordinal: Int64
        /// Names joined by a zero byte.
        var path: ByteString
    }

    static let countMax = 8_192

    private var writes: [StoredKey: [Write]] = [:]
    private var count = 0
    /// The number of writes so far.
    private(set) var ordinal: Int64 = 0
    /// The ordinal up to which writes were forgotten.
    private var forgotten: Int64 = 0

    mutating func append(_ key: StoredKey, _ paths: [ByteString]) {
        ordinal += 1
        guard count + paths.count <= LocalFieldWrites.countMax else {
            clear()
            forgotten = ordinal
            return
        }
        count += paths.count
        writes[key, default: []] += paths.map { Write(ordinal: ordinal, path: $0) }
    }

    /// Returns the paths of an entity that were written after an ordinal; nil when some writes were forgotten.
    func paths(of key: StoredKey, after start: Int64) -> Set<ByteString>? {
        guard forgotten <= start else { return nil }
        return Set((writes[key] ?? []).lazy.filter { $0.ordinal > start }.map(\.path))
    }

    /// Forgets everything, because no answer is awaited.
    mutating func clear() {
        writes.removeAll(keepingCapacity: true)
        count = 0
    }
}

extension CacheState {
    /// Remembers which fields of an entity a write without a sequence set.
    ///
    /// - Parameter fields: The fields; nil for all of the resource.
    mutating func noteLocalWrite(of key: StoredKey, _ resource: [UInt8], fields: WrittenFields?) {
        guard isAwaitingAnswers else { return }
        localWrites.append(key, fields?.wholes ?? resource.withUnsafeBytes { JSONObject.fieldNames(of: $0) })
    }
}
