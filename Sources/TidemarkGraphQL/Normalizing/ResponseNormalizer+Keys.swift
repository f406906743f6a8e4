import Tidemark
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkStore

/// The keys of objects in a response.
extension ResponseNormalizer {
    /// Returns the key of an object.
    ///
    /// - Returns: nil for an embedded object.
    func key(of entry: Int, _ set: Int, _ typename: ByteString, _ collection: Collection) -> GraphQLKey? {
        if let custom = customKey(of: entry, typename) { return custom }
        var id: [UInt8] = []
        let isJoined = collection.keyFields.count > 1
        for (place, keyField) in collection.keyFields.enumerated() {
            // A key field that is not selected may be present all the same, under a name that means nothing else.
            let responseName = keyField.field?.planned.responseName
            if responseName == nil, plan.uses(keyField.name, in: set) { return nil }
            var value = outline.value(named: responseName ?? keyField.name, in: entry)
            // A key selected at several places may lack some of them in a part; the last one present counts.
            for other in collection.otherKeyFields[place] {
                value = outline.value(named: other.planned.responseName, in: entry) ?? value
            }
            guard let value, let part = keyText(value), !part.isEmpty else { return nil }
            if place > 0 { id.append(UInt8(ascii: "+")) }
            KeyText.append(part, isJoined: isJoined, to: &id)
        }
        guard !id.isEmpty, id.count <= RootID.byteCountMax else { return nil }
        return GraphQLKey(type: plan.rules.resourceType(of: typename), id: ByteString(id))
    }

    /// Returns the key that the program defines for an object; nil if the key fields decide.
    private func customKey(of entry: Int, _ typename: ByteString) -> GraphQLKey? {
        guard let cacheKey = plan.rules.cacheKey else { return nil }
        let item = outline[entry]
        do throws(JSONSyntaxError) {
            let object = try JSONValue(parsing: outline.bytes[Int(item.start)..<Int(item.end)])
            guard let id = cacheKey(typename.description, object), 1...RootID.byteCountMax ~= id.utf8.count else {
                return nil
            }
            return GraphQLKey(type: plan.rules.resourceType(of: typename), id: ByteString(id))
        } catch {
            // The bytes are valid; a value that nests too deeply for the program has no key of its own.
            return nil
        }
    }

    /// Returns the entity of an object in data that was read together with its keys.
    func reference(of entry: Int) -> GraphQLKey? {
        guard options.takesReferences, let value = outline.value(named: GraphQLKey.referenceName, in: entry),
            outline.kind(value) == .string
        else { return nil }
        return GraphQLKey(text: ByteString(outline.unescapedName(value)))
    }

    func keyText(_ entry: Int) -> [UInt8]? {
        let item = outline[entry]
        switch item.kind {
        case .string: return outline.unescapedName(entry)
        case .number where item.isInteger: return Array(outline.bytes[Int(item.start)..<Int(item.end)])
        default: return nil
        }
    }
}
