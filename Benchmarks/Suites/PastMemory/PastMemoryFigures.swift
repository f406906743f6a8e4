import Foundation
import Synchronization

/// The figures that a process of the suite printed, by name.
final class PastMemoryFigures: Sendable {
    private let numbers = Mutex<[String: Double]>([:])

    /// Writes a figure of this process at once, so that a reader sees it even when the process is killed next.
    static func write(_ name: String, _ value: some CustomStringConvertible) {
        FileHandle.standardOutput.write(Data("\(name)\t\(value)\n".utf8))
    }

    /// Adds a line: a name, a tab and a value. Another line is not a figure.
    func add(_ line: ArraySlice<UInt8>) {
        let parts = String(decoding: line, as: UTF8.self).split(separator: "\t")
        guard parts.count == 2, let value = Double(parts[1]) else { return }
        numbers.withLock { $0[String(parts[0])] = value }
    }

    func values() -> [String: Double] { numbers.withLock { $0 } }
}
