import Foundation
import FuzzTargets

/// The target that the command line names. It is global, because the fuzzer's callback can capture nothing.
enum FuzzChoice {
    static let name = CommandLine.arguments.dropFirst().first
    static let target = name.flatMap { FuzzTarget.named($0) }

    /// Tries one input. It ends the process when the target finds a fault, so that the fuzzer keeps the input.
    static func tryInput(_ input: UnsafeBufferPointer<UInt8>) {
        do {
            try target?.runAndWait(Array(input))
        } catch {
            FileHandle.standardError.write(Data("\nFOUND: \(error)\n".utf8))
            abort()
        }
    }
}
