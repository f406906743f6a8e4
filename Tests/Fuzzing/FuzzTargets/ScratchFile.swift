import Foundation

/// A file without a name, for code that writes to a descriptor.
final class ScratchFile: Sendable {
    let descriptor: Int32

    init() throws {
        var template = Array((NSTemporaryDirectory() + "tidemark-fuzz-XXXXXX").utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw FuzzFinding("no scratch file: \(String(cString: strerror(errno)))") }
        unlink(template)
    }

    deinit {
        close(descriptor)
    }

    func contents() throws -> [UInt8] {
        lseek(descriptor, 0, SEEK_SET)
        return [UInt8](try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).readToEnd() ?? Data())
    }
}
