import TidemarkModel

/// The real id of an entity that an edit added, as the event of the edit's mutation tells it.
///
/// - Source: Protocol/optimistic.md, temporary ids.
extension CacheState {
    /// The conclusion from a mutation's event about the entities that the edit added.
    struct Creation {
        /// The real id of the edit's one new entity, and the entity's type; nil when the event tells none.
        var renaming: (id: LayerConfirmation.RealID, type: TypeIndex)?
        /// Whether an entity of the edit may have a real id that only the server's answer tells.
        var isOpen: Bool
    }

    /// Returns what an event tells about the entities that the edit of its mutation added.
    ///
    /// - Precondition: The event is not applied yet: what is stored decides which entities are new.
    /// - Returns: nil when the event names no layer, or one that added nothing.
    func creation(in view: EventView, in library: LibraryIndex) -> Creation? {
        guard !layers.isEmpty, let text = view.text(view.event.mutationID),
            let layer = layers.layer(named: ByteString(text)), layer.library == library
        else { return nil }
        let group = layers.group(of: layer)
        let added = addedKeys(of: group)
        guard !added.isEmpty else { return nil }
        let members = members(of: view, in: library)
        let ids = Set(members.map(\.key))
        guard !ids.isSuperset(of: added.map(\.key)) else { return Creation(isOpen: false) }
        guard added.count == 1, let own = added.first, ids.count == 1, let member = members.last,
            member.key.type == own.key.type, let json = member.json,
            !group.contains(where: { $0.changes.contains { $0.key == member.key } }),
            !isOlder(member.key, than: layer, own.resource, member.resource)
        else { return Creation(isOpen: true) }
        let id = LayerConfirmation.RealID(temporary: own.key.id.text, real: member.key.id.text, json: json)
        guard !wouldOverfillLayers([id], in: library) else { return Creation(isOpen: true) }
        return Creation(renaming: (id, own.key.type), isOpen: false)
    }

    /// Returns the entities that layers add: those that they put and do not delete, and that the base does not have.
    private func addedKeys(of group: [Layer]) -> [(key: StoredKey, resource: [UInt8])] {
        var resources: [StoredKey: [UInt8]] = [:]
        var order: [StoredKey] = []
        for change in group.flatMap(\.changes) {
            switch change {
            case .put(let key, let resource):
                if resources.updateValue(resource, forKey: key) == nil { order.append(key) }
            case .delete(let key, _): resources[key] = nil
            case .patch, .merge, .removeField: continue
            }
        }
        var found: [(key: StoredKey, resource: [UInt8])] = []
        for key in order {
            guard let resource = resources.removeValue(forKey: key), tombstones[key] == nil,
                withIdentity(key, { entities.find($0) == nil && !residency.wasEvicted($0) })
            else { continue }
            found.append((key, resource))
        }
        return found
    }

    private struct CreatedMember {
        var key: StoredKey
        var resource: [UInt8]
        /// The id as a JSON value; nil when the resource has none that can be used.
        var json: [UInt8]?
    }

    /// Returns the entities of an event that changes some.
    private func members(of view: EventView, in library: LibraryIndex) -> [CreatedMember] {
        guard view.event.kind == .changed || view.event.kind == .batchChanged, !view.event.type.isAbsent,
            let type = types.index(of: ByteString(view.bytes[view.event.type]))
        else { return [] }
        return view.ownMembers.filter { $0.reason == nil }.map { member in
            let identity = identity(of: member, in: view, library: library, type: type)
            let resource = view.bytes[member.resource]
            return CreatedMember(
                key: identity.storedKey, resource: Array(resource), json: CacheState.id(of: resource))
        }
    }

    /// Returns the id of a resource as a JSON value.
    private static func id(of resource: UnsafeRawBufferPointer) -> [UInt8]? {
        let object = JSONObject(resource, range: 0..<resource.count)
        for name in ["id", "uuid"] as [StaticString] {
            guard let range = object.value(named: name), resource[range.lowerBound] != UInt8(ascii: "n") else {
                continue
            }
            let json = Array(resource[range])
            let isInteger = json.withUnsafeBytes { CompactJSON.isInteger($0) }
            return isInteger || json.first == UInt8(ascii: "\"") ? json : nil
        }
        return nil
    }

    /// Tells whether an entity was there before an edit, so that the edit cannot have made it.
    ///
    /// An older edit names it, or it is stored and the event's resource is not the one that the edit added: an answer
    /// may bring the new entity before its event does, and then their fields agree.
    private func isOlder(_ key: StoredKey, than layer: Layer, _ added: [UInt8], _ resource: [UInt8]) -> Bool {
        if let handle = queries.keys.handle(of: key), queries.keys.isLayered(handle),
            let oldest = layers.layers(over: handle).first, oldest.number < layer.number
        {
            return true
        }
        if tombstones[key] != nil { return true }
        guard withIdentity(key, { entities.find($0) != nil || residency.wasEvicted($0) }) else { return false }
        return !CacheState.agree(added, resource)
    }

    /// Tells whether two resources have a field in common, beside their ids, and equal values in all such fields.
    private static func agree(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.withUnsafeBytes { one in
            other.withUnsafeBytes { other in
                let (left, right) = (JSONObject(one, range: 0..<one.count), JSONObject(other, range: 0..<other.count))
                var isShared = false
                for name in JSONObject.fieldNames(of: one) where name != "id" && name != "uuid" {
                    let places = name.bytes.withUnsafeBytes { (left.position(named: $0), right.position(named: $0)) }
                    guard let mine = places.0, let theirs = places.1 else { continue }
                    guard one[left.members[mine].value].elementsEqual(other[right.members[theirs].value]) else {
                        return false
                    }
                    isShared = true
                }
                return isShared
            }
        }
    }
}
