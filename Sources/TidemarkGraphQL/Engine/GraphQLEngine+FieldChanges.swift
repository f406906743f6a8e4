import Tidemark
import TidemarkModel
import TidemarkStore

/// Notifications of changes in single fields of watched entities, without reading the document again.
///
/// This works only for the values of leaves. The document is read again if a reference, a list or an object changed, if
/// an entity was added or removed, or for a list with a rule.
extension GraphQLEngine {
    /// Changes of single fields, for one notification.
    private struct FieldNews {
        /// Each value with its offset in the data.
        var values: [(offset: Int, value: [UInt8])] = []
        var operations: [PatchOperation] = []
        /// The sequences of the places that were examined.
        var sequences: [(place: Int, EventSequence?)] = []
    }

    /// Notifies a watcher of the changes in the fields that woke it.
    ///
    /// - Returns: True if that was everything; false if the watcher's plan has to run.
    /// - Complexity: O(fields of the changed entities), and O(places) for `as_of`.
    func tellFields(_ watcher: DocumentWatcher, in cache: isolated SyncCache) -> Bool {
        let causes = watcher.causes
        guard !watcher.isEnded, !watcher.isLoading, !watcher.request.refreshes || watcher.plan.isAgeless else {
            return false
        }
        guard !causes.isWhole, !causes.fields.isEmpty, let places = watcher.shown.places, watcher.delivery == nil,
            watcher.failed.isEmpty, watcher.shownMiss == nil, !watcher.isFetching, !watcher.isLagging,
            let news = news(for: watcher, places, in: cache)
        else { return false }
        let status = GraphQLStatus(
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

    /// Returns the changes of single fields.
    ///
    /// - Returns: nil if something other than the value of a leaf changed.
    private func news(
        for watcher: DocumentWatcher, _ places: EntityPlaces, in cache: isolated SyncCache
    ) -> FieldNews? {
        var names: [ListHandle: [ByteString]] = [:]
        for (handle, changed) in watcher.causes.fields { names[handle, default: []] += changed }
        var found: [(offset: Int, value: [UInt8], path: ResponsePath)] = []
        var news = FieldNews()
        for (handle, changed) in names {
            let own = watcher.shown.places(of: handle)
            guard let first = own.first else { return nil }
            let key = places.places[first].key.entityKey(in: watcher.library)
            let look = cache.withReading(of: watcher.library) { $0.look(key) }
            guard case .found(let entity) = look else { return nil }
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
                    // Only a run of the plan finds the differences inside objects and lists.
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

/// The lowest sequence of some fields; nil if none is known.
private struct LeastSequence {
    var sequence: EventSequence?
}

/// Gives access to the leaves of one entity.
private struct FieldSource: ~Copyable {
    private let entity: DatedEntity
    private let members: MemberStack

    init(_ entity: DatedEntity) {
        self.entity = entity
        var members = MemberStack()
        entity.resource.withUnsafeBytes { StoredScan.open(0..<$0.count, of: $0, into: &members) }
        self.members = members
    }

    /// Returns the value of a leaf; nil if the field is absent.
    func value(of field: CollectedField) -> [UInt8]? {
        entity.resource.withUnsafeBytes { bytes in
            StoredScan.value(of: field.planned.writtenStorageName, in: members, 0..<members.count, of: bytes).map {
                Array(bytes[$0])
            }
        }
    }

    /// Returns the lowest sequence of the fields of a collection.
    ///
    /// - Returns: nil if fields inside embedded objects have dates of their own.
    func least(of collection: Collection) -> LeastSequence? {
        let names = collection.storageNames
        if names.isEmpty { return LeastSequence(sequence: nil) }
        if entity.named.isEmpty { return LeastSequence(sequence: entity.sequence) }
        guard !entity.named.keys.contains(where: { $0.bytes.contains(StoragePath.separator) }) else { return nil }
        let known = names.compactMap { name in entity.named[name].map(\.sequence) ?? entity.sequence }
        return LeastSequence(sequence: known.min())
    }
}
