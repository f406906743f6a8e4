#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Reads a small file whole.
enum FileContents {
    private static let chunkByteCount = 64 << 10

    /// Reads a file.
    ///
    /// - Parameter byteCountMax: Reading stops at most one chunk past this size; the caller refuses a longer file.
    /// - Throws: ``Failure`` with ``ExitStatus/noInput`` if there is no file, with ``ExitStatus/inputOutput`` if it
    ///   cannot be read.
    static func bytes(of path: String, byteCountMax: Int) throws(Failure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path, SystemError.last) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: chunkByteCount)
        while bytes.count <= byteCountMax {
            let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { break }
            if count < 0 {
                let error = SystemError.last
                guard error.isInterrupted else { throw failure(path, error) }
                continue
            }
            bytes += chunk.prefix(count)
        }
        return bytes
    }

    private static func failure(_ path: String, _ error: SystemError) -> Failure {
        error.isNoSuchFile
            ? Failure(
                .noInput, "not_found", "the file does not exist", place: path, outcome: "nothing was read",
                advice: "check the path")
            : Failure(
                .inputOutput, "input_output", "the file cannot be read", place: "\(path): \(error.text)",
                outcome: "nothing was read", advice: "pass a file that you may read")
    }
}
