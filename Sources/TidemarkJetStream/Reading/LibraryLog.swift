import TidemarkModel

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What a reader knows of one library's log in a stream.
struct LibraryLog {
    let library: ByteString
    /// The subject in UTF-8.
    let subject: [UInt8]
    /// The library's id as a JSON string.
    let quoted: [UInt8]
    /// The stream sequence of the library's last message read; 0 before the first.
    var lastRead: Int64 = 0
    /// True if the cache's position belongs to a log without an epoch, so a reset must precede the first message.
    var needsReset = false
}

/// A stream's logs by subject, one for each library that this process reads. Grows with the libraries of the cache.
///
/// Each message looks up its log. A lookup allocates nothing if the log is known or another process reads it.
struct LibraryLogs {
    private let scope: LibraryScope
    /// The libraries that the scope names; nil if it names none.
    private let named: Set<ByteString>?
    /// The bytes of each subject before the library's token.
    private let head: [UInt8]
    private var logs: [LibraryLog] = []
    private var places: [ByteString: Int] = [:]
    /// The indices of logs by the hashes of their subjects. Of two subjects with one hash, only the first is here.
    private var placesByHash: [UInt64: Int] = [:]
    /// Random, so that nobody can choose libraries whose subjects collide.
    private let seed = UInt64.random(in: 0...UInt64.max)
    /// The id of the last library looked up; reused memory.
    private var id: [UInt8] = []
    /// The cache's libraries that have a cursor and no epoch: something other than this stream fed them.
    private let withoutEpoch: Set<ByteString>

    init(_ address: JetStreamAddress, withoutEpoch: Set<ByteString>) {
        scope = address.scope
        if case .named(let names) = address.scope { named = Set(names) } else { named = nil }
        head = Array("\(address.prefix).".utf8)
        self.withoutEpoch = withoutEpoch
    }

    /// Removes all logs, because another stream has begun.
    mutating func removeAll() {
        logs = []
        places = [:]
        placesByHash = [:]
    }

    /// The libraries with at least one message in the stream so far.
    var read: [ByteString] { logs.map(\.library) }

    subscript(place: Int) -> LibraryLog {
        _read { yield logs[place] }
        _modify { yield &logs[place] }
    }

    /// Returns the stream sequence of a library's last message read; 0 before the first.
    func lastRead(of library: ByteString) -> Int64 { places[library].map { logs[$0].lastRead } ?? 0 }

    /// Returns the index of the log of a subject, which is added if new; nil when the subject encodes no library, or
    /// one that another process reads.
    ///
    /// - Complexity: O(length of the subject).
    mutating func place(of subject: UnsafeRawBufferPointer) -> Int? {
        let hash = Checksum.xxh64(subject, seed: seed)
        if let place = placesByHash[hash], isSubject(subject, of: place) { return place }
        guard subject.starts(with: head),
            LibrarySubject.decode(UnsafeRawBufferPointer(rebasing: subject[head.count...]), into: &id)
        else { return nil }
        if case .shard(let index, let count) = scope, !LibraryScope.isOf(id, index, count) { return nil }
        let library = ByteString(id)
        guard named?.contains(library) ?? true else { return nil }
        // The log is known, but another subject has the same hash.
        if let place = places[library] { return place }
        let place = logs.count
        places[library] = place
        if placesByHash[hash] == nil { placesByHash[hash] = place }
        logs.append(
            LibraryLog(
                library: library, subject: Array(subject), quoted: quoted(library),
                needsReset: withoutEpoch.contains(library)))
        return place
    }

    private func isSubject(_ subject: UnsafeRawBufferPointer, of place: Int) -> Bool {
        logs[place].subject.withUnsafeBytes { known in
            guard known.count == subject.count, let left = known.baseAddress, let right = subject.baseAddress else {
                return false
            }
            return memcmp(left, right, known.count) == 0
        }
    }
}
