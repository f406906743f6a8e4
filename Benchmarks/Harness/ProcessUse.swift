import Foundation

/// The memory and the writes of this process, as Linux reports them; nil elsewhere.
enum ProcessUse {
    /// Whether the figures of this type are known.
    static var isKnown: Bool { FileManager.default.fileExists(atPath: "/proc/self/io") }

    /// Returns the bytes that this process caused to be written to the disk.
    static func writtenByteCount() -> Double? { number(after: "write_bytes: ", in: "/proc/self/io") }

    /// Returns the most memory that was resident since ``forgetPeak()``, in bytes.
    static func peakByteCount() -> Double? { number(after: "VmHWM:", in: "/proc/self/status").map { $0 * 1_024 } }

    /// Begins the measurement of the peak anew; without the right to do so it goes on.
    static func forgetPeak() {
        do {
            try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
        } catch {
            // The peak is then that of the whole process.
        }
    }

    private static func number(after name: String, in path: String) -> Double? {
        guard let text = String(bytes: FileManager.default.contents(atPath: path) ?? Data(), encoding: .utf8) else {
            return nil
        }
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else { return nil }
        let words = line.dropFirst(name.count).split { $0 == " " || $0 == "\t" }
        return words.first.flatMap { Double($0) }
    }

    /// Returns the size of all files in a folder and the folders in it.
    static func byteCount(of folder: String) -> Double {
        var sum = 0
        let files = FileManager.default.enumerator(
            at: URL(fileURLWithPath: folder), includingPropertiesForKeys: [.fileSizeKey])
        while let file = files?.nextObject() as? URL {
            do {
                sum += try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
            } catch {
                // The file has disappeared meanwhile.
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
