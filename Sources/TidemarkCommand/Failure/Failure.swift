/// Why a command ends early, in the parts of an error line.
struct Failure: Error, Hashable {
    /// The number that the process ends with.
    var status: ExitStatus
    /// One word that a script can look for, such as `not_found`.
    var code: String
    var what: String
    /// The file, line or option; empty when `what` says it.
    var place: String
    /// What became of the data.
    var outcome: String
    /// What to do now.
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

    /// `tidemark: <code>: <what>; <where>; <what happened to it>; <what to do>`, on one line.
    ///
    /// Everything that came from outside is made printable: a file name or an id must not steer a terminal.
    var line: String {
        let parts = [what, place, outcome, advice].filter { !$0.isEmpty }
        return "tidemark: \(code): " + Printable.text(parts.joined(separator: "; "))
    }

    static func usage(_ what: String, advice: String) -> Failure {
        Failure(.usage, "usage", what, place: "on the command line", outcome: "nothing was done", advice: advice)
    }
}
