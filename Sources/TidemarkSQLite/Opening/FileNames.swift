/// The port for renaming files, the only file operation outside of SQLite. Through this port a test can end the process
/// before and after each rename.
package protocol FileNames: Sendable {
    /// Renames a file; an existing file with the target name is replaced.
    ///
    /// - Returns: 0, or an `errno`.
    func rename(_ source: String, to target: String) -> Int32

    /// Makes the names in a folder survive a power failure. A file system that does not support this is no error.
    func syncFolder(_ folder: String)
}
