import Foundation

/// The files that `workload.py` wrote. All peers read lines from the file while they use them.
struct Workload: Sendable {
    /// What a correct peer ends up with.
    struct Expected: Decodable {
        /// The number of entities at the end.
        var entities: Int
        /// The number of notifications in the phase of updates and deletions.
        var notifications: Int
        /// The number of events by the name of the file.
        var events: [String: Int]
        /// The number of pairs of an event and a list that contains its entity, by the name of the file.
        var pairs: [String: Int]
    }

    let folder: URL
    let expected: Expected
    /// The ids of each list, in order.
    let lists: [[String]]

    init(_ folder: URL) throws {
        self.folder = folder
        expected = try JSONDecoder().decode(
            Expected.self, from: Data(contentsOf: folder.appending(path: "expected.json")))
        lists = try JSONDecoder().decode(
            [[String]].self, from: Data(contentsOf: folder.appending(path: "queries.json")))
    }

    /// Returns the number of events in files.
    func count(_ names: String...) -> Double {
        Double(names.reduce(0) { $0 + (expected.events[$1] ?? 0) })
    }

    /// Returns the path of a file of lines.
    func path(_ name: String) -> String { folder.appending(path: "\(name).ndjson").path }

    /// Passes each line with its LF to `body`. The bytes are only valid during the call.
    func forEachLine(_ names: String..., body: (UnsafeRawBufferPointer) throws -> Void) throws {
        var buffer: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(buffer) }
        for name in names {
            guard let file = fopen(path(name), "r") else { throw PeerError("cannot read \(path(name))") }
            defer { fclose(file) }
            while true {
                let count = getline(&buffer, &capacity, file)
                guard count > 0, let buffer else { break }
                try body(UnsafeRawBufferPointer(start: buffer, count: count))
            }
        }
    }

    /// Returns the first lines of a small file.
    func lines(_ name: String, countMax: Int = .max) throws -> [Data] {
        var lines: [Data] = []
        try forEachLine(name) { line in
            if lines.count < countMax { lines.append(Data(line)) }
        }
        return lines
    }
}

/// The envelope of a line; `JSONDecoder` reads only the members that are declared here.
struct Envelope<Resource: Decodable>: Decodable {
    struct Event: Decodable {
        var changed: Changed?
        var deleted: Deleted?

        enum CodingKeys: String, CodingKey {
            case changed = "ResourceChanged"
            case deleted = "ResourceDeleted"
        }
    }

    struct Changed: Decodable {
        var resource: Resource
    }

    struct Deleted: Decodable {
        var id: String

        enum CodingKeys: String, CodingKey {
            case id = "resource_id"
        }
    }

    var event: Event
}

/// Passes each line to `handle` when it is due, with the moment at which it was due. It waits by spinning: see
/// `peer.py`.
func pace(_ lines: [Data], rate: Double, handle: (Data, Int64) throws -> Void) rethrows {
    let start = Machine.now()
    for (number, line) in lines.enumerated() {
        let due = start + Int64(Double(number) / rate * 1e9)
        while Machine.now() < due {}
        try handle(line, due)
    }
}
