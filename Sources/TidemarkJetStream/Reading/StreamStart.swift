import Tidemark
import TidemarkModel

/// Finds the sequence at which reading begins, from what the cache already has of the stream.
struct StreamStart {
    let api: JetStreamAPI
    let address: JetStreamAddress
    let settings: ReadingSettings
    /// The cache's libraries, with their cursors.
    let known: [LibraryStatus]

    /// The most libraries that are looked up one by one; with more, reading begins with the stream's first message.
    private static let lookupCountMax = 10_000

    /// Returns the sequence of the first message to read.
    ///
    /// Messages between a library's cursor and that sequence do not exist or belong to other libraries. Messages that
    /// are published meanwhile come after `status.lastSequence`, and are read.
    ///
    /// - Throws: ``JetStreamError``.
    func sequence(in status: StreamStatus) throws(JetStreamError) -> Int64 {
        let next = status.lastSequence + 1
        if settings.numbering == .body { return try ofBodies(status, next) }
        let ours = known.filter { address.scope.contains($0.library) && $0.epoch.description == status.epoch }
        if ours.isEmpty { return settings.start == .new ? next : status.firstSequence }
        guard ours.count <= StreamStart.lookupCountMax, status.allowsDirectGets else {
            // Without lookups, only reading from the beginning finds messages of libraries that the cache does not
            // know.
            return status.firstSequence
        }
        var first = next
        for library in ours {
            let cursor = library.cursor?.rawValue ?? 0
            let behind = max(cursor + 1, status.firstSequence)
            guard behind < first else { continue }
            let message = try api.message(of: address.subject(of: library.library), from: behind, in: status.name)
            if let message { first = min(first, message.sequence) }
        }
        return min(first, try firstOfUnknown(Set(ours.map(\.library)), status, before: first))
    }

    /// Returns the sequence of the first message of a library that the cache does not know, or `first` when there is
    /// none before it.
    private func firstOfUnknown(
        _ ours: Set<ByteString>, _ status: StreamStatus, before first: Int64
    ) throws(JetStreamError) -> Int64 {
        var first = first
        let unknown = try api.subjects(of: status.name, filter: address.filter).filter { subject in
            guard let library = LibrarySubject.library(ofSubject: subject, prefix: address.prefix) else { return false }
            return address.scope.contains(library) && !ours.contains(library)
        }
        guard unknown.count <= StreamStart.lookupCountMax else { return status.firstSequence }
        for subject in unknown {
            let message = try api.message(of: subject, from: status.firstSequence, in: status.name)
            if let message { first = min(first, message.sequence) }
        }
        return first
    }

    /// Returns the sequence of the first message whose body has a `sequence` above its library's cursor.
    private func ofBodies(_ status: StreamStatus, _ next: Int64) throws(JetStreamError) -> Int64 {
        let ours = known.filter { address.scope.contains($0.library) && $0.cursor != nil }
        if ours.isEmpty { return settings.start == .new ? next : status.firstSequence }
        guard ours.count <= StreamStart.lookupCountMax, status.allowsDirectGets else { return status.firstSequence }
        var first = try firstOfUnknown(Set(ours.map(\.library)), status, before: next)
        for library in ours {
            let search = BodySearch(api: api, stream: status.name, subject: address.subject(of: library.library))
            let found = try search.first(
                above: library.cursor?.rawValue ?? 0, from: status.firstSequence, before: first)
            first = min(first, found)
        }
        return first
    }
}

/// Finds an event by the `sequence` of its body, which grows within a subject.
struct BodySearch {
    let api: JetStreamAPI
    let stream: String
    let subject: String

    /// Returns the stream sequence of the first message whose body's `sequence` is above `sequence`; `end` when there
    /// is none before it. A body without a `sequence` counts as lower.
    ///
    /// - Complexity: O(log(end - start)) requests.
    /// - Throws: ``JetStreamError``.
    func first(above sequence: Int64, from start: Int64, before end: Int64) throws(JetStreamError) -> Int64 {
        var low = start
        var high = end
        while low < high {
            let middle = low + (high - low) / 2
            guard let message = try api.message(of: subject, from: middle, in: stream), message.sequence < high else {
                high = middle
                continue
            }
            if StreamMessageLine.sequence(of: message.body) ?? 0 > sequence {
                high = middle
            } else {
                low = message.sequence + 1
            }
        }
        return low
    }
}
