import TidemarkModel

/// The requests of layers, as ``LayerStack`` finds them: by the layer that sends for them, and by the temporary ids in
/// their inputs. Bounded by the layers.
struct LayerRequests {
    private struct NamedID: Hashable {
        var library: LibraryIndex
        var id: ByteString
    }

    /// The layers whose inputs another layer sends, by the pending id of the sender.
    private var members: [ByteString: Set<Int64>] = [:]
    /// The layers whose inputs name an id at the place of a temporary one.
    private var naming: [NamedID: Set<Int64>] = [:]
    /// The layers whose request was added, changed or removed since the last call of ``takeChanged()``.
    private var changed: Set<Int64> = []
    /// The layers among `changed` that were removed while nobody knew what became of their requests.
    private var unanswered: Set<Int64> = []

    /// Whether the outbox has changes that its driver has not read.
    var isChanged: Bool { !changed.isEmpty }

    /// Notes the request of a layer, if it has one.
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

    /// Notes that something else about a layer changed that decides whether it may be sent.
    mutating func note(_ number: Int64) { changed.insert(number) }

    /// Returns the layers whose inputs a layer sends, ascending.
    func members(of sender: ByteString) -> [Int64] { (members[sender] ?? []).sorted() }

    func hasMembers(_ sender: ByteString) -> Bool { members[sender] != nil }

    /// Returns the layers of a library whose inputs name an id, ascending.
    func naming(_ id: ByteString, in library: LibraryIndex) -> [Int64] {
        (naming[NamedID(library: library, id: id)] ?? []).sorted()
    }

    mutating func noteUnanswered(_ number: Int64) { unanswered.insert(number) }

    mutating func takeChanged() -> (changed: [Int64], unanswered: Set<Int64>) {
        defer {
            changed = []
            unanswered = []
        }
        return (changed.sorted(), unanswered)
    }
}
