import Tidemark

/// Examines the first bytes of a data file, without SQLite.
struct HeaderCheck {
    private let file: DataFilePath

    init(_ file: DataFilePath) {
        self.file = file
    }

    /// Examines the header and adds the findings.
    ///
    /// - Returns: What the header shows; `.unmarked` when the file cannot be read.
    func findings(into examination: inout Examination) -> FileHeader {
        let header: FileHeader
        do throws(StorageError) {
            header = try FileHeader.read(file.path)
        } catch {
            examination.add(
                .problem, .file, .unreadable, "\(error.message) (\(error.cause))", at: file.path, advice: error.advice)
            return .unmarked
        }
        let rebuilt = DataFilePath.byteCount(file.replacement) != nil
        switch header {
        case .missing where rebuilt:
            examination.add(
                .problem, .file, .missing, "the file is missing, and the one that is to replace it exists",
                at: file.path,
                advice: "open it for writing, as tidemark verify --repair does: this finishes the replacement")
        case .missing:
            examination.add(
                .problem, .file, .missing, "there is no such file", at: file.path,
                advice: "check the name, or ingest first")
        case .empty:
            examination.add(
                .note, .file, .empty, "the file is empty", at: file.path, advice: "the first writer fills it")
        case .unmarked where !FileTraces.areBeside(file):
            examination.add(
                .problem, .file, .notOurs, "the file is not a database, and no file beside it shows that it was one",
                at: file.path, advice: "a writer refuses it and does not change it: pass another file name")
        case .unmarked, .garbage:
            examination.add(
                .problem, .file, .notDatabase, "the file is not a SQLite database", at: file.path,
                advice:
                    "tidemark verify --repair keeps what can be read; a writer moves it aside and keeps pending edits alone"
            )
        case .foreign, .sealed, .newer, .compressed:
            let refusal = header.refusal(path: file.path)
            let code: FindingCode =
                switch header {
                case .newer: .newerFormat
                case .sealed: .keyNeeded
                case .compressed: .codecMissing
                default: .notOurs
                }
            examination.add(
                .problem, .file, code, refusal?.message ?? "", at: file.path, advice: refusal?.advice ?? "")
        case .ours(let version):
            report(version, &examination)
        }
        return header
    }

    private func report(_ version: Int32, _ examination: inout Examination) {
        if version >= DataFile.rowFormatVersion {
            examination.add(
                .ok, .file, .format, "a Tidemark database of format \(version), a current one", at: file.path)
        } else {
            examination.add(
                .note, .file, .olderFormat,
                "a Tidemark database of format \(version); a writer makes it one of format \(DataFile.rowFormatVersion)",
                at: file.path,
                advice: """
                    the next writer upgrades it in place, and an older Tidemark refuses it afterwards: copy it first if you may \
                    want to go back to the older one
                    """)
        }
    }
}
