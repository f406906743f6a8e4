import TidemarkJSON
import TidemarkModel

/// The merge rules in a change's `metadata`.
///
/// - Source: Protocol/events.md, merging.
package struct MergeRules: Sendable {
    /// The names of members whose values are replaced, not merged, at any depth.
    package var noMergeFields: Set<[UInt8]> = []
    /// Other ids under which the entity may already be stored, in the order given.
    package var alternateIDs: [StoredID] = []

    /// Creates rules that merge everything and name no other ids.
    package init() {}

    /// Reads the rules from a `metadata` object that the wire has validated.
    package init(metadata: UnsafeRawBufferPointer) {
        let object = JSONObject(metadata, range: 0..<metadata.count)
        for element in MergeRules.elements(of: object, named: "no_merge_fields") {
            noMergeFields.insert(JSONText.unescaped(element))
        }
        for element in MergeRules.elements(of: object, named: "alternate_ids") {
            alternateIDs.append(StoredID(ByteString(JSONText.unescaped(element))))
        }
    }

    /// Returns the elements of an array member: strings without quotes, and integers. Empty if it is absent or null.
    private static func elements(
        of object: JSONObject, named name: StaticString
    ) -> [UnsafeRawBufferPointer] {
        guard let range = object.value(named: name), object.bytes[range.lowerBound] == UInt8(ascii: "[") else {
            return []
        }
        var result: [UnsafeRawBufferPointer] = []
        var cursor = JSONCursor(object.bytes, at: range.lowerBound + 1)
        while cursor.byte != UInt8(ascii: "]") {
            let isString = cursor.byte == UInt8(ascii: "\"")
            let range = isString ? cursor.string() : cursor.value()
            result.append(UnsafeRawBufferPointer(rebasing: object.bytes[range]))
            if cursor.byte == UInt8(ascii: ",") { cursor.step() }
        }
        return result
    }
}
