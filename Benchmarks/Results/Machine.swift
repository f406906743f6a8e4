import Foundation

/// The machine on which the figures were measured.
struct Machine: Codable, Hashable {
    var processor: String
    var coreCount: Int
    var memoryByteCount: UInt64
    var system: String
    /// The first line of the compiler's version.
    var toolchain: String

    /// Returns this machine.
    static func this() -> Machine {
        let process = ProcessInfo.processInfo
        return Machine(
            processor: processorName(), coreCount: process.activeProcessorCount,
            memoryByteCount: process.physicalMemory, system: "\(kernel()); \(process.operatingSystemVersionString)",
            toolchain: output(of: ["swift", "--version"])?.split(separator: "\n").first.map(String.init) ?? "unknown")
    }

    /// Returns the commit of the working folder, with `+` after it when files were changed.
    static func commit() -> String? {
        guard let commit = output(of: ["git", "rev-parse", "--short=12", "HEAD"]) else { return nil }
        let changes = output(of: ["git", "status", "--porcelain", "--untracked-files=no"]) ?? ""
        return commit + (changes.isEmpty ? "" : "+")
    }

    private static func processorName() -> String {
        #if os(Linux)
            let lines = FileManager.default.contents(atPath: "/proc/cpuinfo").map {
                String(decoding: $0, as: UTF8.self)
            }
            let line = lines?.split(separator: "\n").first { $0.hasPrefix("model name") }
            return line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown"
        #else
            return output(of: ["sysctl", "-n", "machdep.cpu.brand_string"]) ?? "unknown"
        #endif
    }

    private static func kernel() -> String { output(of: ["uname", "-srm"]) ?? "unknown" }

    /// Returns the output of a command without surrounding white space; nil when the command cannot be run or fails.
    private static func output(of command: [String]) -> String? {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            return nil
        }
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { return nil }
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
