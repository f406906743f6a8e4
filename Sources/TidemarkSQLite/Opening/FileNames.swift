/// How files get other names, the one thing that is done to files past SQLite. A port, so that a process can be made to end
/// before and after each of these steps.
package protocol FileNames: Sendable {
    /// Gives a file another name; a file that has that name goes.
    ///
    /// - Returns: 0, or an `errno`.
    func rename(_ source: String, to target: String) -> Int32

    /// Makes the names in a folder survive a power failure. A file system that cannot do that is no error.
    func syncFolder(_ folder: String)
}
