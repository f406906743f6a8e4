import TidemarkModel

/// One library's log in a stream, as a reader knows it.
struct LibraryLog {
    let library: ByteString
    /// The library's id as a JSON string.
    let quoted: [UInt8]
    /// The number of the last message that was read; 0 before the first.
    var lastRead: Int64 = 0
    /// Whether the cache has a position of a log that names no epoch: the stream's log begins with a reset.
    var needsReset = false
}

/// The logs of a stream by subject: one for each library that this process reads, as the cache has too.
struct LibraryLogs {
    private let address: JetStreamAddress
    private var logs: [LibraryLog] = []
    private var places: [ByteString: Int] = [:]
    /// The subject of the last message and its place: messages of one library often come together.
    private var last: (subject: [UInt8], place: Int?)?
    /// The libraries of the cache without an epoch, which were fed in another way before.
    private let withoutEpoch: Set<ByteString>

    init(_ address: JetStreamAddress, withoutEpoch: Set<ByteString>) {
        self.address = address
        self.withoutEpoch = withoutEpoch
    }

    /// Forgets what was read: another stream has begun.
    mutating func removeAll() {
        logs = []
        places = [:]
        last = nil
    }

    /// The libraries of which a message was read.
    var read: [ByteString] { logs.map(\.library) }

    subscript(place: Int) -> LibraryLog {
        get { logs[place] }
        set { logs[place] = newValue }
    }

    /// Returns the number of the last message of a library that was read; 0 where none was.
    func lastRead(of library: ByteString) -> Int64 {
        places[ByteString(address.subject(of: library))].map { logs[$0].lastRead } ?? 0
    }

    /// Returns the place of a subject's library; nil when the subject names none, or one of another process.
    ///
    /// - Complexity: O(subject).
    mutating func place(of subject: UnsafeRawBufferPointer) -> Int? {
        if let last, last.subject.count == subject.count, last.subject.elementsEqual(subject) { return last.place }
        let name = ByteString(subject)
        let place = places[name] ?? admit(name)
        last = (name.bytes, place)
        return place
    }

    private mutating func admit(_ name: ByteString) -> Int? {
        guard let library = LibrarySubject.library(ofSubject: name.description, prefix: address.prefix),
            address.scope.contains(library)
        else { return nil }
        places[name] = logs.count
        logs.append(
            LibraryLog(library: library, quoted: quoted(library), needsReset: withoutEpoch.contains(library)))
        return logs.count - 1
    }
}
