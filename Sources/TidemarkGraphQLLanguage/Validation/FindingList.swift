/// The findings of one validation, up to a limit.
struct FindingList {
    let countMax: Int
    /// The findings in the order of their discovery. Bounded by ``countMax``.
    private(set) var findings: [DocumentFinding] = []

    init(countMax: Int) {
        self.countMax = countMax
    }

    /// True if no further finding is kept, so that the validation can stop.
    var isFull: Bool { findings.count >= countMax }

    var isEmpty: Bool { findings.isEmpty }

    mutating func append(_ rule: DocumentRule, _ message: @autoclosure () -> String, at place: SourcePlace) {
        guard !isFull else { return }
        findings.append(DocumentFinding(rule, message(), at: place))
    }

    /// Returns the findings ordered by place, and equal ones once. Findings at one place keep their order.
    func sorted() -> [DocumentFinding] {
        var seen: Set<DocumentFinding> = []
        return findings.enumerated().sorted { left, right in
            (left.element.place, left.offset) < (right.element.place, right.offset)
        }.map(\.element).filter { seen.insert($0).inserted }
    }
}
