import TidemarkJSON
import TidemarkModel
import TidemarkStore

/// Selects the fields of a resource that a reader asked for.
enum FieldSelection {
    /// Returns the named top-level fields, in the resource's order; fields that it does not have are left out.
    ///
    /// - Parameters:
    ///   - resource: A JSON object; an empty array means that there is none, and is returned unchanged.
    ///   - fields: The unescaped names; nil for the whole resource.
    static func resource(_ resource: [UInt8], fields: Set<[UInt8]>?) -> [UInt8] {
        guard let fields, !resource.isEmpty else { return resource }
        return resource.withUnsafeBytes { JSONObject.selection(of: $0, fields: fields) }
    }

    /// Returns the same as ``resource(_:fields:)``; nil when a wanted field is not known.
    ///
    /// - Parameter isWhole: Whether the resource is complete. If it is, a field that it lacks does not exist; otherwise
    ///   the field may have been evicted.
    static func known(_ resource: [UInt8], isWhole: Bool, fields: Set<[UInt8]>?) -> [UInt8]? {
        guard isWhole || isKnown(resource, fields: fields) else { return nil }
        return self.resource(resource, fields: fields)
    }

    /// Returns true if an incomplete resource has all wanted fields.
    static func isKnown(_ resource: [UInt8], fields: Set<[UInt8]>?) -> Bool {
        fields.map { fields in resource.withUnsafeBytes { JSONObject.has($0, fields) } } ?? false
    }

    /// Returns a checksum of the selected fields, for a later comparison.
    static func checksum(of resource: [UInt8], fields: Set<[UInt8]>?) -> UInt64 {
        checksum(ofSelected: self.resource(resource, fields: fields))
    }

    static func checksum(ofSelected resource: [UInt8]) -> UInt64 {
        resource.withUnsafeBytes { Checksum.xxh64($0, seed: 0) }
    }

    /// Returns a list's steps with the selected fields only. A step that changes other fields is left out.
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

    /// Returns true if an observer sees a difference in a list's steps.
    static func isVisible(_ steps: [ListStep], fields: Set<[UInt8]>?) -> Bool {
        guard fields != nil else { return !steps.isEmpty }
        return steps.contains { step in
            guard case .replace(let value, _) = step else { return true }
            return resource(value.payload, fields: fields) != resource(value.old, fields: fields)
        }
    }

    /// Returns the names of the top-level fields that differ, sorted by bytes.
    static func changedFields(_ old: [UInt8]?, _ new: [UInt8]?) -> [ByteString] {
        (old ?? Array("{}".utf8)).withUnsafeBytes { old in
            (new ?? Array("{}".utf8)).withUnsafeBytes { new in JSONObject.changedFields(old, new) }
        }
    }
}
