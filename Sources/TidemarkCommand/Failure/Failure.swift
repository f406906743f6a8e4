/// Why a command ends early, in the parts of an error line.
package struct Failure: Error, Hashable {
    /// The exit status of the process.
    var status: ExitStatus
    /// One word for scripts to match, such as `not_found`.
    var code: String
    var what: String
    /// The file, line or option; empty if `what` names it.
    var place: String
    /// What happened to the data; may be empty.
    var outcome: String
    /// What to do next.
    var advice: String

    init(
        _ status: ExitStatus, _ code: String, _ what: String, place: String = "", outcome: String = "", advice: String
    ) {
        self.status = status
        self.code = code
        self.what = what
        self.place = place
        self.outcome = outcome
        self.advice = advice
    }

    /// The error line: `tidemark: <code>: <what>; <where>; <what happened to it>; <what to do>`.
    ///
    /// Control characters are replaced, because a file name or an id must not control a terminal.
    package var line: String {
        let parts = [what, place, outcome, advice].filter { !$0.isEmpty }
        return "tidemark: \(code): " + Printable.text(parts.joined(separator: "; "))
    }

    static func usage(_ what: String, advice: String) -> Failure {
        Failure(.usage, "usage", what, place: "on the command line", outcome: "nothing was done", advice: advice)
    }
}
