import Foundation

/// The virtual environment with the Python packages that some tests compare with; `make python` makes it.
package enum PythonEnvironment {
    private static let folder = ProtocolVector.protocolFolder.deletingLastPathComponent().appending(
        path: ".build/python")

    /// The path of its interpreter; nil when the environment is not there.
    package static let interpreter: String? = {
        let path = folder.appending(path: "bin/python3").path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }()

    /// Returns the interpreter of another environment of `make python`, by the name of its folder below `.build`.
    ///
    /// - Returns: nil when the environment is not there.
    package static func interpreter(of name: String) -> String? {
        let path = folder.deletingLastPathComponent().appending(path: "\(name)/bin/python3").path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }

    /// The comment of tests that need it, where it is not there.
    package static let advice = "the Python packages are not installed; make python installs them"
}
