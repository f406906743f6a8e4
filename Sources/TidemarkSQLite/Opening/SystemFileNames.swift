#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Renames files with the system's calls.
package struct SystemFileNames: FileNames {
    /// Creates the port.
    package init() {}

    /// Renames a file, and replaces an existing file with the target name.
    ///
    /// - Returns: 0, or an `errno`.
    package func rename(_ source: String, to target: String) -> Int32 {
        systemRename(source, target) == 0 ? 0 : errno
    }

    /// Makes the names in a folder durable, as far as the file system supports it.
    package func syncFolder(_ folder: String) {
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}

/// Calls the system's `rename`, which the method of that name hides.
private func systemRename(_ source: String, _ target: String) -> Int32 { rename(source, target) }
