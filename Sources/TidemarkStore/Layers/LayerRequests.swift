import TidemarkModel

/// Finds the requests of layers: by the layer that sends for others, and by the temporary ids in their inputs. The
/// layers bound it.
struct LayerRequests {
    private struct NamedID: Hashable {
        var library: LibraryIndex
        var id: ByteString
    }

    /// The layers whose inputs another layer sends, by the pending id of that layer.
    private var members: [ByteString: Set<Int64>] = [:]
    /// The layers whose inputs have an id at the place of a temporary one.
    private var naming: [NamedID: Set<Int64>] = [:]
    /// The layers whose request was added, changed or removed since the last ``takeChanged()``.
    private var changed: Set<Int64> = []
    /// The layers in `changed` that were removed before their requests had an answer.
    private var unanswered: Set<Int64> = []

    /// True if the outbox has changes that its driver has not taken.
    var isChanged: Bool { !changed.isEmpty }

    /// Adds the request of a layer, if it has one.
    mutating func add(_ layer: Layer) {
        guard let sending = layer.sending else { return }
        changed.insert(layer.number)
        if let sender = sending.sentWith { members[sender, default: []].insert(layer.number) }
        for id in sending.namedIDs { naming[NamedID(library: layer.library, id: id), default: []].insert(layer.number) }
    }

    /// Removes the request of a layer. The other layers of its group stay.
    mutating func remove(_ layer: Layer) {
        guard let sending = layer.sending else { return }
        changed.insert(layer.number)
        if let sender = sending.sentWith {
            members[sender]?.remove(layer.number)
            if members[sender]?.isEmpty == true { members[sender] = nil }
        }
        for id in sending.namedIDs {
            let name = NamedID(library: layer.library, id: id)
            naming[name]?.remove(layer.number)
            if naming[name]?.isEmpty == true { naming[name] = nil }
        }
    }

    /// Records another change of a layer that decides whether its request may be sent.
    mutating func note(_ number: Int64) { changed.insert(number) }

    /// Returns the layers whose inputs a layer sends, ascending.
    func members(of sender: ByteString) -> [Int64] { (members[sender] ?? []).sorted() }

    /// Returns true if a layer sends the inputs of others.
    func hasMembers(_ sender: ByteString) -> Bool { members[sender] != nil }

    /// Returns the layers of a library whose inputs name an id, ascending.
    func naming(_ id: ByteString, in library: LibraryIndex) -> [Int64] {
        (naming[NamedID(library: library, id: id)] ?? []).sorted()
    }

    /// Records that a layer is removed before its request has an answer.
    mutating func noteUnanswered(_ number: Int64) { unanswered.insert(number) }

    /// Removes and returns the layers whose requests changed, ascending, and those of them without an answer.
    mutating func takeChanged() -> (changed: [Int64], unanswered: Set<Int64>) {
        defer {
            changed = []
            unanswered = []
        }
        return (changed.sorted(), unanswered)
    }
}
