import Foundation
import FuzzTargets

/// The target that the command line names. Global, because what the fuzzer calls can hold on to nothing.
enum FuzzChoice {
    static let name = CommandLine.arguments.dropFirst().first
    static let target = name.flatMap { FuzzTarget.named($0) }

    /// Ends the process when the target finds something: the fuzzer keeps the input, then.
    static func tryInput(_ input: UnsafeBufferPointer<UInt8>) {
        do {
            try target?.runAndWait(Array(input))
        } catch {
            FileHandle.standardError.write(Data("\nFOUND: \(error)\n".utf8))
            abort()
        }
    }
}
