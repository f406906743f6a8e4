/// One target of fuzzing: a function of any bytes, with the conditions that must hold for them.
///
/// Targets know no fuzzer. The executable `Fuzz` passes the fuzzer's inputs to a target; the tests pass those in
/// `Corpora`.
package struct FuzzTarget: Sendable {
    /// The function that checks an input.
    package enum Check: Sendable {
        case now(@Sendable ([UInt8]) throws -> Void)
        /// A function that runs tasks.
        case later(@Sendable ([UInt8]) async throws -> Void)
    }

    /// The name on the command line, which is also that of the target's folder in `Corpora`.
    package let name: String
    /// The largest size of an input in bytes. Longer inputs find the same faults as shorter ones, more slowly.
    package let byteCountMax: Int
    private let check: Check

    init(_ name: String, byteCountMax: Int, _ check: Check) {
        self.name = name
        self.byteCountMax = byteCountMax
        self.check = check
    }

    /// Tries one input.
    ///
    /// - Throws: ``FuzzFinding`` when a condition does not hold; any other error is a finding, too.
    package func run(_ bytes: [UInt8]) async throws {
        let bytes = Array(bytes.prefix(byteCountMax))
        switch check {
        case .now(let check): try check(bytes)
        case .later(let check): try await check(bytes)
        }
    }

    /// Tries one input on a thread that belongs to no task, and waits until it is done.
    ///
    /// - Throws: The same errors as ``run(_:)``.
    package func runAndWait(_ bytes: [UInt8]) throws {
        let bytes = Array(bytes.prefix(byteCountMax))
        switch check {
        case .now(let check): try check(bytes)
        case .later(let check): try OneOutcome.wait { try await check(bytes) }
        }
    }
}

extension FuzzTarget {
    /// All targets, in the order of their names.
    package static let all = [
        AnswerTarget.target, BlockTarget.target, DatabaseTarget.target, DatabaseTarget.blocksTarget,
        GraphQLTarget.target,
        HTTPTarget.target, LinesTarget.target, MergeTarget.target, MessageTarget.target, ModelTarget.target,
        MultipartTarget.target,
        PatchTarget.target, PayloadTarget.target, PointerTarget.target, PolicyTarget.target, SessionTarget.target,
        ViewTarget.target,
        WhereTarget.target,
    ].sorted { $0.name < $1.name }

    /// Returns a target by its name.
    ///
    /// - Returns: nil when no target has that name.
    package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}
