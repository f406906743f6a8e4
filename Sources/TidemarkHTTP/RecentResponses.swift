import Synchronization
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

/// The responses that were used most recently, in memory, so that a hit needs neither the disk nor its queue.
///
/// A copy is valid while its URL has the version under which it was read. Bounded by ``byteCountMax``: at half of it
/// the older half is dropped, except for the entries used since.
final class RecentResponses: Sendable {
    private struct Place: Hashable {
        var library: ByteString
        var url: ByteString
    }

    private struct Entry {
        var version: UInt64
        var answers: [HTTPResponseStore.Stored]
        var bodies: [Int64: [UInt8]] = [:]

        var byteCount: Int {
            512 + answers.reduce(0) { $0 + 2 * $1.record.head.count } + bodies.values.reduce(0) { $0 + $1.count }
        }
    }

    /// The entries in two halves, with the size of the newer half.
    private struct State {
        var new: [Place: Entry] = [:]
        var old: [Place: Entry] = [:]
        var byteCount = 0
    }

    private let ledger: HTTPLedger
    private let state = Mutex(State())

    /// The size of all copies in bytes: 8 MiB.
    static let byteCountMax = 8 << 20
    /// The largest body that is kept, in bytes: 64 KiB.
    static let bodyByteCountMax = 64 << 10

    init(_ ledger: HTTPLedger) { self.ledger = ledger }

    func version(_ library: ByteString, _ url: ByteString) -> UInt64 {
        ledger.version(HTTPLedger.place(library: library, url: url))
    }

    /// Returns the responses of a URL.
    ///
    /// - Returns: nil if the disk must be read.
    func answers(_ library: ByteString, _ url: ByteString) -> [HTTPResponseStore.Stored]? {
        entry(library, url)?.answers
    }

    /// Returns a body and records its use; nil if the disk must be read.
    func body(_ number: Int64, _ library: ByteString, _ url: ByteString, usedAt: Int64) -> [UInt8]? {
        guard let body = entry(library, url)?.bodies[number], ledger.noteUse(number, at: usedAt) else { return nil }
        return body
    }

    private func entry(_ library: ByteString, _ url: ByteString) -> Entry? {
        let version = version(library, url)
        let place = Place(library: library, url: url)
        return state.withLock { state in
            if let entry = state.new[place] { return entry.version == version ? entry : nil }
            guard let entry = state.old.removeValue(forKey: place), entry.version == version else { return nil }
            RecentResponses.put(entry, place, &state)
            return entry
        }
    }

    /// Updates the head of a response after a confirmation. The copy is outdated if its URL had another change, or the
    /// confirmation was not recorded.
    func confirmed(_ stored: HTTPResponseStore.Stored) {
        let record = stored.record
        let place = Place(library: record.library, url: record.url)
        let group = HTTPLedger.place(library: record.library, url: record.url)
        state.withLock { state in
            guard var entry = state.new[place] ?? state.old[place],
                let version = ledger.version(group, onlyConfirmed: record.number, since: entry.version),
                let index = entry.answers.firstIndex(where: { $0.record.number == record.number })
            else { return }
            entry.version = version
            entry.answers[index] = stored
            state.old[place] = nil
            RecentResponses.put(entry, place, &state)
        }
    }

    /// Keeps the responses of a URL.
    ///
    /// - Parameter version: The version of the URL before the disk was read.
    func remember(
        _ answers: [HTTPResponseStore.Stored], _ library: ByteString, _ url: ByteString, _ version: UInt64
    ) {
        let entry = Entry(version: version, answers: answers)
        guard entry.byteCount <= RecentResponses.byteCountMax / 16 else { return }
        state.withLock { RecentResponses.put(entry, Place(library: library, url: url), &$0) }
    }

    func remember(
        _ body: [UInt8], of number: Int64, _ library: ByteString, _ url: ByteString, _ version: UInt64
    ) {
        guard body.count <= RecentResponses.bodyByteCountMax else { return }
        let place = Place(library: library, url: url)
        state.withLock { state in
            guard var entry = state.new[place], entry.version == version,
                entry.byteCount + body.count <= RecentResponses.byteCountMax / 16
            else { return }
            entry.bodies[number] = body
            RecentResponses.put(entry, place, &state)
        }
    }

    private static func put(_ entry: Entry, _ place: Place, _ state: inout State) {
        if let before = state.new.updateValue(entry, forKey: place) { state.byteCount -= before.byteCount }
        state.byteCount += entry.byteCount
        guard state.byteCount > byteCountMax / 2 else { return }
        state.old = state.new
        state.new = [:]
        state.byteCount = 0
    }
}
