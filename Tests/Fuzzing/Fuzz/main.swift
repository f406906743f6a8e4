import CFuzzer
import Foundation
import FuzzTargets

// Usage: Fuzz TARGET [options, folders and files of libFuzzer]

let names = FuzzTarget.all.map { "\($0.name)\n" }.joined()
if FuzzChoice.name == "list" {
    FileHandle.standardOutput.write(Data(names.utf8))
    exit(0)
}
guard let target = FuzzChoice.target else {
    let message = FuzzChoice.name.map { "There is no target \($0). There are:" } ?? "Say which target:"
    FileHandle.standardError.write(Data("\(message)\n\(names)".utf8))
    exit(64)
}

let words = [CommandLine.arguments[0], "-max_len=\(target.byteCountMax)"] + CommandLine.arguments.dropFirst(2)
var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
var count = Int32(arguments.count)
arguments.append(nil)
let status = arguments.withUnsafeMutableBufferPointer { buffer in
    var start = buffer.baseAddress
    return LLVMFuzzerRunDriver(&count, &start) { data, size in
        FuzzChoice.tryInput(UnsafeBufferPointer(start: data, count: size))
        return 0
    }
}
exit(status)
