import ArgumentParser
import Tidemark
import TidemarkJSON
import TidemarkModel
import TidemarkSQLite

/// `tidemark verify`: reads and checks everything, and repairs a damaged file.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Read every row and check it.",
        discussion: """
            Checks the database file and the checksum of every entity, query and pending edit, and that counts and \
            indexes agree with the rows, and compares the stored results of views with what their entities give. An entity that a query lists and that is not stored is counted as missing, \
            not as damage. Ends with 0 when nothing is damaged and with 65 otherwise. Changes nothing; may run beside \
            an ingest. Two caches with the same content have the same digest.

            With --repair a damaged file is repaired: every row that passes its check is copied to a new file byte for \
            byte, indexes are rebuilt, and lists that have to be fetched again are marked stale; the damaged file is \
            moved aside. Each step is reported, with what is left to do. A repair needs the writer's lock and free \
            disk space for a second copy. An undamaged file is not changed, and nothing is lost when the process ends \
            during a repair.

            EXAMPLE
              tidemark verify --db cache.db
              tidemark verify --db cache.db --repair
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var format: FormatOptions
    @Flag(name: .customLong("repair"), help: "Repair a damaged file, and keep the damaged one aside.")
    var repairs = false

    func run() async throws {
        if repairs { return try await repair() }
        let report = try ViewCheck.verify(try CacheReader(database)).report
        let output = Output.standard()
        if format.isJSON {
            try output.writeLine(json(report, nil))
        } else {
            try write(report, to: output)
        }
        try output.flush()
        guard report.isSound else {
            throw Failure(
                .badData, "damaged", HumanText.count(report.problemCount, "problem") + " found", place: database.path,
                outcome: "damaged rows count as absent",
                advice: "tidemark verify --repair --db \(database.path) keeps the undamaged rows")
        }
    }

    private func repair() async throws {
        var repair: RepairReport
        let encryption = try database.key.encryption()
        do throws(StorageError) {
            repair = try DataFileRepair.run(path: database.path, encryption: encryption, now: SystemClock().now()) {
                $0.first == UInt8(ascii: "{") && $0.last == UInt8(ascii: "}")
            }
        } catch {
            throw Failure(error, isReader: true)
        }
        try await repairViews(&repair)
        let output = Output.standard()
        if format.isJSON {
            try output.writeLine(json(repair.after, repair))
        } else {
            if repair.before.isSound {
                if repair.steps.isEmpty { try output.writeLine("nothing to repair") }
            } else {
                try output.writeLine(HumanText.count(repair.before.problemCount, "problem") + " found")
            }
            for step in repair.steps { try write(step, to: output) }
            if let movedTo = repair.movedTo {
                try output.writeLine(
                    "the damaged file is kept at \(Printable.text(movedTo)); delete it when you no longer need it")
            }
            try write(repair.after, to: output)
        }
        try output.flush()
        guard repair.after.isSound else {
            throw Failure(
                .internal, "damaged", "the repaired file has problems", place: database.path,
                outcome: "the damaged file is kept beside it", advice: "report it, with both files if they may be seen")
        }
    }

    /// Removes wrong results of views from the file, whose other rows are sound by now.
    private func repairViews(_ repair: inout RepairReport) async throws {
        var (report, wrong) = try ViewCheck.verify(try CacheReader(database))
        if !wrong.isEmpty {
            if repair.before.isSound { repair.before = report }
            repair.steps += try await ViewCheck.remove(wrong, from: database)
            (report, wrong) = try ViewCheck.verify(try CacheReader(database))
        }
        repair.after = report
    }

    private func write(_ step: RepairStep, to output: Output) throws(Failure) {
        try output.writeLine("  " + Printable.text(step.what))
        if !step.advice.isEmpty {
            try output.writeLine("    " + output.style.paint("→ \(Printable.text(step.advice))", .dim))
        }
    }

    private func write(_ report: VerifyReport, to output: Output) throws(Failure) {
        let style = output.style
        for problem in report.problems.prefix(20) {
            try output.writeLine(style.paint(Printable.text(problem.description), .red))
        }
        let verdict = report.isSound ? style.paint("sound", .green) : style.paint("damaged", .red)
        var read = HumanText.count(report.entityCount, "entity", "entities")
        read += " of \(HumanText.byteCount(report.payloadByteCount))"
        if report.queryCount > 0 { read += " and \(HumanText.count(report.queryCount, "query", "queries"))" }
        if report.layerCount > 0 { read += " and \(HumanText.count(report.layerCount, "pending edit"))" }
        if report.viewCount > 0 { read += " and \(HumanText.count(report.viewCount, "result")) of views" }
        let problems = report.isSound ? "nothing wrong" : HumanText.count(report.problemCount, "problem")
        try output.writeLine("\(verdict): \(read) read, \(problems) found")
        if report.missingElementCount > 0 {
            let count = HumanText.count(report.missingElementCount, "element")
            try output.writeLine("\(count) of lists not stored, such as evicted ones; reads miss them")
        }
    }

    private func json(_ report: VerifyReport, _ repair: RepairReport?) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("ok", report.isSound)
            line.member("entities", report.entityCount)
            line.member("payload_bytes", report.payloadByteCount)
            line.member("digest", ByteString(report.digest.description))
            line.member("field_values", report.fieldValueCount)
            line.member("queries", report.queryCount)
            line.member("missing", report.missingElementCount)
            line.member("layers", report.layerCount)
            if report.viewCount > 0 { line.member("views", report.viewCount) }
            line.member("problem_count", report.problemCount)
            line.name("problems")
            line.array { line in
                for problem in report.problems { line.value(ByteString(problem.description)) }
            }
            if let repair { line.repair(repair) }
        }
        return line.bytes
    }
}

extension JSONLine {
    fileprivate mutating func repair(_ repair: RepairReport) {
        name("repair")
        object { line in
            line.member("found", repair.before.problemCount)
            line.member("moved_to", repair.movedTo.map { ByteString($0) })
            line.name("steps")
            line.array { line in
                for step in repair.steps {
                    line.object { line in
                        line.member("what", Optional(ByteString(step.what)))
                        line.member("advice", Optional(ByteString(step.advice)))
                    }
                }
            }
        }
    }
}
