import Synchronization
import TidemarkModel

/// What callers and the journal share about stored HTTP responses, so that a hit need not wait for the journal's queue.
///
/// | state | changed by | meaning |
/// |---|---|---|
/// | versions | the journal, after a commit | a copy in memory that was read under another version is outdated |
/// | holds | whoever reads or writes a body in chunks | the chunks stay on disk, even when the response is removed |
/// | uses | callers | the order of eviction; written with the next change |
/// | questions | whoever requests or removes | a response that was outdated in the meantime is not stored |
///
/// One lock protects all of it, and is held only while values are copied.
///
/// - Source: docs/data-file.md, HTTP answers.
package final class HTTPLedger: Sendable {
    /// When a response was last used, and how many of its uses are not written yet.
    package struct Use: Hashable, Sendable {
        /// When the response was last used, in milliseconds since 1970.
        package var at: Int64
        /// The number of uses that are not written yet.
        package var count: Int64
    }

    private struct State {
        var versions = [UInt64](repeating: 0, count: HTTPLedger.placeCount)
        /// The last confirmation of each group. It counts only while its version is the group's current one.
        var confirmations = [Confirmation?](repeating: nil, count: HTTPLedger.placeCount)
        var holds: [Int64: Int] = [:]
        /// How often the file was replaced. A hold on an older file keeps nothing.
        var generation = 0
        var uses: [Int64: Use] = [:]
    }

    private struct Confirmation {
        var version: UInt64
        var number: Int64
    }

    private let state = Mutex(State())
    /// The HTTP requests that are under way.
    package let questions = HTTPQuestions()

    /// The number of groups of URLs; each group has its own version.
    private static let placeCount = 256
    /// The number of responses with unwritten uses at which these must be written: 1,000.
    package static let useCountMax = 1_000

    /// Creates the state of a journal that was just opened.
    package init() {}

    // MARK: Versions

    /// Returns the version group that a URL belongs to.
    package static func place(library: ByteString, url: ByteString) -> Int {
        var hasher = Hasher()
        hasher.combine(library)
        hasher.combine(url)
        return Int(UInt(bitPattern: hasher.finalize()) % UInt(placeCount))
    }

    /// Returns the current version of a group.
    package func version(_ place: Int) -> UInt64 { state.withLock { $0.versions[place] } }

    /// Outdates copies in memory: raises the versions of groups.
    package func changed(_ places: Set<Int>) {
        state.withLock { state in
            for place in places { state.versions[place] += 1 }
        }
    }

    /// Records that a confirmation replaced the head of one response, and that nothing else in its group changed.
    package func confirmed(_ number: Int64, at place: Int) {
        state.withLock { state in
            state.versions[place] += 1
            state.confirmations[place] = Confirmation(version: state.versions[place], number: number)
        }
    }

    /// Returns the current version of a group if the confirmation of one response is the only change since `version`;
    /// otherwise nil.
    package func version(_ place: Int, onlyConfirmed number: Int64, since version: UInt64) -> UInt64? {
        state.withLock { state in
            guard let last = state.confirmations[place], last.number == number, last.version == version + 1,
                state.versions[place] == last.version
            else { return nil }
            return last.version
        }
    }

    /// Outdates every copy in memory: raises the versions of all groups.
    package func changedAll() { changed(Set(0..<HTTPLedger.placeCount)) }

    // MARK: Holds

    /// Keeps the chunks of a body on disk until the last reference to the result is released.
    package func hold(_ number: Int64) -> HTTPBodyHold {
        let generation = state.withLock { state in
            state.holds[number, default: 0] += 1
            return state.generation
        }
        return HTTPBodyHold(number, generation, self)
    }

    /// Returns true if someone holds the chunks of a body.
    package func isHeld(_ number: Int64) -> Bool { state.withLock { $0.holds[number] != nil } }

    /// Returns true if a hold belongs to the file that is open. In another file its number is another response.
    package func isCurrent(_ hold: HTTPBodyHold) -> Bool { state.withLock { $0.generation == hold.generation } }

    /// Drops all holds and uses, and raises all versions, because the file was replaced.
    package func restart() {
        state.withLock { state in
            state.holds = [:]
            state.uses = [:]
            state.generation += 1
        }
        changedAll()
    }

    fileprivate func release(_ number: Int64, _ generation: Int) {
        state.withLock { state in
            guard state.generation == generation else { return }
            let left = (state.holds[number] ?? 1) - 1
            state.holds[number] = left > 0 ? left : nil
        }
    }

    // MARK: Uses

    /// The number of responses with unwritten uses.
    package var useCount: Int { state.withLock { $0.uses.count } }

    /// Records that a response was used.
    ///
    /// - Parameter instant: When it was used, in milliseconds since 1970.
    /// - Returns: False if too many uses are unwritten; the journal must write them first.
    package func noteUse(_ number: Int64, at instant: Int64) -> Bool {
        state.withLock { state in
            guard state.uses.count < HTTPLedger.useCountMax || state.uses[number] != nil else { return false }
            let old = state.uses[number]
            state.uses[number] = Use(at: max(old?.at ?? instant, instant), count: (old?.count ?? 0) + 1)
            return true
        }
    }

    /// Returns the unwritten uses of a response; nil if there are none.
    package func use(_ number: Int64) -> Use? { state.withLock { $0.uses[number] } }

    /// The unwritten uses, by number of the response.
    package var uses: [Int64: Use] { state.withLock { $0.uses } }

    /// Drops uses that were written. Uses recorded in the meantime stay.
    package func written(_ uses: [Int64: Use]) {
        state.withLock { state in
            for (number, use) in uses {
                guard let now = state.uses[number] else { continue }
                state.uses[number] = now.count > use.count ? Use(at: now.at, count: now.count - use.count) : nil
            }
        }
    }
}

/// One reader's or writer's claim on the chunks of a body. It ends when its last reference is released.
package final class HTTPBodyHold: Sendable {
    /// The number of the response whose chunks are held.
    package let number: Int64
    fileprivate let generation: Int
    private let ledger: HTTPLedger

    fileprivate init(_ number: Int64, _ generation: Int, _ ledger: HTTPLedger) {
        self.number = number
        self.generation = generation
        self.ledger = ledger
    }

    deinit { ledger.release(number, generation) }
}

/// A body that is written in chunks before its head, so that no response refers to it yet.
package struct HTTPBodyDraft: Hashable, Sendable {
    /// The number that the response will have.
    package let number: Int64
    /// How many chunks were written so far.
    package var chunkCount: Int64 = 0
    /// How many bytes of the body were written so far.
    package var byteCount: Int64 = 0
    /// How many bytes the chunks take on disk.
    package var storedByteCount: Int64 = 0

    /// Creates a draft without chunks.
    package init(number: Int64) { self.number = number }

    /// The uncompressed size of every chunk except the last: 1 MiB.
    package static let chunkByteCount = 1 << 20
}
