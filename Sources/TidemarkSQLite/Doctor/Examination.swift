import Foundation

/// What a look at a data file and everything around it found.
///
/// ```swift
/// let examination = Examination.of("cache.db")
/// if examination.level == .problem { print(examination.findings) }
/// ```
///
/// Nothing is written: neither the database nor its log, and the lock is looked at, not taken. It works beside a running
/// writer and on a file that may only be read. Where a log is there, SQLite may make its index (`-shm`) to read it.
public struct Examination: Hashable, Sendable {
    /// Absolute, symbolic links resolved.
    public let path: String
    /// In the order of the topics, and of the looks within each.
    public internal(set) var findings: [Finding] = []

    init(path: String) {
        self.path = path
    }

    /// The worst of all; ``Finding/Level/ok`` without any.
    public var level: Finding.Level { findings.map(\.level).max() ?? .ok }

    /// Whether something of this code was found.
    public func holds(_ code: FindingCode) -> Bool { findings.contains { $0.code == code } }

    /// Looks at a data file.
    ///
    /// - Parameter path: Need not exist.
    /// - Returns: Never an error: what cannot be looked at is a finding.
    /// - Complexity: O(bytes of the file), for SQLite's own quick check and the numbers of dictionaries in rows.
    public static func of(_ path: String) -> Examination {
        of(path, ExaminationConditions())
    }

    /// - Parameter conditions: What the machine says; tests say something else.
    static func of(_ path: String, _ conditions: ExaminationConditions) -> Examination {
        let file = DataFilePath(path)
        var examination = Examination(path: file.path)
        let header = HeaderLook(file).findings(into: &examination)
        MachineLook(file, conditions).look(into: &examination, exists: header != .missing)
        NeighbourLook(file, conditions).look(into: &examination)
        if case .ours = header { ContentLook(file).look(into: &examination) }
        return examination
    }

    mutating func add(
        _ level: Finding.Level, _ topic: Finding.Topic, _ code: FindingCode, _ what: String, at place: String = "",
        advice: String = ""
    ) {
        findings.append(Finding(level, topic, code, what, at: place, advice: advice))
    }
}
