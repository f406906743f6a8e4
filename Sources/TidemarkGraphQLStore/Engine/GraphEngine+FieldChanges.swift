import Tidemark
import TidemarkModel
import TidemarkStore

/// Changes of single fields of entities that a watched document shows: they are told without reading the document
/// again.
///
/// Only values of leaves are told so. A reference, a list or an object that changed, an entity that came or went, and a
/// list that follows a rule have the document read again.
extension GraphEngine {
    /// The news of single fields.
    private struct FieldNews {
        /// Each value with its place in the data, and the operation that tells it.
        var values: [(offset: Int, value: [UInt8])] = []
        var operations: [PatchOperation] = []
        /// The sequences of the places that were looked at.
        var sequences: [(place: Int, EventSequence?)] = []
    }

    /// Tells a watcher what changed in the fields that woke it.
    ///
    /// - Returns: Whether that was all: false when its plan has to be run.
    /// - Complexity: O(fields of the changed entities), and O(places) for `as_of`.
    func tellFields(_ watcher: GraphWatcher, in cache: isolated SyncCache) -> Bool {
        let causes = watcher.causes
        guard !watcher.isEnded, !watcher.isLoading, !watcher.request.refreshes || watcher.plan.isAgeless else {
            return false
        }
        guard !causes.isWhole, !causes.fields.isEmpty, let places = watcher.shown.places, watcher.delivery == nil,
            watcher.failed.isEmpty, watcher.shownMiss == nil, !watcher.isFetching, !watcher.isLagging,
            let news = news(for: watcher, places, in: cache)
        else { return false }
        let status = GraphStatus(
            isStale: watcher.shown.isStale, asOf: places.asOf(with: news.sequences),
            isPending: cache.isLayered(anyOf: watcher.handles.keys), isPartial: false, deferred: [])
        watcher.causes = WakeCauses()
        if tell(watcher, news.operations, status, isForced: false, in: cache) {
            watcher.shown.take(news.values, sequences: news.sequences)
        } else if watcher.isLagging {
            watcher.causes.addWhole()
        }
        return true
    }

    /// - Returns: nil when something other than the value of a leaf changed.
    private func news(
        for watcher: GraphWatcher, _ places: EntityPlaces, in cache: isolated SyncCache
    ) -> FieldNews? {
        var names: [ListHandle: [ByteString]] = [:]
        for (handle, changed) in watcher.causes.fields { names[handle, default: []] += changed }
        var found: [(offset: Int, value: [UInt8], path: ResponsePath)] = []
        var news = FieldNews()
        for (handle, changed) in names {
            let own = watcher.shown.places(of: handle)
            guard let first = own.first else { return nil }
            let key = places.places[first].key.entityKey(in: watcher.library)
            guard case .found(let entity) = cache.graphLook(key, asked: []) else { return nil }
            let source = FieldSource(entity)
            for place in own {
                guard places.places[place].collection >= 0 else { return nil }
                let collection = watcher.plan.collection(places.places[place].collection)
                guard let sequence = source.least(of: collection) else { return nil }
                news.sequences.append((place, sequence.sequence))
                for (number, field) in collection.fields.enumerated()
                where !field.isAdded && changed.contains(field.planned.storageName) {
                    guard let offset = places.offset(number, of: place), let value = source.value(of: field)
                    else { return nil }
                    let isShown = value.withUnsafeBytes { watcher.shown.shows($0, at: offset) }
                    if isShown { continue }
                    // Only a run tells how two objects or two lists differ inside.
                    if value[0] == UInt8(ascii: "{") || value[0] == UInt8(ascii: "[") { return nil }
                    let path = places.path(of: place) + [.name(field.planned.responseName)]
                    found.append((offset, value, path))
                }
            }
        }
        found.sort { $0.offset < $1.offset }
        news.values = found.map { ($0.offset, $0.value) }
        news.operations = found.map { PatchOperation(.replace($0.value), at: $0.path) }
        return news
    }
}

/// The least sequence of some fields; nil when none is known.
private struct LeastSequence {
    var sequence: EventSequence?
}

/// The values of one entity's leaves.
private struct FieldSource: ~Copyable {
    private let entity: GraphEntity
    private let members: MemberStack

    init(_ entity: GraphEntity) {
        self.entity = entity
        var members = MemberStack()
        entity.resource.withUnsafeBytes { StoredScan.open(0..<$0.count, of: $0, into: &members) }
        self.members = members
    }

    /// Returns the value of a leaf; nil for a field that is not there.
    func value(of field: CollectedField) -> [UInt8]? {
        entity.resource.withUnsafeBytes { bytes in
            StoredScan.value(of: field.planned.writtenStorageName, in: members, 0..<members.count, of: bytes).map {
                Array(bytes[$0])
            }
        }
    }

    /// Returns the least sequence of the fields of a collection.
    ///
    /// - Returns: nil when fields inside embedded objects have dates of their own.
    func least(of collection: Collection) -> LeastSequence? {
        let names = collection.storageNames
        if names.isEmpty { return LeastSequence(sequence: nil) }
        if entity.named.isEmpty { return LeastSequence(sequence: entity.sequence) }
        guard !entity.named.keys.contains(where: { $0.bytes.contains(StoragePath.separator) }) else { return nil }
        let known = names.compactMap { name in entity.named[name].map(\.sequence) ?? entity.sequence }
        return LeastSequence(sequence: known.min())
    }
}
