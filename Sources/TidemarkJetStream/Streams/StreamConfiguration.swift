import TidemarkModel
import TidemarkJSON

/// The settings of a stream to create. The subjects are those of the address's prefix, and direct gets are allowed.
public struct StreamConfiguration: Hashable, Sendable {
    /// Where the server stores messages.
    public enum Storage: String, Sendable, CaseIterable {
        /// On the server's disk.
        case file
        /// In the server's memory: a restart loses them.
        case memory
    }

    /// How many servers store a copy: 1, 3 or 5. 1 by default.
    public var replicaCount = 1
    /// Where the server stores messages. Its disk by default.
    public var storage = Storage.file
    /// The most bytes of the stream; past that the server removes the oldest messages. nil, the default, sets no bound.
    public var byteCountMax: Int64?
    /// The most seconds that a message is kept; nil, the default, sets no bound.
    public var ageMax: Double?
    /// For how many seconds the server recognizes a repeated message id. 120, the server's own default.
    public var duplicateWindow = 120.0

    /// Creates the default settings.
    public init() {}

    /// Returns the body of the request `STREAM.CREATE`.
    func request(name: String, subjects: [String]) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("name", ByteString(name))
            line.name("subjects")
            line.array { line in for subject in subjects { line.value(ByteString(subject)) } }
            line.member("retention", "limits" as ByteString)
            line.member("discard", "old" as ByteString)
            line.member("storage", ByteString(storage.rawValue))
            line.member("num_replicas", replicaCount)
            line.member("max_bytes", byteCountMax ?? -1)
            line.member("max_age", Int64((ageMax ?? 0) * 1e9))
            line.member("max_msgs", -1)
            line.member("max_consumers", -1)
            line.member("duplicate_window", Int64(duplicateWindow * 1e9))
            line.member("allow_direct", true)
        }
        return line.bytes
    }
}
