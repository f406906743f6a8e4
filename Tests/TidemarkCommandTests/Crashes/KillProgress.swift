import Foundation

/// Prints the progress of a long run of kills.
enum KillProgress {
    /// The number of kills between two lines.
    private static let interval = 50

    static func tell(_ count: Int, of total: Int, _ what: String) {
        guard count % interval == 0 else { return }
        FileHandle.standardError.write(Data("\(count) of \(total) kills: \(what)\n".utf8))
    }
}
