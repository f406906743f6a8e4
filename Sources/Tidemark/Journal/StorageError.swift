/// Why a store on disk cannot be opened, read or written.
public struct StorageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is; a program decides by this.
    public enum Code: String, Sendable {
        /// There is no such file.
        case notFound = "not_found"
        /// The file, or the folder around it, cannot be made.
        case cannotCreate = "cannot_create"
        /// Another process has it open for writing.
        case locked = "locked"
        /// A SQLite file of another program.
        case notOurs = "not_ours"
        /// Written by a newer Tidemark.
        case newerFormat = "newer_format"
        /// What was read contradicts itself.
        case damaged = "damaged"
        /// No room on the disk. Writing may succeed later.
        case diskFull = "disk_full"
        /// The disk failed. Writing may succeed later.
        case inputOutput = "input_output"
        /// More of something was asked for than a file may have.
        case limitExceeded = "limit_exceeded"
        /// The store was closed.
        case closed = "closed"
    }

    public var code: Code
    /// What happened, and to which file.
    public var message: String
    /// What the operating system or SQLite said; empty when nothing.
    public var cause: String
    /// What to do about it.
    public var advice: String

    public init(_ code: Code, _ message: String, cause: String = "", advice: String) {
        self.code = code
        self.message = message
        self.cause = cause
        self.advice = advice
    }

    public var description: String {
        cause.isEmpty ? "\(code.rawValue): \(message); \(advice)" : "\(code.rawValue): \(message) (\(cause)); \(advice)"
    }
}
