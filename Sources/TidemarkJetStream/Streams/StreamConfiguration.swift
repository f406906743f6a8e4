import TidemarkModel
import TidemarkWire

/// The settings of a stream that is to be made.
public struct StreamConfiguration: Hashable, Sendable {
    public enum Storage: String, Sendable, CaseIterable {
        case file
        case memory
    }

    /// The servers that hold a copy: 1, 3 or 5.
    public var replicaCount = 1
    public var storage = Storage.file
    /// The largest size of the stream in bytes; nil: no bound.
    public var byteCountMax: Int64?
    /// The largest age of a message in seconds; nil: no bound.
    public var ageMax: Double?
    /// The seconds in which a message id is recognized again. 2 minutes are the server's default.
    public var duplicateWindow = 120.0

    public init() {}

    /// The body of `STREAM.CREATE`.
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
