/// How the process ends, in the numbers of sysexits.
///
/// - Source: Protocol/errors.md, exit codes; `sysexits.h`.
enum ExitStatus: Int32 {
    case ok = 0
    /// The command line makes no sense.
    case usage = 64
    /// Bad lines under `--strict`; damaged rows for a reader.
    case badData = 65
    /// A file that should be read is not there.
    case noInput = 66
    /// The upstream cannot be reached.
    case unavailable = 69
    /// A fault in Tidemark.
    case `internal` = 70
    /// A file cannot be made.
    case cannotCreate = 73
    /// Reading or writing failed.
    case inputOutput = 74
    /// Another process holds the lock; later it may work.
    case locked = 75
    /// The database is another program's, or newer than this Tidemark; a configuration contradicts itself.
    case configuration = 78
}
