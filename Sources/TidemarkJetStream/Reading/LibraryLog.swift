import TidemarkModel

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One library's log in a stream, as a reader knows it.
struct LibraryLog {
    let library: ByteString
    /// The bytes of its subject.
    let subject: [UInt8]
    /// The library's id as a JSON string.
    let quoted: [UInt8]
    /// The number of the last message that was read; 0 before the first.
    var lastRead: Int64 = 0
    /// Whether the cache has a position of a log that names no epoch: the stream's log begins with a reset.
    var needsReset = false
}

/// The logs of a stream by subject: one for each library that this process reads, as the cache has too.
///
/// Each message asks for its log: nothing is allocated for one whose log is known, or that another process reads.
struct LibraryLogs {
    private let scope: LibraryScope
    /// The named libraries of the scope; nil where the scope names none.
    private let named: Set<ByteString>?
    /// The bytes of a subject before the library's token.
    private let head: [UInt8]
    private var logs: [LibraryLog] = []
    private var places: [ByteString: Int] = [:]
    /// The places by the hashes of their subjects. Of two subjects with one hash the first is here.
    private var placesByHash: [UInt64: Int] = [:]
    /// Unknown to others, who could else choose libraries whose subjects have one hash.
    private let seed = UInt64.random(in: 0...UInt64.max)
    /// The id of the last library that was looked up.
    private var id: [UInt8] = []
    /// The libraries of the cache without an epoch, which were fed in another way before.
    private let withoutEpoch: Set<ByteString>

    init(_ address: JetStreamAddress, withoutEpoch: Set<ByteString>) {
        scope = address.scope
        if case .named(let names) = address.scope { named = Set(names) } else { named = nil }
        head = Array("\(address.prefix).".utf8)
        self.withoutEpoch = withoutEpoch
    }

    /// Forgets what was read: another stream has begun.
    mutating func removeAll() {
        logs = []
        places = [:]
        placesByHash = [:]
    }

    /// The libraries of which a message was read.
    var read: [ByteString] { logs.map(\.library) }

    subscript(place: Int) -> LibraryLog {
        _read { yield logs[place] }
        _modify { yield &logs[place] }
    }

    /// Returns the number of the last message of a library that was read; 0 where none was.
    func lastRead(of library: ByteString) -> Int64 { places[library].map { logs[$0].lastRead } ?? 0 }

    /// Returns the place of a subject's library; nil when the subject names none, or one of another process.
    ///
    /// - Complexity: O(subject).
    mutating func place(of subject: UnsafeRawBufferPointer) -> Int? {
        let hash = Checksum.xxh64(subject, seed: seed)
        if let place = placesByHash[hash], isSubject(subject, of: place) { return place }
        guard subject.starts(with: head),
            LibrarySubject.decode(UnsafeRawBufferPointer(rebasing: subject[head.count...]), into: &id)
        else { return nil }
        if case .shard(let index, let count) = scope, !LibraryScope.isOf(id, index, count) { return nil }
        let library = ByteString(id)
        guard named?.contains(library) ?? true else { return nil }
        // Another subject has its hash.
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
