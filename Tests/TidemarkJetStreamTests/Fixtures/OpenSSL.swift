import Foundation
import Testing
import TidemarkTesting

/// The program `openssl`, which makes the keys and certificates of tests.
enum OpenSSL {
    static let program = ["/usr/bin/openssl", "/usr/local/bin/openssl", "/opt/homebrew/bin/openssl"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Runs it in a folder.
    ///
    /// - Returns: The standard output.
    @discardableResult
    static func run(_ arguments: [String], in folder: TemporaryFolder) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(program))
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "openssl \(arguments) failed")
        return data
    }
}

/// An authority with certificates of its own, in a folder.
struct Authority {
    let folder: TemporaryFolder
    private static let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]

    init() throws {
        folder = try TemporaryFolder()
        try OpenSSL.run(
            ["req", "-x509"] + Authority.key + [
                "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=authority", "-addext",
                "basicConstraints=critical,CA:TRUE",
            ], in: folder)
    }

    var certificate: String { folder.path("ca.pem") }

    /// Makes a certificate for names such as `DNS:localhost,IP:127.0.0.1`.
    func certify(_ name: String, _ names: String) throws -> (certificate: String, key: String) {
        try OpenSSL.run(
            ["req"] + Authority.key + ["-keyout", "\(name).key", "-out", "\(name).csr", "-subj", "/CN=\(name)"],
            in: folder)
        try folder.write(Array("subjectAltName=\(names)\n".utf8), to: "\(name).ext")
        try OpenSSL.run(
            [
                "x509", "-req", "-in", "\(name).csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out",
                "\(name).pem", "-days", "2", "-extfile", "\(name).ext",
            ], in: folder)
        return (folder.path("\(name).pem"), folder.path("\(name).key"))
    }
}
