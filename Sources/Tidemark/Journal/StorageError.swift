/// The journal could not be opened, read or written.
///
/// ```swift
/// do {
///     try await cache.flush()
/// } catch where error.code == .diskFull {
///     print("free some space: \(error.message)")
/// } catch {
///     print(error.message, error.advice)
/// }
/// ```
///
/// - Source: Protocol/errors.md.
public struct StorageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of a failure, for programs to decide by.
    public enum Code: String, Sendable {
        /// The file does not exist.
        case notFound = "not_found"
        /// The file, or its folder, cannot be created.
        case cannotCreate = "cannot_create"
        /// Another process has the file open for writing.
        case locked = "locked"
        /// The file is a SQLite file of another program.
        case notOurs = "not_ours"
        /// The file was written by a newer Tidemark.
        case newerFormat = "newer_format"
        /// The file has data that is compressed by a method that this build does not have.
        case codecMissing = "codec_missing"
        /// The file is encrypted, and no key was given.
        case keyNeeded = "key_needed"
        /// The file is encrypted with another key.
        case wrongKey = "wrong_key"
        /// A key was given, and the file is not encrypted.
        case notEncrypted = "not_encrypted"
        /// The data that was read contradicts itself.
        case damaged = "damaged"
        /// The disk has no free space. Writing may succeed later.
        case diskFull = "disk_full"
        /// The disk failed. Writing may succeed later.
        case inputOutput = "input_output"
        /// The request exceeds a limit of the file.
        case limitExceeded = "limit_exceeded"
        /// The store was closed.
        case closed = "closed"
        /// The store has no file open until it is resumed.
        case suspended = "suspended"
        /// The file is not as the suspended store left it: another program has written it.
        case changed = "changed"
        /// The system refuses access to the file, for example while the device is locked. Reading and writing may
        /// succeed later.
        case protected = "protected"
    }

    /// The kind of the failure.
    public var code: Code
    /// What failed, with the name of the file.
    public var message: String
    /// The message of the operating system or of SQLite; empty when there was none.
    public var cause: String
    /// What the user can do about it.
    public var advice: String

    /// Makes an error.
    public init(_ code: Code, _ message: String, cause: String = "", advice: String) {
        self.code = code
        self.message = message
        self.cause = cause
        self.advice = advice
    }

    /// The code, the message, the cause and the advice in one line.
    public var description: String {
        cause.isEmpty ? "\(code.rawValue): \(message); \(advice)" : "\(code.rawValue): \(message) (\(cause)); \(advice)"
    }
}
