import ArgumentParser
import CHeap
import Tidemark
import TidemarkSQLite

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Parses the command line, runs a command, and converts any error into one error line and an exit status.
package enum EntryPoint {
    /// Runs the command line of this process, and ends the process.
    ///
    /// - Parameter server: The server for `serve`; nil if another executable has it.
    package static func run(server: (any CacheServing)? = nil) async -> Never {
        tidemark_heap_share()
        SQLiteAccounting.turnOff()
        SignalWatch.ignoreBrokenPipes()
        exit(await ServeCommand.$server.withValue(server) { await status() }.rawValue)
    }

    private static func status() async -> ExitStatus {
        do {
            let arguments = NegativeNumbers.joined(Array(CommandLine.arguments.dropFirst()))
            var command = try await RootCommand.asyncParseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            return .ok
        } catch let failure as Failure {
            return report(failure)
        } catch let error as StorageError {
            return report(Failure(error, isReader: false))
        } catch {
            return report(parsing: error)
        }
    }

    /// Reports an error of the parser. Help and the version are such errors too; they go to standard output with status
    /// 0.
    private static func report(parsing error: any Error) -> ExitStatus {
        let code = RootCommand.exitCode(for: error)
        if code == .success {
            let output = Output.standard()
            do throws(Failure) {
                try output.writeLine(RootCommand.fullMessage(for: error))
                try output.flush()
            } catch {
                return report(error)
            }
            return .ok
        }
        guard code == .validationFailure else {
            return report(
                Failure(
                    .internal, "internal", RootCommand.message(for: error), outcome: "the command did not finish",
                    advice: "report this as a bug, with the command line"))
        }
        return report(
            .usage(
                words(Login.hidden(in: RootCommand.message(for: error))),
                advice: "see tidemark help, or --help after a command"))
    }

    /// Converts the parser's sentence into a part of an error line: on one line, without a full stop.
    private static func words(_ message: String) -> String {
        let line = message.split(separator: "\n").joined(separator: " ")
        return line.hasSuffix(".") ? String(line.dropLast()) : line
    }

    private static func report(_ failure: Failure) -> ExitStatus {
        let errors = Output.errors()
        do throws(Failure) {
            try errors.writeLine(errors.style.paint(failure.line, .red))
            try errors.flush()
        } catch {
            // Standard error is closed or full, so the failure cannot be printed; the exit status still reports it.
            return failure.status
        }
        return failure.status
    }
}
