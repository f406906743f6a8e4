import Synchronization
import TidemarkModel

/// The part of the stored HTTP answers that callers share with the journal, so that a hit need not wait for its queue.
///
/// | state | changed by | meaning |
/// |---|---|---|
/// | versions | the journal, after a commit | a copy in memory that was read under another version is outdated |
/// | holds | whoever reads or writes a body in chunks | the chunks stay on the disk, also when the answer is removed |
/// | uses | callers | the order in which answers go; written with the next change |
/// | questions | whoever asks or removes | an answer that was outdated on its way is not stored |
///
/// All of it is under one lock, which is held for copies only.
///
/// - Source: docs/data-file.md, HTTP answers.
package final class HTTPLedger: Sendable {
    /// The last use of an answer, and the number of uses that are not written yet.
    package struct Use: Hashable, Sendable {
        package var at: Int64
        package var count: Int64
    }

    private struct State {
        var versions = [UInt64](repeating: 0, count: HTTPLedger.placeCount)
        /// The versions that came of one confirmation alone, and the answer that it was of.
        var confirmations = [Confirmation?](repeating: nil, count: HTTPLedger.placeCount)
        var holds: [Int64: Int] = [:]
        /// The number of files that were replaced: holds on an older file keep nothing.
        var generation = 0
        var uses: [Int64: Use] = [:]
    }

    private struct Confirmation {
        var version: UInt64
        var number: Int64
    }

    private let state = Mutex(State())
    /// The questions under way.
    package let questions = HTTPQuestions()

    /// The number of groups of URLs that have a version of their own.
    private static let placeCount = 256
    /// The number of answers with unwritten uses at which they must be written: 1,000.
    package static let useCountMax = 1_000

    package init() {}

    // MARK: Versions

    /// Returns the group of a URL.
    package static func place(library: ByteString, url: ByteString) -> Int {
        var hasher = Hasher()
        hasher.combine(library)
        hasher.combine(url)
        return Int(UInt(bitPattern: hasher.finalize()) % UInt(placeCount))
    }

    package func version(_ place: Int) -> UInt64 { state.withLock { $0.versions[place] } }

    package func changed(_ places: Set<Int>) {
        state.withLock { state in
            for place in places { state.versions[place] += 1 }
        }
    }

    /// Notes that the head of one answer was replaced by a confirmation, and nothing else changed.
    package func confirmed(_ number: Int64, at place: Int) {
        state.withLock { state in
            state.versions[place] += 1
            state.confirmations[place] = Confirmation(version: state.versions[place], number: number)
        }
    }

    /// Returns the version of a group when the confirmation of one answer is all that changed since another version;
    /// otherwise nil.
    package func version(_ place: Int, onlyConfirmed number: Int64, since version: UInt64) -> UInt64? {
        state.withLock { state in
            guard let last = state.confirmations[place], last.number == number, last.version == version + 1,
                state.versions[place] == last.version
            else { return nil }
            return last.version
        }
    }

    package func changedAll() { changed(Set(0..<HTTPLedger.placeCount)) }

    // MARK: Holds

    /// Keeps the chunks of a body on the disk until the result is released by its last owner.
    package func hold(_ number: Int64) -> HTTPBodyHold {
        let generation = state.withLock { state in
            state.holds[number, default: 0] += 1
            return state.generation
        }
        return HTTPBodyHold(number, generation, self)
    }

    package func isHeld(_ number: Int64) -> Bool { state.withLock { $0.holds[number] != nil } }

    /// Tells whether a hold is on the file that is open: the numbers of another file are other answers.
    package func isCurrent(_ hold: HTTPBodyHold) -> Bool { state.withLock { $0.generation == hold.generation } }

    /// Forgets everything: the file was replaced.
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

    /// The number of answers whose uses are not written.
    package var useCount: Int { state.withLock { $0.uses.count } }

    /// - Returns: false when too many are unwritten: a call of the journal must write them first.
    package func noteUse(_ number: Int64, at instant: Int64) -> Bool {
        state.withLock { state in
            guard state.uses.count < HTTPLedger.useCountMax || state.uses[number] != nil else { return false }
            let old = state.uses[number]
            state.uses[number] = Use(at: max(old?.at ?? instant, instant), count: (old?.count ?? 0) + 1)
            return true
        }
    }

    package func use(_ number: Int64) -> Use? { state.withLock { $0.uses[number] } }

    package var uses: [Int64: Use] { state.withLock { $0.uses } }

    /// Forgets uses that were written. A use that was noted since stays.
    package func written(_ uses: [Int64: Use]) {
        state.withLock { state in
            for (number, use) in uses {
                guard let now = state.uses[number] else { continue }
                state.uses[number] = now.count > use.count ? Use(at: now.at, count: now.count - use.count) : nil
            }
        }
    }
}

/// The claim of one reader or writer on the chunks of a body; it ends with its last reference.
package final class HTTPBodyHold: Sendable {
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

/// A body that is written in chunks before its head: no answer refers to it yet.
package struct HTTPBodyDraft: Hashable, Sendable {
    /// The number that the answer will have.
    package let number: Int64
    package var chunkCount: Int64 = 0
    /// The length of the body so far.
    package var byteCount: Int64 = 0
    /// The bytes that its chunks take on the disk.
    package var storedByteCount: Int64 = 0

    package init(number: Int64) { self.number = number }

    /// The unpacked size of every chunk but the last: 1 MiB.
    package static let chunkByteCount = 1 << 20
}
