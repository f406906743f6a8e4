import Foundation
import Tidemark
import TidemarkModel

/// The findings about a data file, the files beside it, and the machine that it is on.
///
/// ```swift
/// let examination = Examination.of("cache.db")
/// for finding in examination.findings where finding.level >= .warning {
///     print(finding.code.rawValue, finding.what, finding.advice)
/// }
/// ```
///
/// An examination writes neither the database nor its log, and inspects the lock without taking it. It works beside a
/// running writer and on a read-only file. When a log exists, SQLite may create its index (`-shm`) in order to read it.
public struct Examination: Hashable, Sendable {
    /// The absolute path of the data file, with symbolic links resolved.
    public let path: String
    /// The findings, ordered by topic, and within a topic in the order of the checks.
    public internal(set) var findings: [Finding] = []

    init(path: String) {
        self.path = path
    }

    /// The worst level of all findings; ``Finding/Level/ok`` when there are none.
    public var level: Finding.Level { findings.map(\.level).max() ?? .ok }

    /// Returns true if there is a finding with this code.
    public func holds(_ code: FindingCode) -> Bool { findings.contains { $0.code == code } }

    /// Examines a data file.
    ///
    /// - Parameters:
    ///   - path: The path of the data file, which need not exist.
    ///   - encryption: The key of an encrypted file; nil for a file that is not encrypted.
    /// - Returns: The findings. The function never throws: a part that cannot be examined is a finding.
    /// - Complexity: O(bytes of the file), for SQLite's own quick check and the numbers of dictionaries in rows.
    public static func of(_ path: String, encryption: (any DataFileEncryption)? = nil) -> Examination {
        of(path, encryption: encryption, ExaminationConditions())
    }

    /// Examines a data file, with a sentence about the views in it, which this module cannot read.
    ///
    /// - Parameter describe: Returns the sentence, or nil if there is nothing to say. It receives a function that
    ///   returns the sound records of a kind.
    package static func of(
        _ path: String, encryption: (any DataFileEncryption)? = nil,
        describingViews describe: @escaping ViewDescription
    ) -> Examination {
        of(path, encryption: encryption, ExaminationConditions(), describingViews: describe)
    }

    /// See ``of(_:describingViews:)``.
    package typealias ViewDescription = ((ByteString) throws -> [ByteString: [UInt8]]) throws -> String?

    /// Examines a data file under given conditions.
    ///
    /// - Parameter conditions: What the machine reports; tests replace it.
    static func of(
        _ path: String, encryption: (any DataFileEncryption)? = nil, _ conditions: ExaminationConditions,
        describingViews describe: ViewDescription? = nil
    ) -> Examination {
        let file = DataFilePath(path)
        var examination = Examination(path: file.path)
        let sealed: SealedFiles.Use?
        do throws(StorageError) {
            sealed = try SealedFiles.use(file, encryption)
        } catch {
            examination.add(
                .problem, .file, FindingCode(refusal: error.code), error.message, at: file.path, advice: error.advice)
            return examination
        }
        defer { withExtendedLifetime(sealed) {} }
        let header = HeaderCheck(file).findings(into: &examination)
        MachineCheck(file, conditions).look(into: &examination, exists: header != .missing)
        NeighbourCheck(file, conditions).look(into: &examination)
        if case .ours = header { ContentCheck(file, describe).look(into: &examination) }
        return examination
    }

    mutating func add(
        _ level: Finding.Level, _ topic: Finding.Topic, _ code: FindingCode, _ what: String, at place: String = "",
        advice: String = ""
    ) {
        findings.append(Finding(level, topic, code, what, at: place, advice: advice))
    }
}
