import TestTraits
import Testing
import TidemarkReferenceModel
import TidemarkTestKit

/// The declarations of the command's arguments. ArgumentParser checks them in debug builds alone, and `make test` has
/// none.
@Suite(.pooled, .tags(.process)) struct DeclarationTests {
    @Test func `no command declares a name twice, or an argument that no word can reach`() async throws {
        let help = try await CommandRunner().run(["--experimental-dump-help"])
        #expect(help.status == 0, "\(help.errorText)")
        let root = try #require(ReferenceJSONParser.parse(help.output.filter { $0 != 0x0A }).member("command"))
        var commands = [root]
        var argumentCount = 0
        while let command = commands.popLast() {
            commands += command.member("subcommands")?.elements ?? []
            let label = String(decoding: command.member("commandName")?.text ?? [], as: UTF8.self)
            var names: Set<[UInt8]> = []
            var repeating = false
            for argument in command.member("arguments")?.elements ?? [] {
                argumentCount += 1
                for name in argument.member("names")?.elements ?? [] {
                    let text = (name.member("kind")?.text ?? []) + [0x20] + (name.member("name")?.text ?? [])
                    let isNew = names.insert(text).inserted
                    #expect(isNew, "\(label) declares \(String(decoding: text, as: UTF8.self)) twice")
                }
                guard argument.member("kind")?.text == Array("positional".utf8) else { continue }
                #expect(!repeating, "\(label) has an argument after one that takes every word")
                repeating = argument.member("isRepeating")?.written == Array("true".utf8)
            }
        }
        // Otherwise nothing was read.
        #expect(argumentCount > 100)
    }
}
