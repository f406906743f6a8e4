import TidemarkJSON
import TidemarkModel

/// Finds the real id of an entity that an edit added, from the event of the edit's mutation.
///
/// - Source: Protocol/optimistic.md, temporary ids.
extension CacheState {
    /// What a mutation's event shows about the entities that the edit added.
    struct Creation {
        /// The real id and the type of the edit's only new entity; nil if the event does not show them.
        var renaming: (id: LayerConfirmation.RealID, type: TypeIndex)?
        /// True if an entity of the edit may have a real id that only the server's response can supply.
        var isOpen: Bool
    }

    /// Returns what an event shows about the entities that the edit of its mutation added.
    ///
    /// - Precondition: The event is not applied yet: what is stored decides which entities are new.
    /// - Returns: nil if the event names no layer, or one that added nothing.
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
        /// The id as a JSON value; nil if the resource has no usable one.
        var json: [UInt8]?
    }

    /// Returns the entities that an event changes; empty for other kinds of events.
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

    /// Returns the id of a resource as a JSON value; nil if it has no usable one.
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

    /// Returns true if an entity existed before an edit, so that the edit cannot have created it.
    ///
    /// This holds if an older edit names it, or if it is stored and the event's resource differs from the one that the
    /// edit added. A response may deliver the new entity before its event; then their fields agree.
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

    /// Returns true if two resources have a field in common besides their ids, and equal values in all such fields.
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
