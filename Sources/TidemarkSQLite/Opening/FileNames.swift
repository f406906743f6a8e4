/// The port for renaming data files. Through it a test can end the process before and after each rename.
package protocol FileNames: Sendable {
    /// Renames a file, and replaces an existing file with the target name.
    ///
    /// - Returns: 0, or an `errno`.
    func rename(_ source: String, to target: String) -> Int32

    /// Makes the names in a folder durable. Does nothing on a file system that does not support this.
    func syncFolder(_ folder: String)
}
