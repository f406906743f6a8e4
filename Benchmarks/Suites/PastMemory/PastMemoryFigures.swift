import Foundation
import Synchronization

/// The figures that a process of the suite prints, by name.
final class PastMemoryFigures: Sendable {
    private let numbers = Mutex<[String: Double]>([:])

    /// Prints a figure without buffering, so that a reader has it even if this process is killed next.
    static func write(_ name: String, _ value: some CustomStringConvertible) {
        FileHandle.standardOutput.write(Data("\(name)\t\(value)\n".utf8))
    }

    /// Adds the figure of a line, which is a name, a tab and a value. Ignores every other line.
    func add(_ line: ArraySlice<UInt8>) {
        let parts = String(decoding: line, as: UTF8.self).split(separator: "\t")
        guard parts.count == 2, let value = Double(parts[1]) else { return }
        numbers.withLock { $0[String(parts[0])] = value }
    }

    /// Returns the figures so far.
    func values() -> [String: Double] { numbers.withLock { $0 } }
}
