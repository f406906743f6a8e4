import Foundation

/// The memory and the writes of this process, as Linux reports them; nil elsewhere.
enum ProcessUse {
    /// Whether the system reports these figures.
    static var isKnown: Bool { FileManager.default.fileExists(atPath: "/proc/self/io") }

    /// Returns the number of bytes that this process caused to be written to the disk.
    static func writtenByteCount() -> Double? { number(after: "write_bytes: ", in: "/proc/self/io") }

    /// Returns the peak of the resident memory since ``forgetPeak()``, in bytes.
    static func peakByteCount() -> Double? { number(after: "VmHWM:", in: "/proc/self/status").map { $0 * 1_024 } }

    /// Resets the peak to the current memory. Does nothing if the process may not reset it.
    static func forgetPeak() {
        do {
            try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
        } catch {
            // The peak then covers the whole life of the process.
        }
    }

    /// Returns the first number after a name in a file of `/proc`.
    private static func number(after name: String, in path: String) -> Double? {
        guard let text = String(bytes: FileManager.default.contents(atPath: path) ?? Data(), encoding: .utf8) else {
            return nil
        }
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else { return nil }
        let words = line.dropFirst(name.count).split { $0 == " " || $0 == "\t" }
        return words.first.flatMap { Double($0) }
    }

    /// Returns the total size of all files in a folder and its subfolders, in bytes.
    static func byteCount(of folder: String) -> Double {
        var sum = 0
        let files = FileManager.default.enumerator(
            at: URL(fileURLWithPath: folder), includingPropertiesForKeys: [.fileSizeKey])
        while let file = files?.nextObject() as? URL {
            do {
                sum += try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
            } catch {
                // The file was deleted in the meantime.
            }
        }
        return Double(sum)
    }

    /// Drops the clean pages of all files in a folder from the system's cache.
    static func dropCache(of folder: String) {
        #if os(Linux)
            let files = FileManager.default.enumerator(
                at: URL(fileURLWithPath: folder), includingPropertiesForKeys: nil)
            while let file = files?.nextObject() as? URL {
                let descriptor = open(file.path, O_RDONLY)
                guard descriptor >= 0 else { continue }
                _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
                close(descriptor)
            }
        #endif
    }
}
