import TidemarkModel
import TidemarkStore

/// The part of a resource that a reader asked for.
enum Selection {
    /// The top-level fields that are named, in the resource's order; those that it has not are left out.
    ///
    /// - Parameter resource: One object; empty for none, which stays empty.
    /// - Parameter fields: Unescaped names; nil: the whole resource.
    static func resource(_ resource: [UInt8], fields: Set<[UInt8]>?) -> [UInt8] {
        guard let fields, !resource.isEmpty else { return resource }
        return resource.withUnsafeBytes { JSONObject.selection(of: $0, fields: fields) }
    }

    /// As ``resource(_:fields:)``; nil when a field that is wanted is not known.
    ///
    /// - Parameter isWhole: What the resource has not is not there, rather than evicted.
    static func known(_ resource: [UInt8], isWhole: Bool, fields: Set<[UInt8]>?) -> [UInt8]? {
        guard isWhole || isKnown(resource, fields: fields) else { return nil }
        return self.resource(resource, fields: fields)
    }

    /// Whether a resource of which only some fields are known has those that are wanted.
    static func isKnown(_ resource: [UInt8], fields: Set<[UInt8]>?) -> Bool {
        fields.map { fields in resource.withUnsafeBytes { JSONObject.has($0, fields) } } ?? false
    }

    /// Stands for a resource as selected, for a comparison later.
    static func checksum(of resource: [UInt8], fields: Set<[UInt8]>?) -> UInt64 {
        checksum(ofSelected: self.resource(resource, fields: fields))
    }

    static func checksum(ofSelected resource: [UInt8]) -> UInt64 {
        resource.withUnsafeBytes { Checksum.xxh64($0, seed: 0) }
    }

    /// A list's steps as an observer sees them; a change of fields that it did not ask for is none.
    static func operations(_ steps: [ListStep], fields: Set<[UInt8]>?) -> [ListOperation<[UInt8]>] {
        steps.compactMap { step in
            switch step {
            case .add(let value, let index): return .add(resource(value.payload, fields: fields), at: index)
            case .remove(_, let index): return .remove(at: index)
            case .move(_, let from, let to): return .move(from: from, to: to)
            case .replace(let value, let index):
                let new = resource(value.payload, fields: fields)
                guard fields == nil || new != resource(value.old, fields: fields) else { return nil }
                return .replace(new, at: index)
            }
        }
    }

    /// Whether an observer sees anything of a list's steps.
    static func isVisible(_ steps: [ListStep], fields: Set<[UInt8]>?) -> Bool {
        guard fields != nil else { return !steps.isEmpty }
        return steps.contains { step in
            guard case .replace(let value, _) = step else { return true }
            return resource(value.payload, fields: fields) != resource(value.old, fields: fields)
        }
    }

    /// Names of the top-level fields that differ, sorted by bytes.
    static func changedFields(_ old: [UInt8]?, _ new: [UInt8]?) -> [ByteString] {
        (old ?? Array("{}".utf8)).withUnsafeBytes { old in
            (new ?? Array("{}".utf8)).withUnsafeBytes { new in JSONObject.changedFields(old, new) }
        }
    }
}
