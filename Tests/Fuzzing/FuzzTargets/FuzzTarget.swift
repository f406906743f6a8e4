/// One thing that a fuzzer tries: any bytes, and what has to hold of them.
///
/// Nothing here knows of a fuzzer. The executable `Fuzz` gives a target what the fuzzer makes up; the tests give it what is
/// kept in `Corpora`.
package struct FuzzTarget: Sendable {
    /// What looks at an input.
    package enum Check: Sendable {
        case now(@Sendable ([UInt8]) throws -> Void)
        /// Runs tasks.
        case later(@Sendable ([UInt8]) async throws -> Void)
    }

    /// The name that it is asked for by, and that its folder of `Corpora` has.
    package let name: String
    /// Longer inputs are not tried: they find nothing that shorter ones do not, more slowly.
    package let byteCountMax: Int
    private let check: Check

    init(_ name: String, byteCountMax: Int, _ check: Check) {
        self.name = name
        self.byteCountMax = byteCountMax
        self.check = check
    }

    /// Tries one input.
    ///
    /// - Throws: ``FuzzFinding`` when something that has to hold does not; whatever else is thrown is a finding, too.
    package func run(_ bytes: [UInt8]) async throws {
        let bytes = Array(bytes.prefix(byteCountMax))
        switch check {
        case .now(let check): try check(bytes)
        case .later(let check): try await check(bytes)
        }
    }

    /// Tries one input on a thread that belongs to no task, and waits until it is done.
    ///
    /// - Throws: As ``run(_:)``.
    package func runAndWait(_ bytes: [UInt8]) throws {
        let bytes = Array(bytes.prefix(byteCountMax))
        switch check {
        case .now(let check): try check(bytes)
        case .later(let check): try OneOutcome.wait { try await check(bytes) }
        }
    }
}

extension FuzzTarget {
    /// All of them, in the order of their names.
    package static let all = [
        DatabaseTarget.target, GraphQLTarget.target, LinesTarget.target, MergeTarget.target, ModelTarget.target,
        PatchTarget.target,
        PayloadTarget.target,
        PointerTarget.target, PolicyTarget.target, SessionTarget.target, WhereTarget.target,
    ].sorted { $0.name < $1.name }

    /// - Returns: nil when none has that name.
    package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}
