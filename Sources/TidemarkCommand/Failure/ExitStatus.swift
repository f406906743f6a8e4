/// The exit status of the process, with the numbers of sysexits.
///
/// - Source: Protocol/errors.md, exit codes; `sysexits.h`.
enum ExitStatus: Int32 {
    case ok = 0
    /// The command line is wrong.
    case usage = 64
    /// Bad lines under `--strict`, or damaged rows for a reader.
    case badData = 65
    /// An input file does not exist.
    case noInput = 66
    /// The upstream cannot be reached.
    case unavailable = 69
    /// A fault in Tidemark.
    case `internal` = 70
    /// A file cannot be created.
    case cannotCreate = 73
    /// Reading or writing failed.
    case inputOutput = 74
    /// Another process holds the lock; a later try may succeed.
    case locked = 75
    /// The database belongs to another program or to a newer Tidemark, or a configuration contradicts itself.
    case configuration = 78
}
